// Why a word entails another, or why not: the reasons in sentences, and the evidence as a waterfall of log-odds.
import { fresh, h } from "/lib/dom.js";
import { signed } from "/lib/numbers.js";
import { arrows, shown } from "/lib/words.js";

const SOURCES = {
  constant: ["start", "few words are what another one is a kind of"],
  vectors: ["vectors", "what the vectors say, less for words that everything entails"],
  facts: ["facts", "what is known of both words"],
  neighbours: ["similar words", "what the words are that are used like the first one"],
  spelling: ["spelling", "what a new word ends in"],
  text: ["texts", "what texts say of the words, and what is used like what they say"],
};
const KINDS = { for: "yes", against: "no", neither: "unknown" };
const SAYS = { for: "for it", against: "against it", neither: "neither" };

/** A card for `reasoning` of /api/explain; nothing if there are no reasons. */
export function reasons({ relation: { first, second }, reasons: found, parts, evidence }) {
  if (!found.length) return "";
  const id = fresh("reasons");
  return h(
    "section",
    { className: "card reasons", "aria-labelledby": id },
    h("h2", { id }, "Why: what speaks for it and against it"),
    h(
      "ul",
      {},
      found.map(({ side, text }) =>
        h(
          "li",
          {},
          h("span", { className: `said ${KINDS[side]}` }, SAYS[side]),
          h("span", { className: "sentence" }, `${arrows(text)}.`),
        ),
      ),
    ),
    parts.length ? waterfall(parts, evidence) : null,
    parts.length
      ? h(
          "p",
          { className: "small faint" },
          `In log-odds: the sum ranks ${shown(second)} among all that ${shown(first)} may be a kind of. `,
          "The probability above weighs the same evidence for this pair alone.",
        )
      : null,
  );
}

/** A table with a bar for each source, from where the sum was to where it is then. */
function waterfall(parts, evidence) {
  const sums = [0];
  for (const { log_odds: step } of parts) sums.push(sums.at(-1) + step);
  const [least, most] = [Math.min(...sums), Math.max(...sums)];
  const place = (sum) => (100 * (sum - least)) / (most - least || 1);
  const bar = (from, to, kind) =>
    h(
      "span",
      { className: "fall", "aria-hidden": "true" },
      h("span", { className: "zero", style: { left: `${place(0)}%` } }),
      h("span", {
        className: `step ${kind}`,
        style: { left: `${place(Math.min(from, to))}%`, width: `${Math.abs(place(to) - place(from))}%` },
      }),
    );
  const kindOf = (step) => (step < 0 ? "no" : "yes");
  const row = ([name, meaning], cell, number, className = "") =>
    h(
      "tr",
      { className },
      h("th", { scope: "row" }, name, h("span", { className: "faint small under" }, meaning)),
      h("td", { className: "falls" }, cell),
      h("td", { className: "number" }, number),
    );
  return h(
    "table",
    {},
    h("caption", {}, "What each source adds to the evidence"),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col" }, "source"),
        h("td", {}),
        h("th", { scope: "col", className: "number" }, "adds"),
      ),
    ),
    h(
      "tbody",
      {},
      parts.map(({ source, log_odds: step }, i) =>
        row(SOURCES[source], step ? bar(sums[i], sums[i + 1], kindOf(step)) : null, step ? signed(step) : "nothing"),
      ),
      row(["evidence", "the sum"], bar(0, evidence, kindOf(evidence)), signed(evidence), "answer"),
    ),
  );
}
