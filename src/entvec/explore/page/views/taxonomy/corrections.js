// What a person says of a hierarchy. Pure functions: a correction is never changed, a list of them neither.
import { shown } from "/lib/words.js";

export const MOST = 300; // words of a list, and pairs that are known or denied

/** `word` entails `parent`, and not `instead`, if that is given. */
const known = (word, parent, instead = "") => ({ kind: "known", word, parent, instead });
const denied = (word, parent) => ({ kind: "denied", word, parent, instead: "" });

const isOf = (correction, word, parent) => correction.word === word && correction.parent === parent;

/**
 * Put a word under another; `old` is the parent that it leaves. What was said of these edges before is taken back.
 * A word with one parent leaves the old one by itself. One with several would stay there, too, so that is denied,
 * unless it follows from the new place.
 */
export function moved(corrections, { word, parent, old = null, edges, shape }) {
  const outdated = (each) => isOf(each, word, parent) || (each.kind === "known" && isOf(each, word, old));
  const rest = corrections
    .filter((each) => !outdated(each))
    .map((each) => (each.word === word && each.instead === parent ? { ...each, instead: "" } : each));
  const stays = old !== null && old !== parent && shape === "dag" && !reaches(edges, parent, old);
  return [...rest, known(word, parent, stays ? old : "")];
}

export function forbidden(corrections, { word, parent }) {
  return [...corrections.filter((each) => !isOf(each, word, parent)), denied(word, parent)];
}

/** Whether edges lead from one term to the other. */
function reaches(edges, from, to) {
  const above = Map.groupBy(edges, ({ hypo }) => hypo);
  const seen = new Set([from]);
  // The set grows while it is walked.
  for (const term of seen) for (const { hyper } of above.get(term) ?? []) seen.add(hyper);
  return seen.has(to);
}

/** As the server wants them. */
export function pairs(corrections) {
  const entails = corrections.filter((each) => each.kind === "known").map((each) => [each.word, each.parent]);
  const denials = corrections.filter((each) => each.kind === "denied").map((each) => [each.word, each.parent]);
  const left = corrections.filter((each) => each.instead).map((each) => [each.word, each.instead]);
  const once = new Map([...denials, ...left].map((pair) => [JSON.stringify(pair), pair]));
  return { entails, not_entails: [...once.values()] };
}

export function sentence({ kind, word, parent, instead }) {
  const but = instead ? `, not ${shown(instead)}` : "";
  return `${shown(word)} ${kind === "known" ? "entails" : "does not entail"} ${shown(parent)}${but}`;
}

/** Edges as corrections: those to keep are known, those to leave out are denied where nothing else implies them. */
export function taken(kept, leftOut) {
  const implied = ([word, parent]) =>
    reaches(
      kept.map(([hypo, hyper]) => ({ hypo, hyper })),
      word,
      parent,
    );
  return [
    ...kept.map(([word, parent]) => known(word, parent)),
    ...leftOut.filter((pair) => !implied(pair)).map(([word, parent]) => denied(word, parent)),
  ];
}

/** For the address: a correction a line. */
export function written(corrections) {
  return corrections
    .map(({ kind, word, parent, instead }) => [kind, word, parent, instead].join("\t").trimEnd())
    .join("\n");
}

/** What `written` wrote; lines that say nothing are passed over. */
export function read(text) {
  return text
    .split("\n")
    .map((line) => line.split("\t"))
    .filter(([kind, word, parent]) => ["known", "denied"].includes(kind) && word && parent)
    .map(([kind, word, parent, instead = ""]) => ({ kind, word, parent, instead }));
}
