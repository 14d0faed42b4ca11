// What a person has entered is kept in the address, and in this tab if it is too long for one.
import { address } from "/lib/address.js";
import { Refused } from "/lib/api.js";

const LONGEST = 1_500;
const PREFIX = "taxonomy-";

/** The parameters of an address that stands for these; `key` is the place that they have in this tab, if any. */
export function kept(params, key) {
  if (address("taxonomy", params).length <= LONGEST) return params;
  const place = key ?? String(Date.now());
  store(PREFIX + place, JSON.stringify(Object.entries(params).filter(([, value]) => value)));
  return { mode: params.mode, kept: place };
}

/** What the parameters of an address stand for; null if that was kept in another tab. */
export function recalled(params) {
  if (!params.has("kept")) return params;
  try {
    const found = sessionStorage.getItem(PREFIX + params.get("kept"));
    return found === null ? null : new URLSearchParams(JSON.parse(found));
  } catch {
    return null;
  }
}

/** What to tell of an address whose content is not here. */
export const LOST = new Refused({
  kind: "lost",
  message: "What this address stands for is too long to be in it, and was kept in another tab. Paste it here again.",
});

function store(name, value) {
  try {
    try {
      sessionStorage.setItem(name, value);
    } catch {
      Object.keys(sessionStorage)
        .filter((key) => key.startsWith(PREFIX))
        .forEach((key) => sessionStorage.removeItem(key)); // it is full
      sessionStorage.setItem(name, value);
    }
  } catch {
    // A browser that keeps nothing: then a reload asks to paste again.
  }
}
