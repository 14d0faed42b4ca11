// Figure 2: the same with sliders, since nobody is quite sure of anything.
import { fresh, h } from "/lib/dom.js";
import { known, percent, signed } from "/lib/numbers.js";
import { bar } from "/lib/words.js";
import { blocks, figure } from "/views/theory/blocks.js";

export const STRENGTH = 4; // log-odds of what the toy world knows
export const MOST = 6;
const STEP = 0.25;
const BREAKS = 0.1;

/**
 * The figure. `state` has things { hypo, hyper } and log-odds { y, x }; `moved(patch)` is called by sliders, `choose(side,
 * word)` and `swap()` by the choice of things. `update(state, found)` draws a state and what /api/theory says of it.
 */
export function surenessFigure({ words, features }, { moved, choose, swap, reset }) {
  const diagram = blocks(features, { label: "How surely each feature is known." });
  const sliders = { y: features.map((_, k) => slider("y", k)), x: features.map((_, k) => slider("x", k)) };
  const [chances, reason] = [h("div", { className: "essay-chances" }), h("p", { className: "essay-verdict" })];
  const selects = { hyper: select("hyper"), hypo: select("hypo") };
  let now = null;
  const element = figure(
    2,
    "The height of a block is how surely the feature is known; what stands on nothing is hatched.",
    h(
      "div",
      { className: "essay-choices" },
      field("Above, x", selects.hyper),
      field("Below, y", selects.hypo),
      h("button", { type: "button", name: "swap", title: "Swap the two things", ariaLabel: "Swap the two things", onclick: swap }, "⇅"),
      h("button", { type: "button", onclick: reset }, "Reset"),
    ),
    chances,
    diagram.element,
    h(
      "div",
      { className: "knobs" },
      features.map((feature, k) =>
        h(
          "div",
          { className: "knob-row", role: "group", ariaLabel: feature },
          h("strong", {}, feature),
          knob("x", k, "general"),
          knob("y", k, "specific"),
        ),
      ),
    ),
    reason,
  );
  return { element, update, answered };

  function select(side) {
    const element = h(
      "select",
      { id: fresh("thing"), name: side, onchange: () => choose(side, element.value) },
      words.map((word) => h("option", { value: word }, word)),
    );
    return element;
  }

  function field(text, element) {
    return h("div", {}, h("label", { htmlFor: element.id }, text), element);
  }

  function slider(side, k) {
    const told = h("output", {});
    const range = h("input", {
      type: "range",
      min: -MOST,
      max: MOST,
      step: STEP,
      oninput: () => moved({ [side]: now[side].map((value, i) => (i === k ? Number(range.value) : value)) }),
    });
    return { range, told };
  }

  function knob(side, k, kind) {
    const { range, told } = sliders[side][k];
    return h("div", { className: `knob ${kind}` }, h("span", { className: "label" }, side), range, told);
  }

  function update(state) {
    now = state;
    for (const side of ["hypo", "hyper"]) selects[side].value = state[side];
    for (const side of ["y", "x"])
      sliders[side].forEach(({ range, told }, k) => {
        const value = state[side][k];
        range.value = String(value);
        range.ariaLabel = `${features[k]}, ${side}: ${state[side === "y" ? "hypo" : "hyper"]}`;
        range.ariaValueText = `log-odds ${signed(value)}, known with ${percent(known(value))}`;
        told.replaceChildren(h("span", {}, signed(value)), h("span", { className: "faint" }, percent(known(value))));
      });
    diagram.update(state.y.map(known), state.x.map(known), { y: state.hypo, x: state.hyper });
  }

  /** What /api/theory says of the state that is shown. */
  function answered(found) {
    const [y, x] = now.hypo === now.hyper ? ["y", "x"] : [now.hypo, now.hyper];
    const direction = (letters, first, second, share, kind) =>
      h(
        "div",
        {},
        h("span", {}, h("strong", {}, `${first} entails ${second}`), h("span", { className: "faint" }, ` P(${letters})`)),
        h("span", { className: "large" }, percent(share)),
        bar(share, kind),
      );
    chances.replaceChildren(
      direction("y ⇒ x", y, x, found.probability, "specific"),
      direction("x ⇒ y", x, y, found.reversed_probability, "general"),
    );
    const byFeature = found.operators.find(({ operator }) => operator === "factorised").by_feature;
    const worst = byFeature.indexOf(Math.min(...byFeature));
    const breaks = 1 - Math.exp(byFeature[worst]);
    reason.replaceChildren(
      ...(breaks > BREAKS
        ? [h("strong", {}, `What breaks it most is “${features[worst]}”`), `: with ${percent(breaks)} it is known of ${x} and not of ${y}.`]
        : [h("strong", {}, "No feature breaks it"), `: none is known of ${x} and not of ${y} with more than ${percent(breaks)}.`]),
    );
  }
}
