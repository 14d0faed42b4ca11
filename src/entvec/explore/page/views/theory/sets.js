// Figure 1: things as sets of what is known. A click on a block changes what is known.
import { fresh, h, say } from "/lib/dom.js";
import { enumerated } from "/lib/several.js";
import { blocks, figure } from "/views/theory/blocks.js";

/** The figure for the toy world: { words, features, known }. */
export function setsFigure({ words, features, known }) {
  const bits = { y: bitsOf("dog"), x: bitsOf("animal") };
  const names = { y: "dog", x: "animal" };
  const diagram = blocks(features, { toggle });
  const verdict = h("p", { className: "essay-verdict", role: "status" });
  const choices = { x: choice("x", "Above"), y: choice("y", "Below") };
  draw();
  return figure(
    1,
    "Each block is something that is known. Change the things, or click on a place to add or take away a block.",
    h("div", { className: "essay-choices" }, choices.x, choices.y),
    diagram.element,
    verdict,
  );

  function bitsOf(word) {
    return [...known[words.indexOf(word)]];
  }

  function choice(side, label) {
    const id = fresh("thing");
    const select = h(
      "select",
      { id, onchange: () => ((names[side] = select.value), (bits[side] = bitsOf(select.value)), draw()) },
      words.map((word) => h("option", { value: word, selected: word === names[side] }, word)),
    );
    return h("div", {}, h("label", { htmlFor: id }, label), select);
  }

  function toggle(side, k) {
    bits[side][k] = !bits[side][k];
    draw();
    say(verdict.textContent);
  }

  function draw() {
    diagram.update(bits.y.map(Number), bits.x.map(Number), names);
    const missing = features.filter((_, k) => bits.x[k] && !bits.y[k]);
    const { y, x } = names;
    verdict.replaceChildren(
      ...(missing.length
        ? [h("strong", {}, `${y} does not entail ${x}: `), `“${enumerated(missing)}” is known of ${x} and not of ${y}.`]
        : [h("strong", {}, `${y} entails ${x}: `), `all that is known of ${x} is known of ${y}.`]),
    );
  }
}
