// Theory: the toy world with sliders on its log-odds, for teaching.
import { ask, get } from "/lib/api.js";
import { address, go, settle } from "/lib/address.js";
import { afterwards, fresh, h, say } from "/lib/dom.js";
import { FORMULAS, NAMES, PAPER } from "/lib/operators.js";
import { known, signed } from "/lib/strip.js";
import { trouble } from "/lib/trouble.js";
import { bar, percent, shown } from "/lib/words.js";

const STRENGTH = 4; // log-odds of what the toy world knows
const MOST = 6;
const STEP = 0.25;
const CLOSE = 0.005;
const KINDS = ["prior", "exact", "mean-field"];
const [FIRST, SECOND] = ["dog", "animal"];
const SITUATIONS = [
  ["dog entails animal", { hypo: "dog", hyper: "animal" }],
  ["one feature breaks it", { hypo: "animal", hyper: "dog" }],
  ["a poodle that may bark or not", { hypo: "poodle", hyper: "dog", y: "4_0_4_-4_-4" }],
  ["nothing is decided", { hypo: "dog", hyper: "animal", y: "0_0_0_0_0", x: "0_0_0_0_0" }],
];
const MEANINGS = {
  forward: "For each feature of x, how surely y has it.",
  backward: "For each feature that y lacks, how surely x lacks it too.",
  factorised: "For each feature, the probability that it is not known of x alone. The features here are independent, and then this is exact.",
};

let asked;
let returnTo = null; // the name of the field to be on after a move

function toyWorld() {
  asked ??= get("/api/theory/world").catch((error) => {
    asked = undefined;
    throw error;
  });
  return asked;
}

export function title(params) {
  return `Theory: ${params.get("hypo") ?? FIRST} and ${params.get("hyper") ?? SECOND}`;
}

export async function show(root, params, signal) {
  const world = await toyWorld();
  if (signal.aborted) return;
  const { features } = world;
  const problems = [];
  const things = { hypo: thing("hypo", FIRST), hyper: thing("hyper", SECOND) };
  const sliders = { hypo: column("hypo", "y"), hyper: column("hyper", "x") };
  const tellLater = afterwards(700, (text) => signal.aborted || say(text));
  const live = h("div", { className: "live" });
  const reason = h("p", { className: "reason" });
  const results = h("div", { className: "results" });
  const compared = h("div");
  const baselines = h("details", { className: "card" }, h("summary", {}, "Other operators, to compare"), compared);
  root.append(
    h("h1", {}, "Entailment with five features"),
    h(
      "p",
      {},
      "A thing is what is known of it: of a dog that it is alive and barks, of an animal that it is alive. ",
      h("strong", {}, "y entails x if all that is known of x is known of y"),
      ", so dog entails animal. How sure it is that a feature is known, log-odds tell: 0 is fifty-fifty, +4 is 98%, −4 is 2%. ",
      "Move the sliders, and see what becomes of the entailment.",
    ),
    ...problems.map((problem) => h("div", { className: "notice", role: "alert" }, h("p", {}, problem))),
    form(),
    h("p", { className: "chips" }, "Situations ", SITUATIONS.map(([name, there]) => h("a", { className: "button chip", href: address("theory", there) }, name))),
    table(),
    results,
  );
  if (returnTo) root.querySelector(`[name="${returnTo}"]`).focus();
  returnTo = null;

  let asking = false;
  let changed = false;
  await refresh();

  function thing(name, usual) {
    const given = params.get(name) ?? usual;
    if (world.words.includes(given)) return given;
    problems.push(`There is no “${shown(given)}” in the toy world, so ${usual} is shown. It has ${world.words.join(", ")}: choose one of these.`);
    return usual;
  }

  function usualOf(word) {
    return world.known[world.words.indexOf(word)].map((is) => (is ? STRENGTH : -STRENGTH));
  }

  function column(side, letter) {
    const usual = usualOf(things[side]);
    const given = params.has(letter) ? params.get(letter).split("_").map((text) => (text.trim() ? Number(text) : NaN)) : usual;
    const fine = given.length === features.length && given.every((value) => Math.abs(value) <= MOST);
    if (!fine) {
      const what = `The values of ${letter} in the address are not ${features.length} numbers from −${MOST} to ${MOST}`;
      problems.push(`${what}, so those of the toy world are shown. Move the sliders, and the address follows.`);
    }
    return features.map((feature, i) => slider(`${feature}, ${letter}: ${things[side]}`, (fine ? given : usual)[i]));
  }

  function slider(label, value) {
    const told = h("output", {});
    const range = h("input", { type: "range", min: -MOST, max: MOST, step: STEP, ariaLabel: label, oninput: () => (tell(), moved()) });
    const tell = () => {
      const number = Number(range.value);
      told.replaceChildren(h("span", {}, signed(number)), h("span", { className: "faint" }, percent(known(number))));
      range.ariaValueText = `log-odds ${signed(number)}, known with ${percent(known(number))}`;
    };
    const put = (number) => {
      range.value = String(number);
      tell();
    };
    put(value);
    return { range, told, put };
  }

  function values(side) {
    return sliders[side].map(({ range }) => Number(range.value));
  }

  /** What the address has: values only where they are not those of the toy world. */
  function situation() {
    const written = (side) => (String(values(side)) === String(usualOf(things[side])) ? null : values(side).join("_"));
    return { ...things, y: written("hypo"), x: written("hyper") };
  }

  function moved() {
    settle("theory", situation());
    refresh();
  }

  function form() {
    const choice = (side, letter, label) => {
      const id = fresh("thing");
      const what = (i) => features.filter((_, k) => world.known[i][k]).join(", ") || "nothing is known";
      const select = h(
        "select",
        { id, name: side, onchange: () => ((returnTo = side), go("theory", { ...situation(), [side]: select.value, [letter]: null })) },
        world.words.map((word, i) => h("option", { value: word, selected: word === things[side] }, `${word}: ${what(i)}`)),
      );
      return h("div", { className: "field" }, h("label", { htmlFor: id }, label), select);
    };
    const swap = h("button", { type: "button", name: "swap", ariaLabel: "Swap the two things", title: "Swap the two things", className: "swap", onclick: swapped }, "⇄");
    const reset = h("button", { type: "button", onclick: putBack }, "Put the world’s values back");
    return h("form", { className: "asking theory", onsubmit: (event) => event.preventDefault() }, choice("hypo", "y", "Does y"), swap, choice("hyper", "x", "entail x?"), reset);
  }

  function swapped() {
    const { hypo, hyper, y, x } = situation();
    returnTo = "swap";
    go("theory", { hypo: hyper, hyper: hypo, y: x, x: y });
  }

  function putBack() {
    for (const side of ["hypo", "hyper"]) usualOf(things[side]).forEach((value, i) => sliders[side][i].put(value));
    moved();
  }

  function table() {
    const [y, x] = [`y: ${things.hypo}`, `x: ${things.hyper}`];
    const cell = (side, name, i) => h("div", { className: `knob ${side}` }, h("span", { className: "label" }, name), sliders[side][i].range, sliders[side][i].told);
    const rows = features.map((feature, i) => h("div", { className: "knobs", role: "group", ariaLabel: feature }, h("strong", {}, feature), cell("hypo", y, i), cell("hyper", x, i)));
    const head = h("div", { className: "knobs head", "aria-hidden": "true" }, h("span"), h("span", {}, y), h("span", {}, x));
    return h("section", { className: "card sliders", ariaLabel: "What is known" }, h("div", {}, live, head, rows), reason);
  }

  /** Ask for what the sliders say now; while an answer is on its way, changes wait for it, and only the last is asked. */
  async function refresh() {
    changed = true;
    if (asking) return;
    asking = true;
    while (changed) {
      changed = false;
      try {
        draw(await ask("/api/theory", { hypo: values("hypo"), hyper: values("hyper") }, signal));
      } catch (error) {
        if (signal.aborted) return;
        for (const stale of [live, reason]) stale.replaceChildren();
        results.replaceChildren(trouble(error));
      }
    }
    asking = false;
  }

  function draw(found) {
    const paper = found.operators.filter((row) => PAPER.includes(row.operator));
    const others = found.operators.filter((row) => !PAPER.includes(row.operator));
    compared.replaceChildren(
      h("p", {}, "Similarity does not know a direction, and the difference only knows how much is known in all. The cosines divide by lengths, so no feature has a share of its own."),
      scores(others, (row) => Math.max(...(row.by_feature ?? []).map(Math.abs))),
    );
    exact(found);
    results.replaceChildren(operators(paper), posterior(found), baselines);
    tellLater(`y entails x: ${percent(found.probability)}, the reverse: ${percent(found.reversed_probability)}`);
  }

  function exact({ probability, reversed_probability, operators: rows }) {
    const [y, x] = things.hypo === things.hyper ? ["y", "x"] : [things.hypo, things.hyper];
    const direction = (letters, first, second, share, kind) => {
      const name = h("span", {}, h("strong", {}, `${first} entails ${second}`), h("span", { className: "faint" }, ` P(${letters})`));
      return h("div", {}, name, h("span", { className: "large" }, percent(share)), bar(share, kind));
    };
    live.replaceChildren(direction("y ⇒ x", y, x, probability, "specific"), direction("x ⇒ y", x, y, reversed_probability, "general"));
    const byFeature = rows.find((row) => row.operator === "factorised").by_feature;
    const worst = byFeature.indexOf(Math.min(...byFeature));
    const breaks = 1 - Math.exp(byFeature[worst]);
    reason.replaceChildren(
      breaks > 0.1
        ? h("span", {}, h("strong", {}, `What breaks it most is “${features[worst]}”`), `: with ${percent(breaks)} that is known of ${x} and not of ${y}. `)
        : h("span", {}, h("strong", {}, "No feature breaks it"), `: none is known of ${x} and not of ${y} with more than ${percent(breaks)}. `),
      "These probabilities are exact: no feature may break it, so what each leaves of the probability is multiplied.",
    );
  }

  function operators(rows) {
    const most = Math.max(1, ...rows.flatMap((row) => row.by_feature.map(Math.abs)));
    return card(
      "What the operators say",
      h(
        "p",
        {},
        "Each stands for the logarithm of that probability, as a sum over features; s is the sigmoid, so that s(Y) is the probability ",
        "that a feature is known of y, and s(−Y) that it is not. A long bar is a feature that breaks the entailment.",
      ),
      h("dl", {}, rows.map(({ operator }) => h("div", {}, h("dt", {}, operator, " ", h("span", { className: "formula" }, FORMULAS[operator])), h("dd", {}, MEANINGS[operator])))),
      scores(rows, () => most, true),
      h(
        "p",
        { className: "small faint" },
        "Forward and backward put a logarithm inside an average, where Jensen’s inequality makes it smaller: they are never above factorised. ",
        "What they gain is that each is an inner product of two vectors, one of y and one of x, which makes search fast.",
      ),
    );
  }

  /** Features down, operators across; the bars of a column are as long as its share of `most(row)`. */
  function scores(rows, most, asProbability = false) {
    const cell = (row, k) => {
      const value = row.by_feature?.[k];
      return value === undefined ? h("td", {}, "–") : h("td", {}, signed(value), bar(Math.abs(value) / (most(row) || 1), value < 0 ? "no" : "yes"));
    };
    const line = (name, content, className = "") => h("tr", { className }, h("th", { scope: "row" }, name), rows.map(content));
    const small = (text) => (asProbability ? h("span", { className: "faint small" }, text) : null);
    const total = (score) => h("td", {}, h("strong", {}, signed(score)), small(percent(Math.exp(score))));
    return h(
      "table",
      { className: "scores" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "feature"), rows.map(({ operator }) => h("th", { scope: "col" }, NAMES[operator] ?? operator)))),
      h("tbody", {}, features.map((feature, k) => line(feature, (row) => cell(row, k)))),
      h("tfoot", {}, line(["y ⇒ x", small("e^score")], (row) => total(row.score), "total"), line(["x ⇒ y", small("e^score")], (row) => total(row.reversed_score))),
    );
  }

  function posterior({ prior, exact: truth, mean_field, steps }) {
    const gaps = ["hypo", "hyper"].flatMap((side) => features.map((feature, k) => ({ side, feature, truth: truth[side][k], found: mean_field[side][k] })));
    const far = ({ truth: a, found: b }) => Math.abs(a - b);
    const widest = gaps.reduce((a, b) => (far(b) > far(a) ? b : a));
    const sentence = far(widest) < CLOSE
      ? "Mean-field is as good as exact here: no feature is off by half a percentage point."
      : `Mean-field is off by ${(100 * far(widest)).toFixed(far(widest) < 0.1 ? 1 : 0)} percentage points at most: ${widest.feature} of ${widest.side === "hypo" ? "y" : "x"} is ${percent(widest.found)} and should be ${percent(widest.truth)}.`;
    return card(
      "What follows if y does entail x",
      h(
        "p",
        {},
        "Then y gets what is known of x, and x loses what y lacks. Exact tries all cases. ",
        "Mean-field, which also works with many features and many things, lets each feature of each thing be a number of its own:",
      ),
      h("p", { className: "formula" }, "Y ← Y prior − log s(−X),  X ← X prior + log s(Y)"),
      h("p", { className: "legend" }, KINDS.map((name) => h("span", {}, h("span", { className: `posterior-mark ${name}`, "aria-hidden": "true" }), name))),
      h("div", { className: "both" }, side("hypo", `y: ${things.hypo}`), side("hyper", `x: ${things.hyper}`)),
      h("p", {}, h("strong", {}, sentence), ` It took ${steps} steps.`),
      h(
        "p",
        { className: "small faint" },
        "The two agree where what is known fits the entailment. They part where it is undecided, log-odds near 0, and most where x has ",
        "a feature that y lacks: then probably both have it or none has, and numbers that each stand alone cannot say “both or none”.",
      ),
    );

    function side(name, caption) {
      const header = (text) => h("th", { scope: "col" }, text);
      const plot = (...content) => h("td", { className: "plot", "aria-hidden": "true" }, content);
      const mark = (share, i) => h("span", { className: `posterior-mark ${KINDS[i]}`, style: { left: `${(100 * share).toFixed(1)}%` } });
      const line = (feature, k) => {
        const shares = [prior, truth, mean_field].map((found) => found[name][k]);
        const numbers = shares.map((share) => h("td", {}, percent(share)));
        return h("tr", {}, h("th", { scope: "row" }, feature), plot(h("div", { className: "track" }, shares.map(mark))), numbers);
      };
      const head = h("tr", {}, header("feature"), plot(h("span", {}, "0"), h("span", {}, "100%")), KINDS.map(header));
      return h("table", { className: "posterior" }, h("caption", {}, caption), h("thead", {}, head), h("tbody", {}, features.map(line)));
    }
  }
}

function card(name, ...content) {
  const id = fresh("theory");
  return h("section", { className: "card", "aria-labelledby": id }, h("h2", { id }, name), content);
}
