// All dimensions of a pair at once, as a strip: how surely each feature is known of either word, and what it adds.
import { fresh, h, s } from "/lib/dom.js";
import { known, percent, signed } from "/lib/numbers.js";
import { shown } from "/lib/words.js";

const HIGH = 24; // of a row, in units that the style stretches

/** Draw what /api/explain answered; whoever moves over the strip or its slider is told about each feature. */
export function strip({ hypo, hyper, strip: { gain, ...logOdds }, carrying, breaking }) {
  const order = gain.map((_, i) => i).sort((a, b) => gain[b] - gain[a]);
  const words = new Map([...carrying, ...breaking].map((row) => [row.number, row.words]));
  const probability = { hypo: logOdds.hypo.map(known), hyper: logOdds.hyper.map(known) };
  const all = [...probability.hypo, ...probability.hyper];
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const id = fresh("feature");
  const cursor = h("div", { className: "cursor" });
  const told = h("div", { className: "told" });
  const range = h("input", {
    id,
    type: "range",
    min: 0,
    max: order.length - 1,
    step: 1,
    oninput: () => mark(Number(range.value)),
  });
  const picture = h(
    "div",
    { className: "picture", "aria-hidden": "true", onpointermove: pointed, onpointerdown: pointed },
    caption(shown(hypo), scale("specific")),
    cells(probability.hypo, "specific"),
    caption(shown(hyper), scale("general")),
    cells(probability.hyper, "general"),
    caption(
      "what each feature adds",
      h(
        "span",
        { className: "scale" },
        h("span", { className: "swatch yes" }),
        "for",
        h("span", { className: "swatch no" }),
        "against",
      ),
    ),
    gains(),
    cursor,
  );
  range.value = "0";
  mark(0);
  const label = h(
    "label",
    { htmlFor: id, className: "small" },
    "Move along the features, from the most for it to the most against it",
  );
  return h("div", { className: "strip" }, picture, h("div", { className: "along" }, range), label, told);

  function caption(name, legend) {
    return h("div", { className: "caption" }, h("span", {}, name), legend);
  }

  function scale(kind) {
    return h(
      "span",
      { className: "scale" },
      `known: ${percent(least)}`,
      h("span", { className: `shades ${kind}` }),
      percent(most),
    );
  }

  function cells(probabilities, kind) {
    const level = (i) => (most > least ? (probabilities[i] - least) / (most - least) : 0.5);
    return drawing(
      `cells ${kind}`,
      HIGH,
      order.map((i, x) => s("rect", { x, y: 0, width: 1.02, height: HIGH, "fill-opacity": level(i).toFixed(3) })),
    );
  }

  function gains() {
    const [down, up] = [Math.min(0, ...gain), Math.max(0, ...gain)];
    const high = up - down || 1;
    const bars = order.map((i, x) =>
      s("rect", {
        class: gain[i] < 0 ? "no" : "yes",
        x,
        y: up - Math.max(0, gain[i]),
        width: 0.9,
        height: Math.abs(gain[i]),
      }),
    );
    return drawing("gains", high, [...bars, s("line", { x1: 0, x2: order.length, y1: up, y2: up })]);
  }

  function drawing(kind, high, shapes) {
    return s("svg", { class: kind, viewBox: `0 0 ${order.length} ${high}`, preserveAspectRatio: "none" }, shapes);
  }

  function pointed(event) {
    const { left, width } = picture.getBoundingClientRect();
    const at = Math.floor(((event.clientX - left) / width) * order.length);
    range.value = String(at);
    mark(Number(range.value));
  }

  function mark(at) {
    const i = order[at];
    const given = words.get(i);
    const sentences = [
      h("strong", {}, `Feature ${i} adds ${signed(gain[i])}`),
      ` to the score. Known of ${shown(hypo)}: ${percent(probability.hypo[i])}, `,
      `of ${shown(hyper)}: ${percent(probability.hyper[i])}. `,
      given
        ? `Words that have it most: ${given.map(shown).join(", ")}.`
        : "It weighs too little for its words to be told.",
    ];
    cursor.style.left = `${((at + 0.5) / order.length) * 100}%`;
    told.replaceChildren(h("p", {}, sentences));
    range.ariaValueText = told.textContent;
  }
}
