// The diagram of the essay: features side by side, the general thing above the line, the specific one below it. Each
// block above needs one below to stand on; what has none is marked, since it breaks the entailment.
import { h } from "/lib/dom.js";
import { percent } from "/lib/numbers.js";

/**
 * A diagram of features with these names. `update(y, x, names)` draws how surely each is known of the specific thing y
 * and of the general thing x. With `toggle(side, k)` blocks are buttons that a click changes.
 */
export function blocks(features, { toggle = null, label = "" } = {}) {
  const cells = { x: features.map((_, k) => cell("x", k)), y: features.map((_, k) => cell("y", k)) };
  const named = { x: h("span", { className: "specimen general" }), y: h("span", { className: "specimen specific" }) };
  const line = (side) =>
    h("div", { className: `blocks-row ${side}`, role: "group" }, h("div", { className: "blocks-name" }, named[side]), cells[side]);
  const rows = { x: line("x"), y: line("y") };
  const element = h(
    "div",
    { className: "blocks", style: { "--features": String(features.length) } },
    rows.x,
    rows.y,
    h("div", { className: "blocks-row names", "aria-hidden": "true" }, h("div"), features.map((name) => h("div", {}, name))),
  );
  if (!toggle) {
    element.setAttribute("role", "img");
    for (const row of Object.values(rows)) row.setAttribute("aria-hidden", "true");
  }

  function cell(side, k) {
    const parts = [h("span", { className: "block" }), h("span", { className: "broken" })];
    if (!toggle) return h("div", { className: "blocks-cell" }, parts);
    return h("button", { type: "button", className: "blocks-cell", onclick: () => toggle(side, k) }, parts);
  }

  /** Shares from 0 to 1; the part of a block above that stands on nothing is x (1 − y). */
  function update(y, x, names) {
    for (const side of ["x", "y"]) {
      named[side].textContent = names[side];
      rows[side].setAttribute("aria-label", `What is known of ${names[side]}`);
      cells[side].forEach((each, k) => {
        const share = side === "x" ? x[k] : y[k];
        const open = side === "x" ? x[k] * (1 - y[k]) : 0;
        each.style.setProperty("--known", share.toFixed(4));
        each.style.setProperty("--open", open.toFixed(4));
        if (!toggle) return;
        each.ariaLabel = `${features[k]} is known of ${names[side]}`;
        each.ariaPressed = String(share > 0.5);
      });
    }
    const told = features.map((name, k) => `${name}: ${percent(x[k])} above, ${percent(y[k])} below`);
    if (!toggle) element.setAttribute("aria-label", `${label} ${names.x} above, ${names.y} below. ${told.join("; ")}`.trim());
  }

  return { element, update };
}

export function figure(number, caption, ...content) {
  return h(
    "figure",
    { className: "essay-figure", ariaLabel: `Figure ${number}` },
    content,
    h("figcaption", {}, h("strong", {}, `Figure ${number}. `), caption),
  );
}
