// Pair: does one word entail another, does the other entail it, and why.
import { ask, space } from "/lib/api.js";
import { address, go } from "/lib/address.js";
import { fresh, h } from "/lib/dom.js";
import { FORMULAS, NAMES, PAPER } from "/lib/operators.js";
import { askPatiently } from "/lib/patience.js";
import { known, percent, signed } from "/lib/numbers.js";
import { joined } from "/lib/several.js";
import { reasons } from "/lib/reasons.js";
import { related } from "/lib/relation.js";
import { strip } from "/lib/strip.js";
import { trouble } from "/lib/trouble.js";
import { bar, shown, wordField } from "/lib/words.js";

const EXAMPLES = [
  ["guitar", "instrument"],
  ["physician", "person"],
  ["Paris", "city"],
  ["car", "automobile"],
  ["wheel", "car"],
  ["piano", "banana"],
];
const PRECISION = 0.7;
const TOLD = 50; // dimensions on each side whose words the strip can tell
const LISTED = 6;
const VERDICTS = { yes: "Yes", no: "No", unknown: "Unknown" };

function example([hypo, hyper]) {
  const href = address("pair", { hypo, hyper });
  return h("a", { className: "button chip", href, title: `Does ${hypo} entail ${hyper}?` }, `${hypo} → ${hyper}`);
}

export function title(params) {
  const [hypo, hyper] = [params.get("hypo"), params.get("hyper")];
  return hypo && hyper ? `Does ${shown(hypo)} entail ${shown(hyper)}?` : "Pair";
}

export async function show(root, params, signal) {
  const [hypo, hyper] = [params.get("hypo") ?? "", params.get("hyper") ?? ""];
  const first = wordField({
    label: "Does this",
    value: hypo,
    placeholder: "guitar",
    name: "hypo",
    chosen: () => asked(),
  });
  const second = wordField({
    label: "entail this?",
    value: hyper,
    placeholder: "instrument",
    name: "hyper",
    chosen: () => asked(),
  });
  const swap = h(
    "button",
    {
      type: "button",
      className: "swap",
      ariaLabel: "Swap the two words",
      title: "Swap the two words",
      onclick: swapped,
    },
    "⇄",
  );
  root.append(
    h(
      "form",
      { className: "asking pair", role: "search", onsubmit: asked },
      first.field,
      swap,
      second.field,
      h("button", { className: "main" }, "Show"),
    ),
  );

  /** By the form, or by a word that was chosen: then the other one comes next. */
  function asked(event) {
    event?.preventDefault();
    const empty = [first, second].find(({ input }) => !input.value.trim());
    if (empty && event) empty.miss();
    else if (empty) empty.input.focus();
    else go("pair", { hypo: first.input.value.trim(), hyper: second.input.value.trim() });
  }

  function swapped() {
    [first.input.value, second.input.value] = [second.input.value, first.input.value];
    if (!first.input.value.trim() || !second.input.value.trim()) return;
    asked();
    document.querySelector(".swap").focus(); // that of the new page, so that it can be pressed again
  }

  if (!hypo.trim() || !hyper.trim()) {
    root.prepend(h("h1", {}, "Does one word entail another?"));
    root.append(
      h(
        "p",
        {},
        "One word entails another if whatever is known of the other is known of it: ",
        h("em", {}, "guitar"),
        " entails ",
        h("em", {}, "instrument"),
        ". Give two words to see how sure that is, how sure the reverse is, and why.",
      ),
      h("p", { className: "chips" }, "Try ", EXAMPLES.map(example)),
    );
    (hypo.trim() ? second : first).input.focus();
    return;
  }

  let pairs, relation;
  try {
    const both = [
      [hypo, hyper],
      [hyper, hypo],
    ];
    const knows = (await space()).knowledge !== null;
    const asked = [ask("/api/score", { pairs: both, precision: PRECISION }, signal)];
    if (knows) asked.push(ask("/api/relation", { pairs: [both[0]], precision: PRECISION }, signal));
    const [scored, weighed] = await Promise.allSettled(asked);
    relation = weighed?.value;
    if (scored.reason?.kind === "unknown_word" && relation) {
      const missing = `“${shown(scored.reason.word)}” is known and has no vector, so facts alone decide.`;
      const why = h("div", { className: "why-pair" });
      root.append(
        h("h1", { className: "pair-name" }, title(params)),
        related(relation),
        h("p", { className: "small faint" }, missing),
        why,
      );
      const { reasoning } = await askPatiently("/api/explain", { hypo, hyper, k: 0 }, signal);
      if (reasoning) why.append(reasons(reasoning));
      return;
    }
    for (const { reason } of [scored, weighed ?? scored]) if (reason) throw reason;
    ({ pairs } = scored.value);
  } catch (error) {
    if (!signal.aborted) root.append(trouble(error, corrected(error.word)));
    return;
  }
  const verdicts = h(
    "div",
    { className: "verdicts" },
    pairs.map((pair) => verdict(pair)),
  );
  const why = h("div", { className: "why-pair" }, h("p", { className: "waiting" }, "Looking into the reasons …"));
  const answer = relation ? related(relation) : h("p", { className: "plainly" }, plainly(pairs));
  root.append(heading(pairs), answer, verdicts, reservation(pairs, relation), why);
  try {
    const found = await askPatiently("/api/explain", { hypo, hyper, k: TOLD }, signal);
    if (found.reasoning && !found.carrying.length) return why.replaceChildren(reasons(found.reasoning)); // no vectors
    if (!calibrated(pairs)) verdicts.replaceChildren(...pairs.map((pair, i) => verdict(pair, beaten(found)[i])));
    const { reading } = await space();
    why.replaceChildren(found.reasoning ? reasons(found.reasoning) : "", features(found), operators(found, reading));
  } catch (error) {
    if (signal.aborted) return;
    const next =
      error.kind === "invalid"
        ? h(
            "p",
            {},
            "What is said above holds all the same. ",
            "To see which features decide, start `entvec explore` with another operator.",
          )
        : "";
    why.replaceChildren(h("h2", {}, "Why"), trouble(error), next);
  }

  function corrected(wrong) {
    const other = hyper === wrong && hypo !== wrong ? hypo : null;
    return (meant) => go("pair", { hypo: other ?? meant, hyper: hyper === wrong ? meant : hyper });
  }
}

function calibrated([{ probability }]) {
  return probability !== null;
}

function scored(score) {
  return signed(score, Math.abs(score) < 10 ? 3 : 1); // cosines are all below 1
}

function told({ verdict, probability, score }) {
  return probability === null
    ? `score ${scored(score)}`
    : `${VERDICTS[verdict].toLowerCase()}, ${percent(probability)}`;
}

function heading([there, back]) {
  return h(
    "h1",
    { className: "pair-name" },
    `${shown(there.hypo)} entails ${shown(there.hyper)}: ${told(there)}. The reverse: ${told(back)}.`,
  );
}

/** Both verdicts in a sentence that is right whatever the words are. */
function plainly([there, back]) {
  const [y, x] = [`“${shown(there.hypo)}”`, `“${shown(there.hyper)}”`];
  if (there.hypo === there.hyper) return `Every word entails itself, and this is ${y} twice.`;
  if (there.probability === null)
    return "This space has scores and no probabilities: the higher, the surer, but a score means little by itself.";
  const likelier = there.probability > back.probability ? `${y} entails ${x}` : `${x} entails ${y}`;
  return {
    "yes yes": `Each entails the other: to this space they are nearly the same.`,
    "yes no": `${y} is the more specific word, ${x} the more general one.`,
    "yes unknown": `${y} is the more specific word; whether ${x} entails ${y} too is not sure enough to say.`,
    "no yes": `It is the other way round: ${x} is the more specific word, ${y} the more general one.`,
    "no no": `Neither entails the other.`,
    "no unknown": `${y} does not entail ${x}; whether ${x} entails ${y} is not sure enough to say.`,
    "unknown yes":
      `It is rather the other way round: ${x} entails ${y}; ` +
      `whether ${y} entails ${x} too is not sure enough to say.`,
    "unknown no": `${x} does not entail ${y}; whether ${y} entails ${x} is not sure enough to say.`,
    "unknown unknown": `Neither direction is sure enough to say; that ${likelier} is the likelier one.`,
  }[`${there.verdict} ${back.verdict}`];
}

/** One direction; a space without probabilities shows the share of words that the first one beats. */
function verdict({ hypo, hyper, score, probability, verdict: said }, beats) {
  const id = fresh("direction");
  const name = h(
    "h2",
    { id },
    h("a", { href: address("word", { word: hypo }) }, shown(hypo)),
    " entails ",
    h("a", { href: address("word", { word: hyper }) }, shown(hyper)),
  );
  const rank = () => [
    bar(beats),
    h(
      "p",
      { className: "small faint" },
      `A higher score than ${percent(beats)} of other words in the place of ${shown(hypo)}.`,
    ),
  ];
  const content =
    probability === null
      ? [h("p", { className: "large" }, scored(score)), beats === undefined ? null : rank()]
      : [
          h(
            "p",
            { className: "large" },
            h("span", { className: `said ${said}` }, VERDICTS[said]),
            " ",
            percent(probability),
          ),
          bar(probability, said),
        ];
  return h("section", { className: "card verdict", "aria-labelledby": id }, name, content);
}

function reservation(pairs, relation) {
  const [least, most] = [percent(1 - PRECISION), percent(PRECISION)];
  const rests = relation
    ? "These probabilities weigh all evidence: one word entails another if it is narrower, or the same."
    : "These probabilities rest on the vectors alone, and assume that half of the pairs one asks about are true.";
  const text = calibrated(pairs)
    ? `“Yes” is said from ${most} on and “no” up to ${least}, so that at least ${most} of such verdicts are right; ` +
      `all between is unknown. ${rests}`
    : relation
      ? "Without evidence there is no verdict; a score only compares with others."
      : "The default space of entvec is calibrated, and gives verdicts; " +
        "start `entvec explore` without options to see them.";
  const [{ hypo, hyper }] = pairs;
  return h(
    "p",
    { className: "small faint" },
    text,
    " ",
    h("a", { href: address("map", { words: joined([hypo, hyper]) }) }, "See both words on a map"),
    ".",
  );
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

function beaten({ operators: rows }) {
  const { beats, reversed_beats } = rows.find((row) => row.used);
  return [beats, reversed_beats];
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
