// Taxonomy: a hierarchy made of a list of words and corrected by hand, or one that is there already and looked through.
import { h } from "/lib/dom.js";
import * as auditing from "/views/taxonomy/auditing.js";
import * as building from "/views/taxonomy/building.js";

const MODES = { build: building, audit: auditing };
const latest = { build: "/taxonomy", audit: "/taxonomy?mode=audit" }; // where each was left

const modeOf = (params) => (params.get("mode") === "audit" ? "audit" : "build");

export function title(params) {
  return modeOf(params) === "audit" ? "Audit a hierarchy" : "Taxonomy";
}

export async function show(root, params, signal) {
  const mode = modeOf(params);
  const tab = (name, text) => h("a", { href: latest[name], "aria-current": name === mode ? "page" : null }, text);
  const tabs = { build: tab("build", "Build from words"), audit: tab("audit", "Audit a hierarchy") };
  root.append(h("nav", { className: "tax-tabs", "aria-label": "What to do" }, Object.values(tabs)));
  await MODES[mode].show(root, params, signal, (address) => {
    latest[mode] = address;
    tabs[mode].href = address;
  });
}
