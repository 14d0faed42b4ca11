// Figures 3 and 4: what the server says of two things of the toy world. `things` are { hypo, hyper }, their names.
import { h } from "/lib/dom.js";
import { counted, percent, signed } from "/lib/numbers.js";
import { FORMULAS, NAMES, PAPER } from "/lib/operators.js";
import { bar } from "/lib/words.js";

const CLOSE = 0.005;
const KINDS = ["prior", "exact", "mean-field"];
const MEANINGS = {
  forward: "For each feature of x, how surely y has it.",
  backward: "For each feature that y lacks, how surely x lacks it too.",
  factorised:
    "For each feature, the probability that it is not known of x alone. " +
    "The features here are independent, and then this is exact.",
};

/** What the operators say, feature by feature: those of the paper, and what similarity says. */
export function operators(rows, features) {
  const paper = rows.filter(({ operator }) => PAPER.includes(operator));
  const most = Math.max(1, ...paper.flatMap((row) => row.by_feature.map(Math.abs)));
  const others = rows.filter(({ operator }) => !PAPER.includes(operator));
  return [
    scores(paper, features, () => most, true),
    h(
      "details",
      {},
      h("summary", {}, "Other operators, to compare"),
      scores(others, features, (row) => Math.max(...(row.by_feature ?? []).map(Math.abs))),
    ),
  ];
}

/** The formulas of the paper's operators, and what they say in words. */
export function formulas() {
  return h(
    "dl",
    { className: "essay-formulas" },
    PAPER.map((operator) =>
      h(
        "div",
        {},
        h("dt", {}, operator, " ", h("span", { className: "formula" }, FORMULAS[operator])),
        h("dd", {}, MEANINGS[operator]),
      ),
    ),
  );
}

/** Features down, operators across; the bars of a column are as long as its share of `most(row)`. */
function scores(rows, features, most, asProbability = false) {
  const cell = (row, k) => {
    const value = row.by_feature?.[k];
    return value === undefined
      ? h("td", {}, "–")
      : h("td", {}, signed(value), bar(Math.abs(value) / (most(row) || 1), value < 0 ? "no" : "yes"));
  };
  const line = (name, content, className = "") =>
    h("tr", { className }, h("th", { scope: "row" }, name), rows.map(content));
  const small = (text) => (asProbability ? h("span", { className: "faint small" }, text) : null);
  const total = (score) => h("td", {}, h("strong", {}, signed(score)), small(percent(Math.exp(score))));
  return h(
    "table",
    { className: "scores" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col" }, "feature"),
        rows.map(({ operator }) => h("th", { scope: "col" }, NAMES[operator] ?? operator)),
      ),
    ),
    h(
      "tbody",
      {},
      features.map((feature, k) => line(feature, (row) => cell(row, k))),
    ),
    h(
      "tfoot",
      {},
      line(["y ⇒ x", small("e^score")], (row) => total(row.score), "total"),
      line(["x ⇒ y", small("e^score")], (row) => total(row.reversed_score)),
    ),
  );
}

/** What is to be believed of both things if the one entails the other: exactly, and by mean-field. */
export function posterior({ prior, exact: truth, mean_field, steps }, things, features) {
  const gaps = ["hypo", "hyper"].flatMap((side) =>
    features.map((feature, k) => ({ side, feature, truth: truth[side][k], found: mean_field[side][k] })),
  );
  const far = ({ truth: a, found: b }) => Math.abs(a - b);
  const widest = gaps.reduce((a, b) => (far(b) > far(a) ? b : a));
  const sentence =
    far(widest) < CLOSE
      ? "Mean-field is as good as exact here: no feature is off by half a percentage point."
      : `Mean-field is off by ${(100 * far(widest)).toFixed(far(widest) < 0.1 ? 1 : 0)} percentage points at most: ` +
        `${widest.feature} of ${widest.side === "hypo" ? "y" : "x"} is ${percent(widest.found)} ` +
        `and should be ${percent(widest.truth)}.`;
  return [
    h(
      "p",
      { className: "legend" },
      KINDS.map((name) =>
        h("span", {}, h("span", { className: `posterior-mark ${name}`, "aria-hidden": "true" }), name),
      ),
    ),
    h("div", { className: "essay-both" }, side("hyper", `x: ${things.hyper}`), side("hypo", `y: ${things.hypo}`)),
    h("p", { className: "essay-verdict" }, h("strong", {}, sentence), ` It took ${counted(steps, "step")}.`),
  ];

  function side(name, caption) {
    const header = (text) => h("th", { scope: "col" }, text);
    const plot = (...content) => h("td", { className: "plot", "aria-hidden": "true" }, content);
    const mark = (share, i) =>
      h("span", { className: `posterior-mark ${KINDS[i]}`, style: { left: `${(100 * share).toFixed(1)}%` } });
    const line = (feature, k) => {
      const shares = [prior, truth, mean_field].map((found) => found[name][k]);
      const numbers = shares.map((share) => h("td", {}, percent(share)));
      return h(
        "tr",
        {},
        h("th", { scope: "row" }, feature),
        plot(h("div", { className: "track" }, shares.map(mark))),
        numbers,
      );
    };
    const head = h("tr", {}, header("feature"), plot(h("span", {}, "0"), h("span", {}, "100%")), KINDS.map(header));
    return h(
      "table",
      { className: "posterior" },
      h("caption", {}, caption),
      h("thead", {}, head),
      h("tbody", {}, features.map(line)),
    );
  }
}
