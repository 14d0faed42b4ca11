// Addresses: every state has one, so that it can be shared, reloaded and gone back to.
//
// `/word?word=dog` is a state; `&beside=tomato` or `&beside=tomato,fruit` is the word or pair in the panel beside it.
import { joined, separated } from "/lib/several.js";

let moved = () => {};
let panelled = () => null;

/** The address of a state: address("word", { word: "dog" }). Empty values are left out. */
export function address(view, params = {}) {
  const given = Object.entries(params).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return `/${view}${query ? `?${query}` : ""}`;
}

/** What stands beside a state, as a parameter of its address; null for nothing. */
export function besideParam(state) {
  if (!state) return null;
  return state.kind === "word" ? joined([state.word]) : joined([state.first, state.second]);
}

/** What a parameter of an address says stands beside a state; null for nothing. */
export function besideState(text) {
  const words = (text ?? "").length ? separated(text) : [];
  if (words.length === 1) return { kind: "word", word: words[0] };
  return words.length === 2 ? { kind: "pair", first: words[0], second: words[1] } : null;
}

/** Go to an address, as by a click on a link. */
export function goTo(there) {
  if (there !== location.pathname + location.search) history.pushState(null, "", there);
  moved({ moved: true });
}

/** Go there, as by a click on a link. */
export function go(view, params = {}) {
  goTo(address(view, params));
}

/** Show what is at this address anew, as after an error. */
export function again() {
  moved({ moved: true, anew: true });
}

/**
 * `arrive` is called when the address changes, by links, buttons, back or forward. `panel(url, link)` may return the
 * address that shows what a link leads to beside a picture.
 */
export function onMove(arrive, panel = () => null) {
  [moved, panelled] = [arrive, panel];
  addEventListener("popstate", () => moved({ moved: true }));
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    const plain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    if (!link || !plain || event.defaultPrevented || link.target || link.hasAttribute("download")) return;
    const here = link.origin === location.origin && !link.pathname.startsWith("/api/");
    if (!here) return;
    event.preventDefault();
    goTo(panelled(new URL(link.href), link) ?? link.pathname + link.search);
  });
}
