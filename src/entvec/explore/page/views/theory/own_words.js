// Figure 5: the reader's own two words in the diagram of the toy world.
import { address } from "/lib/address.js";
import { ask } from "/lib/api.js";
import { h } from "/lib/dom.js";
import { known, percent } from "/lib/numbers.js";
import { trouble } from "/lib/trouble.js";
import { shown, wordField } from "/lib/words.js";
import { blocks, figure } from "/views/theory/blocks.js";

const SHOWN = 12; // of the features of the space
const KNOWN = 0.5;

/** The figure; `chosen(first, second)` is called when the reader asks for two words. */
export function ownWords(words, { chosen, signal }) {
  const hypo = wordField({ label: "Below", value: words.first, name: "first" });
  const hyper = wordField({ label: "Above", value: words.second, name: "second" });
  const result = h("div", { className: "essay-own" });
  const element = figure(
    5,
    `The ${SHOWN} features that are most surely known of the word above, and the same features of the word below.`,
    h("form", { className: "essay-choices", onsubmit: asked }, hyper.field, hypo.field, h("button", { className: "main" }, "Show them")),
    result,
  );
  return { element, load };

  function asked(event) {
    event.preventDefault();
    for (const each of [hyper, hypo]) if (!each.input.value.trim()) return each.miss();
    chosen(hypo.input.value.trim(), hyper.input.value.trim());
    return load(hypo.input.value.trim(), hyper.input.value.trim());
  }

  async function load(first, second) {
    try {
      draw(await ask("/api/explain", { hypo: first, hyper: second, k: 1 }, signal), first, second);
    } catch (error) {
      if (!signal.aborted) result.replaceChildren(trouble(error));
    }
  }

  function draw(found, first, second) {
    const [y, x] = [first, second].map(shown);
    if (!found.strip) return result.replaceChildren(h("p", {}, `The vectors know too little of ${y} and ${x} for a picture.`));
    const used = found.operators.find((row) => row.used);
    const beats = (share) => `${(100 * share).toFixed(share > 0.99 && share < 1 ? 1 : 0)}%`;
    return result.replaceChildren(
      h("div", { className: "essay-both" }, one(found.strip.hypo, found.strip.hyper, { y, x }), one(found.strip.hyper, found.strip.hypo, { y: x, x: y })),
      h(
        "p",
        { className: "essay-verdict" },
        `In the place of ${y}, ${beats(used.beats)} of other words would stand worse under ${x}; `,
        `in the place of ${x}, ${beats(used.reversed_beats)} would stand worse under ${y}. `,
        h("strong", {}, `With everything that is known of them, ${y} is a kind of ${x} with ${percent(found.probability)}`),
        ": ",
        h("a", { href: address("pair", { first, second }) }, "see why"),
        ".",
      ),
    );
  }

  /** One direction: the features of which the word above is surest. */
  function one(below, above, names) {
    const order = above.map((_, k) => k).sort((a, b) => above[b] - above[a]);
    const features = order.slice(0, SHOWN);
    const diagram = blocks(features.map(String), { label: "Features of the space." });
    const [y, x] = [below, above].map((side) => features.map((k) => known(side[k])));
    diagram.update(y, x, names);
    const stand = y.filter((share) => share > KNOWN).length;
    return h(
      "div",
      {},
      diagram.element,
      h("p", { className: "small" }, `Of these ${SHOWN}, ${stand} are known of ${names.y}, too: `, h("strong", {}, `${names.y} under ${names.x}`), "."),
    );
  }
}
