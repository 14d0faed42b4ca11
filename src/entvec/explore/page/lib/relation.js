// The relation of two words: the sentence, a bar for each of the seven probabilities, and the reason.
import { fresh, h } from "/lib/dom.js";
import { percent } from "/lib/numbers.js";
import { arrows, bar, shown } from "/lib/words.js";

const LIKELIEST = 3; // relations that are named where the answer is unknown

/** What each relation says of the two words. */
const MEANINGS = {
  narrower: (y, x) => `${y} is a kind of ${x}`,
  broader: (y, x) => `${x} is a kind of ${y}`,
  same: (y, x) => `${y} is the same as ${x}`,
  sibling: (y, x) => `${y} and ${x} are siblings`,
  part: (y, x) => `${y} is a part of ${x}`,
  whole: (y, x) => `${x} is a part of ${y}`,
  other: () => "something else, or nothing",
};

const SITUATIONS = {
  "both known": "Both words are known.",
  "new word": "Nothing is known of one of the words, so its vector decides.",
  "both new": "Nothing is known of the words, so their vectors decide.",
};

/** A card for the answer of /api/relation to one pair. */
export function related({ pairs: [found], base_rates: rates }) {
  const id = fresh("relation");
  const answered = found.probability !== null;
  return h(
    "section",
    { className: "card relation", "aria-labelledby": id },
    h("h2", { id, className: "plainly" }, sentence(found)),
    h("p", {}, h("strong", {}, "Why: "), arrows(shown(found.reason)), "."),
    found.shared === null ? null : h("p", {}, `Both are a kind of ${shown(found.shared)}.`),
    answered ? probabilities(found) : null,
    answered ? h("p", { className: "small faint" }, `${SITUATIONS[found.situation]} ${assumed(rates)}`) : null,
  );
}

function probabilities(found) {
  const [y, x] = [shown(found.first), shown(found.second)];
  const line = ([name, meaning]) =>
    h(
      "tr",
      { className: name === found.relation ? "answer" : "" },
      h("th", { scope: "row" }, name),
      h("td", { className: "meaning" }, meaning(y, x)),
      h("td", { className: "share" }, bar(found[name], name === found.relation ? "yes" : "")),
      h("td", { className: "number" }, percent(found[name])),
    );
  const titles = ["relation", "it means", "", "probability"];
  return h(
    "table",
    {},
    h("caption", {}, "All that they can be to each other"),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        titles.map((title) => (title ? h("th", { scope: "col" }, title) : h("td", {}))),
      ),
    ),
    h("tbody", {}, Object.entries(MEANINGS).map(line)),
  );
}

function sentence(found) {
  if (found.relation !== "unknown") return `${shown(found.sentence)}.`;
  if (found.probability === null) return "Unknown: there is no evidence.";
  const likeliest = Object.keys(MEANINGS)
    .sort((one, other) => found[other] - found[one])
    .slice(0, LIKELIEST)
    .map((name) => `${name} ${percent(found[name])}`);
  return `Unknown: no relation is sure enough. The likeliest: ${likeliest.join(", ")}.`;
}

function assumed(rates) {
  const shares = Object.entries(rates).map(([name, rate]) => `${name} ${percent(rate)}`);
  return `Of all pairs one asks about, so many are assumed to be: ${shares.join(", ")}.`;
}
