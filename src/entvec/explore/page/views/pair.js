// A pair: what the first word is to the second, the evidence source by source, and known pairs like it.
import { address, goTo } from "/lib/address.js";
import { command, curlOf, python, pythonOf } from "/lib/copying.js";
import { dimensions } from "/lib/dimensions.js";
import { fresh, h } from "/lib/dom.js";
import { percent, signed } from "/lib/numbers.js";
import { askPatiently } from "/lib/patience.js";
import { RELATIONS, assumed, meaning, sentenceOf } from "/lib/relation.js";
import { trouble } from "/lib/trouble.js";
import { waterfall } from "/lib/waterfall.js";
import { arrows, bar, shortened, shown } from "/lib/words.js";

const ANSWERS = { yes: "Yes", no: "No", unknown: "I cannot tell" };
const SAID = { for: "for it", against: "against it", neither: "neither" };
const STYLES = { for: "yes", against: "no", neither: "unknown" };
const ASKED = ["narrower", "same", "part", "whole"]; // relations that a question is about
const DECIDED = 0.7; // as the server does: a surer answer is yes, or no
const GUESSES = [["vectors"], ["spelling"]]; // sources that are weak if nothing else speaks

export function read(params) {
  const [first, second] = ["first", "second"].map(
    (name, i) => params.get(name) ?? params.get(["hypo", "hyper"][i]) ?? "",
  );
  return {
    kind: "pair",
    first: first.trim(),
    second: second.trim(),
    ...(ASKED.includes(params.get("asked")) ? { asked: params.get("asked") } : {}),
  };
}

export const write = ({ first, second, asked }) => ({ first, second, asked });

export function title({ first, second }) {
  return first && second ? `What is ${shortened(first)} to ${shortened(second)}?` : "Two words";
}

export function ways({ first, second }) {
  return {
    command: `${command("entvec", "relation", first, second)}\n${command("entvec", "explain", first, second)}`,
    python: pythonOf(
      `print(space.relation(${python(first)}, ${python(second)}))`,
      `print(space.explain(${python(first)}, ${python(second)}))`,
    ),
    curl: curlOf("/api/pair", { first, second }),
  };
}

export async function show(root, state, change, { signal }) {
  const { first, second } = state;
  if (!first || !second)
    return void root.append(
      h("h1", {}, "Which two words?"),
      h("p", {}, "Type both into the box at the top, as in “wheel : car”."),
    );
  const place = h(
    "div",
    { className: "pair-body" },
    h("h1", { className: "pair-name" }, title(state)),
    h("p", { className: "waiting" }, "Weighing the evidence …"),
  );
  root.append(place);
  try {
    const found = await askPatiently("/api/pair", { first, second }, signal, 0);
    place.replaceChildren(...answered(found, state, signal).filter(Boolean));
  } catch (error) {
    const meant = (word) =>
      goTo(
        address("pair", { first: first === error.word ? word : first, second: second === error.word ? word : second }),
      );
    if (!signal.aborted)
      place.replaceChildren(h("h1", { className: "pair-name" }, title(state)), trouble(error, meant));
  }
}

function answered(found, state, signal) {
  const { relation, waterfall: fall, reasoning, rests_on: sources, analogous, unknown, base_rates: rates } = found;
  const told = relation.probability !== null;
  const main = [
    fall?.parts.length
      ? h(
          "section",
          { className: "card" },
          waterfall(fall, shown(found.first), shown(found.second)),
          h("p", { className: "small faint" }, arithmetic(fall)),
        )
      : null,
    told ? all(relation, rates) : null,
  ];
  const side = [
    reasoning?.reasons.length ? reasons(reasoning.reasons) : null,
    analogous.length ? alike(analogous, relation.relation) : null,
  ];
  return [
    h("div", { className: "pair-answer" }, answer(found, state), doubts(sources, unknown, state), scores(found)),
    h("div", { className: "pair-column" }, main),
    h("div", { className: "pair-column" }, side),
    dimensions(found, signal),
  ];
}

/** What is answered to a question; of the same things, one is a kind of the other, too. */
function verdict({ relation, probability }, asked) {
  const sure = asked === "narrower" ? probability : relation[asked];
  return sure === null ? "unknown" : sure >= DECIDED ? "yes" : sure <= 1 - DECIDED ? "no" : "unknown";
}

function answer(found, { asked }) {
  const { relation, first, second, probability, reversed_probability: back } = found;
  const swapped = address("pair", { first: second, second: first });
  return [
    h("h1", { className: "pair-name" }, name(found, asked)),
    relation.probability === null
      ? h("p", {}, `${arrows(relation.reason)}.`)
      : [
          h("p", { className: "pair-sure" }, surely(relation)),
          h(
            "p",
            { className: "pair-directions" },
            direction(first, second, probability),
            direction(second, first, back),
            h("a", { className: "button chip", href: swapped }, "⇄ Swap"),
          ),
        ],
  ];
}

/** The answer in a sentence; a question has its yes or no first. */
function name(found, asked) {
  const { relation, first, second } = found;
  const link = (word) => h("a", { className: "specimen", href: address("word", { word }) }, shortened(word));
  const said = asked && verdict(found, asked);
  const cannot = asked && relation.relation === "unknown";
  const [left, between, right, after] = sentenceOf(
    cannot ? { relation: asked, first, second } : { ...relation, first, second },
  );
  if (cannot && said === "unknown") return ["I cannot tell whether ", link(left), between, link(right), after, "."];
  const turned = asked === "narrower" && relation.relation === "broader" ? "the other way round: " : null;
  const pill = said ? h("span", { className: `said ${said}` }, ANSWERS[said]) : null;
  return [pill, turned, link(left), between, link(right), after, "."];
}

function surely({ relation, probability, reason, first, second, ...found }) {
  const number = h("strong", { className: "number" }, percent(probability));
  if (relation !== "unknown") return [number, " sure. ", sentenceCase(arrows(reason)), "."];
  const likeliest = RELATIONS.reduce((best, each) => (found[each] > found[best] ? each : best));
  return [
    "No answer is sure enough. The likeliest has ",
    number,
    `: ${meaning(likeliest, first, second)}. `,
    sentenceCase(arrows(reason)),
    ".",
  ];
}

function direction(first, second, probability) {
  return h(
    "span",
    { className: "direction" },
    `${shortened(first)}, a kind of ${shortened(second)}? `,
    h("strong", { className: "number" }, percent(probability)),
  );
}

function sentenceCase(text) {
  return text.includes("→") || text.includes("←") ? `Known: ${text}` : text.charAt(0).toUpperCase() + text.slice(1);
}

/** What the reader should know of an answer that is weak, or of words that nobody knows. */
function doubts(sources, unknown, { first, second }) {
  const weak = GUESSES.some((guess) => guess.join() === sources.join());
  const chip = (row, word) => {
    const pair = { first: first === row.word ? word : first, second: second === row.word ? word : second };
    return h("a", { className: "button chip", href: address("pair", pair) }, shown(word));
  };
  return [
    weak
      ? h(
          "p",
          { className: "notice" },
          `A guess: it rests on ${sources[0]} alone. Nothing that is known or similar speaks for it.`,
        )
      : null,
    unknown
      .filter(({ suggestions }) => suggestions.length)
      .map((row) =>
        h(
          "p",
          { className: "notice" },
          "Did you mean ",
          row.suggestions.flatMap((word, i) => (i ? [" ", chip(row, word)] : [chip(row, word)])),
          "?",
        ),
      ),
  ];
}

function arithmetic({ parts, log_odds: total, probability }) {
  const sum = parts
    .map(({ log_odds: step }, i) => (i ? `${step < 0 ? "−" : "+"} ${Math.abs(step).toFixed(2)}` : signed(step)))
    .join(" ");
  return `${sum} = ${signed(total)}: log-odds of ${signed(total)} are a probability of ${percent(probability)}. What a source adds depends on which others have spoken, so each part is the mean over all orders.`;
}

function reasons(found) {
  const id = fresh("reasons");
  const row = ({ side, text }) =>
    h("li", {}, h("span", { className: `said ${STYLES[side]}` }, SAID[side]), h("span", {}, `${arrows(text)}.`));
  return h(
    "section",
    { className: "reasons", "aria-labelledby": id },
    h("h2", { id }, "Reasons: is the first a kind of the second?"),
    h("ul", {}, found.map(row)),
  );
}

function alike(pairs, relation) {
  const id = fresh("alike");
  const row = ({ first, second, reason }) => {
    const [left, between, right, after] = sentenceOf({ relation, first, second });
    return h(
      "li",
      {},
      h(
        "a",
        { href: address("pair", { first, second }) },
        h("span", { className: "specimen" }, shown(left)),
        between,
        h("span", { className: "specimen" }, shown(right)),
        after,
      ),
      h("span", { className: "small faint" }, arrows(reason)),
    );
  };
  return h(
    "section",
    { "aria-labelledby": id },
    h("h2", { id }, "Known pairs like it"),
    h("ul", { className: "alike" }, pairs.map(row)),
  );
}

function all(found, rates) {
  const line = (name) =>
    h(
      "tr",
      { className: name === found.relation ? "answer" : "" },
      h("th", { scope: "row" }, meaning(name, found.first, found.second)),
      h("td", { className: "share" }, bar(found[name], name === found.relation ? "yes" : "")),
      h("td", { className: "number" }, percent(found[name])),
    );
  const sorted = [...RELATIONS].sort((one, other) => found[other] - found[one]);
  return h(
    "section",
    { className: "relations" },
    h("table", {}, h("caption", {}, "All that they can be to each other"), h("tbody", {}, sorted.map(line))),
    h("p", { className: "small faint" }, assumed(rates, found.situation)),
  );
}

/** The scores, where there are no probabilities. */
function scores({ probability, score, reversed_score: back, first, second }) {
  if (probability !== null || score === null) return null;
  return h(
    "p",
    {},
    `There are scores by the vectors alone: ${shown(first)} to ${shown(second)} ${signed(score)}, ${shown(second)} to ${shown(first)} ${signed(back)}. The higher, the surer is the first a kind of the second; a score means little by itself.`,
  );
}
