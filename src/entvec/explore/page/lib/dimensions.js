// The dimensions behind a pair, and what every operator makes of it: asked for when somebody opens the details.
import { space } from "/lib/api.js";
import { fresh, h } from "/lib/dom.js";
import { known, percent, signed } from "/lib/numbers.js";
import { FORMULAS, NAMES, PAPER } from "/lib/operators.js";
import { askPatiently } from "/lib/patience.js";
import { strip } from "/lib/strip.js";
import { trouble } from "/lib/trouble.js";
import { bar, shown } from "/lib/words.js";

const TOLD = 50; // dimensions on each side whose words the strip can tell
const LISTED = 6;

/** Details that are asked for when they are opened. */
export function dimensions({ first, second }, signal) {
  const place = h("div", { className: "why-pair" });
  const details = h(
    "details",
    { className: "dimensions", ontoggle: () => details.open && !place.hasChildNodes() && load() },
    h("summary", {}, "Details: every dimension of the vectors, and every operator"),
    place,
  );
  return details;

  async function load() {
    place.append(h("p", { className: "waiting" }, "Looking into the dimensions …"));
    try {
      const found = await askPatiently("/api/explain", { hypo: first, hyper: second, k: TOLD }, signal);
      const { reading } = await space();
      if (found.carrying.length || found.breaking.length)
        place.replaceChildren(features(found), operators(found, reading));
      else
        place.replaceChildren(
          h("p", {}, "One of the words has no vector of its own, so there are no dimensions to compare."),
        );
    } catch (error) {
      if (!signal.aborted) place.replaceChildren(trouble(error));
    }
  }
}

function features(found) {
  const { hypo, hyper, strip: all, carrying, breaking } = found;
  const [y, x] = [shown(hypo), shown(hyper)];
  const id = fresh("features");
  return h(
    "section",
    { className: "card", "aria-labelledby": id },
    h("h2", { id }, `Why: ${all.gain.length} features, one by one`),
    h("p", { className: "small faint" }, "This is what the vectors say, without any other evidence."),
    h(
      "p",
      {},
      "Each column is a feature, one dimension of the vectors; ",
      "the fuller its colour, the surer it is known of the word. ",
      h("strong", {}, `${y} entails ${x} if all that is known of ${x} is known of ${y}`),
      `: a column that is full in both rows speaks for it, one that is full in the row of ${x} only speaks against it.`,
    ),
    strip(found),
    sum(found),
    h(
      "div",
      { className: "sides" },
      side("What speaks most for it", carrying, "yes"),
      side("What speaks most against it", breaking, "no"),
    ),
    h(
      "p",
      { className: "small faint" },
      "Nobody named the features: they were learned from text, ",
      "and the words that have a feature most only hint at what it is about.",
    ),
  );

  function side(name, rows, kind) {
    const most = Math.max(...[...carrying, ...breaking].map((row) => Math.abs(row.gain)));
    const lines = rows
      .slice(0, LISTED)
      .map((row) =>
        h(
          "tr",
          {},
          h("td", { className: "number" }, signed(row.gain), bar(Math.abs(row.gain) / most, kind)),
          h(
            "td",
            {},
            row.words.map(shown).join(", "),
            h(
              "span",
              { className: "faint small under" },
              `known of ${y} ${percent(known(row.hypo))}, of ${x} ${percent(known(row.hyper))}`,
            ),
          ),
        ),
      );
    if (!lines.length) return h("div", {}, h("h3", {}, name), h("p", {}, "Nothing does."));
    const columns = ["adds", "words that have the feature most"];
    return h(
      "table",
      {},
      h("caption", {}, name),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          columns.map((column) => h("th", { scope: "col" }, column)),
        ),
      ),
      h("tbody", {}, lines),
    );
  }
}

/** How the score is made up, in one sentence; a probability of it alone would contradict the verdict. */
function sum({ hypo, score, average, offset, strip: { gain } }) {
  const [more, less] = [gain.filter((each) => each > 0), gain.filter((each) => each < 0)];
  const total = (gains) =>
    signed(
      gains.reduce((a, b) => a + b, 0),
      1,
    );
  return h(
    "p",
    {},
    `An average word in the place of ${shown(hypo)} would score ${signed(average, 1)}. Of its own, `,
    `${shown(hypo)} has ${total(more)} from ${more.length} features and ${total(less)} from ${less.length}`,
    Math.abs(offset) >= 0.05 ? `, and ${signed(offset, 1)} that belongs to no feature` : "",
    `: ${signed(score, 1)} in all.`,
  );
}

function operators({ hypo, hyper, operators: rows }, reading) {
  const id = fresh("operators");
  const [y, x] = [shown(hypo), shown(hyper)];
  const cell = (beats, score, kind) =>
    h(
      "td",
      {},
      h("span", { className: "rank" }, bar(beats, kind), h("span", { className: "number" }, percent(beats))),
      h("span", { className: "faint small score" }, `score ${signed(score)}`),
    );
  const line = (row) =>
    h(
      "tr",
      { className: row.used ? "used" : "" },
      h(
        "th",
        { scope: "row" },
        NAMES[row.operator] ?? row.operator,
        " ",
        h("span", { className: "symbol" }, FORMULAS[row.operator]),
        row.used ? h("span", { className: "tag" }, "used here") : null,
      ),
      cell(row.beats, row.score, "specific"),
      cell(row.reversed_beats, row.reversed_score, "general"),
    );
  const group = (name, members) =>
    h(
      "tbody",
      {},
      h("tr", {}, h("th", { colSpan: 3, scope: "rowgroup", className: "group" }, name)),
      members.map(line),
    );
  return h(
    "section",
    { className: "card operators", "aria-labelledby": id },
    h("h2", { id }, "The operators compared"),
    h(
      "p",
      {},
      "An operator makes a score of two vectors. Scores of different operators do not compare, but ranks do: ",
      "each bar is the share of other words that score lower in the place of the first word.",
    ),
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, "operator"),
          h("th", { scope: "col" }, `${y} entails ${x}`),
          h("th", { scope: "col" }, `${x} entails ${y}`),
        ),
      ),
      group(
        "Entailment",
        rows.filter((row) => PAPER.includes(row.operator)),
      ),
      group(
        "To compare: similarity and size",
        rows.filter((row) => !PAPER.includes(row.operator)),
      ),
    ),
    reading === "mapped"
      ? h(
          "p",
          { className: "small faint" },
          "The learned map reads a word differently as the specific one and as the general one, ",
          "so here even similarities differ by direction.",
        )
      : null,
  );
}
