// What can be chosen about the map, and what its colours and lines mean.
import { fresh, h } from "/lib/dom.js";

const NUMBERS = [0, 4, 8, 12, 20, 30];
const GENERALITY = [
  [2, "much more specific"],
  [1.5, "more specific"],
  [1, "as usual"],
  [0.5, "more general"],
  [0, "the surest, however general"],
];

export function choices(options, info, changed) {
  const choice = (label, name, rows) => {
    const id = fresh("choice");
    const selected = String(options[name] ?? "");
    const select = h(
      "select",
      {
        id,
        onchange: () => {
          options[name] = select.value === "" ? null : Number(select.value);
          changed();
        },
      },
      rows.map(([value, text]) => h("option", { value, selected: String(value) === selected }, text)),
    );
    return h("div", {}, h("label", { htmlFor: id }, label), select);
  };
  const numbers = (own) =>
    [...new Set([...NUMBERS, own])].sort((one, other) => one - other).map((each) => [each, each]);
  const usual = info.specificity.hypernyms;
  const ratios = GENERALITY.map(([ratio, text]) => [ratio === 1 ? "" : Number((usual * ratio).toFixed(3)), text]);
  if (options.specificity !== null && !ratios.some(([value]) => value === options.specificity))
    ratios.push([options.specificity, `specificity ${options.specificity}`]);
  return [
    choice("Words above", "above", numbers(options.above)),
    choice("Words below", "below", numbers(options.below)),
    usual ? choice("Generality", "specificity", ratios) : null,
  ];
}

export function legend(id, info) {
  const sample = (kind, text) =>
    h("li", {}, h("span", { className: `map-sample ${kind}`, "aria-hidden": "true" }), text);
  return h(
    "div",
    { className: "map-legend" },
    h(
      "ul",
      {},
      sample("above", "above it, more general"),
      sample("centre", "asked for"),
      sample("below", "below it, more specific"),
    ),
    h(
      "p",
      { id, className: "faint small" },
      `A line leads from a word up to what it is a kind of${info.calibrated ? "; the thicker, the more probable" : ""}. `,
      "Choose a word to go on from there. ",
      "Drag to move; ",
      h("span", { className: "with-keys" }, "wheel or "),
      "two fingers to enlarge",
      h("span", { className: "with-keys" }, "; keys: arrows, Enter, +, −, 0"),
      ".",
    ),
  );
}
