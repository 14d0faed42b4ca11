// What the server says of two things of the toy world, as elements. `things` are { hypo, hyper }, their names.
import { fresh, h } from "/lib/dom.js";
import { percent, signed } from "/lib/numbers.js";
import { FORMULAS, NAMES } from "/lib/operators.js";
import { bar } from "/lib/words.js";

const CLOSE = 0.005;
const BREAKS = 0.1;
const KINDS = ["prior", "exact", "mean-field"];
const MEANINGS = {
  forward: "For each feature of x, how surely y has it.",
  backward: "For each feature that y lacks, how surely x lacks it too.",
  factorised:
    "For each feature, the probability that it is not known of x alone. " +
    "The features here are independent, and then this is exact.",
};

function namesOf({ hypo, hyper }) {
  return hypo === hyper ? ["y", "x"] : [hypo, hyper];
}

/** How probable the entailment is, in both directions. */
export function directions({ probability, reversed_probability }, things) {
  const [y, x] = namesOf(things);
  const direction = (letters, first, second, share, kind) => {
    const name = [h("strong", {}, `${first} entails ${second}`), h("span", { className: "faint" }, ` P(${letters})`)];
    return h("div", {}, h("span", {}, name), h("span", { className: "large" }, percent(share)), bar(share, kind));
  };
  return [direction("y ⇒ x", y, x, probability, "specific"), direction("x ⇒ y", x, y, reversed_probability, "general")];
}

/** Which feature breaks the entailment most, if any does. */
export function breaking({ operators: rows }, things, features) {
  const [y, x] = namesOf(things);
  const byFeature = rows.find((row) => row.operator === "factorised").by_feature;
  const worst = byFeature.indexOf(Math.min(...byFeature));
  const breaks = 1 - Math.exp(byFeature[worst]);
  const [what, how] =
    breaks > BREAKS
      ? [
          `What breaks it most is “${features[worst]}”`,
          `: with ${percent(breaks)} that is known of ${x} and not of ${y}. `,
        ]
      : ["No feature breaks it", `: none is known of ${x} and not of ${y} with more than ${percent(breaks)}. `];
  return [
    h("strong", {}, what),
    how,
    "These probabilities are exact: no feature may break it, so what each leaves of the probability is multiplied.",
  ];
}

/** What the operators of the paper say, feature by feature. */
export function operators(rows, features) {
  const most = Math.max(1, ...rows.flatMap((row) => row.by_feature.map(Math.abs)));
  return card(
    "What the operators say",
    h(
      "p",
      {},
      "Each stands for the logarithm of that probability, as a sum over features; s is the sigmoid, ",
      "so that s(Y) is the probability that a feature is known of y, and s(−Y) that it is not. ",
      "A long bar is a feature that breaks the entailment.",
    ),
    h(
      "dl",
      {},
      rows.map(({ operator }) =>
        h(
          "div",
          {},
          h("dt", {}, operator, " ", h("span", { className: "formula" }, FORMULAS[operator])),
          h("dd", {}, MEANINGS[operator]),
        ),
      ),
    ),
    scores(rows, features, () => most, true),
    h(
      "p",
      { className: "small faint" },
      "Forward and backward put a logarithm inside an average, where Jensen’s inequality makes it smaller: ",
      "they are never above factorised. ",
      "What they gain is that each is an inner product of two vectors, one of y and one of x, which makes search fast.",
    ),
  );
}

/** The operators that know no entailment. */
export function baselines(rows, features) {
  return [
    h(
      "p",
      {},
      "Similarity does not know a direction, and the difference only knows how much is known in all. ",
      "The cosines divide by lengths, so no feature has a share of its own.",
    ),
    scores(rows, features, (row) => Math.max(...(row.by_feature ?? []).map(Math.abs))),
  ];
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
  return card(
    "What follows if y does entail x",
    h(
      "p",
      {},
      "Then y gets what is known of x, and x loses what y lacks. Exact tries all cases. ",
      "Mean-field, which also works with many features and many things, ",
      "lets each feature of each thing be a number of its own:",
    ),
    h("p", { className: "formula" }, "Y ← Y prior − log s(−X),  X ← X prior + log s(Y)"),
    h(
      "p",
      { className: "legend" },
      KINDS.map((name) =>
        h("span", {}, h("span", { className: `posterior-mark ${name}`, "aria-hidden": "true" }), name),
      ),
    ),
    h("div", { className: "both" }, side("hypo", `y: ${things.hypo}`), side("hyper", `x: ${things.hyper}`)),
    h("p", {}, h("strong", {}, sentence), ` It took ${steps} steps.`),
    h(
      "p",
      { className: "small faint" },
      "The two agree where what is known fits the entailment. They part where it is undecided, log-odds near 0, ",
      "and most where x has a feature that y lacks: then probably both have it or none has, ",
      "and numbers that each stand alone cannot say “both or none”.",
    ),
  );

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

function card(name, ...content) {
  const id = fresh("theory");
  return h("section", { className: "card", "aria-labelledby": id }, h("h2", { id }, name), content);
}
