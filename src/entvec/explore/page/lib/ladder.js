// A word on its ladder: what is above it and below it, the general at the top. The longer a bar, the more a word covers.
import { address } from "/lib/address.js";
import { h } from "/lib/dom.js";
import { percent } from "/lib/numbers.js";
import { arrows, shown } from "/lib/words.js";

const SENSE = /, [^,()]*#\d+/g; // names of senses in a reason: rungs have their numbers
const MOST = 10; // the log of how many concepts the most general word covers
const TOLD = {
  facts: ["known", ""],
  text: ["from texts", "inferred"],
  neighbours: ["inferred", "inferred"],
  encoder: ["inferred", "inferred"],
  spelling: ["inferred", "inferred"],
  vectors: ["a guess by the vectors alone", "guess"],
};

/** The ladder of /api/word. */
export function ladder({ word, generality, above, below, senses }) {
  const numbered = senses.length > 1 ? senses.map(({ sense }) => sense) : [];
  const up = [...above]
    .sort(byGenerality)
    .map((found) => rung(found, { first: word, second: found.word }, "general", numbered));
  const down = [...below]
    .sort(byGenerality)
    .map((found) => rung(found, { first: found.word, second: word }, "specific", numbered));
  return h(
    "div",
    { className: "ladder-frame" },
    h("p", { className: "ladder-end general", "aria-hidden": "true" }, "general"),
    h(
      "ol",
      { className: "ladder" },
      up,
      h(
        "li",
        { className: "rung here", "aria-current": "true" },
        scale(generality),
        h("strong", { className: "specimen" }, shown(word)),
        h("span", { className: "number small faint" }, covers(generality)),
      ),
      down,
    ),
    h("p", { className: "ladder-end specific", "aria-hidden": "true" }, "specific"),
  );
}

function byGenerality(one, other) {
  return (other.generality ?? -1) - (one.generality ?? -1) || (other.probability ?? 0) - (one.probability ?? 0);
}

function rung(found, pair, kind, numbered) {
  const [told, style] = TOLD[found.source];
  const text = found.source === "vectors" ? told : `${told}: ${arrows(found.reason ?? "").replaceAll(SENSE, "")}`;
  const sense = numbered.indexOf(found.sense) + 1;
  return h(
    "li",
    { className: `rung ${kind} ${style}` },
    scale(found.generality),
    h(
      "span",
      { className: "rung-word" },
      h(
        "a",
        {
          className: "specimen",
          href: address("word", { word: found.word }),
          title: found.variants.length ? `also ${found.variants.map(shown).join(", ")}` : null,
        },
        shown(found.word),
      ),
      sense ? h("sup", { title: `in sense ${sense}` }, sense) : null,
    ),
    h(
      "a",
      {
        className: "number",
        href: address("pair", pair),
        ariaLabel: `${amount(found)}: why is ${shown(pair.first)} a kind of ${shown(pair.second)}?`,
      },
      amount(found),
    ),
    h("span", { className: "rung-reason" }, text),
  );
}

function amount({ probability, score }) {
  return probability === null && score !== null ? score.toFixed(1) : percent(probability);
}

/** How many known concepts a word covers, as a bar on a scale of logarithms. */
function scale(generality) {
  const share = Math.max(0, Math.min(1, (generality ?? 0) / MOST));
  return h(
    "span",
    { className: `rung-scale ${generality === null ? "new" : ""}`, title: covers(generality), "aria-hidden": "true" },
    h("span", {
      style: { width: `${(100 * share).toFixed(1)}%`, "--share": Math.min(1, (generality ?? 0) / 8).toFixed(3) },
    }),
  );
}

function covers(generality) {
  if (generality === null) return "";
  const n = Math.round(Math.exp(generality));
  return n > 1 ? `covers ${(n - 1).toLocaleString("en")} kinds` : "";
}
