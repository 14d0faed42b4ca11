// What a person decides about a list: pure functions from a state of the document to fields of the next one.
//
// `entails` are pairs [word, parent] that hold, `not_entails` pairs that do not, `roots` words that stay on top.
import { equal } from "/lib/document.js";
import { joined } from "/lib/several.js";
import { shown } from "/lib/words.js";

export const MOST = 300; // words of a list, and pairs that hold or do not

/** The decisions of a state that anyone may have written. */
export function decisionsOf(state) {
  const pairs = (found) => (Array.isArray(found) ? found.filter(isPair) : []);
  const words = Array.isArray(state.roots) ? state.roots.filter((word) => typeof word === "string" && word) : [];
  return { entails: pairs(state.entails), not_entails: pairs(state.not_entails), roots: words };
}

function isPair(pair) {
  return Array.isArray(pair) && pair.length === 2 && pair.every((word) => typeof word === "string" && word);
}

/** Decisions as fields of a state: what is empty is left out. */
export function fields({ entails, not_entails, roots }) {
  const some = (list) => (list.length ? list : undefined);
  return { entails: some(entails), not_entails: some(not_entails), roots: some(roots) };
}

export function anyOf({ entails, not_entails, roots }) {
  return entails.length + not_entails.length + roots.length > 0;
}

const without = (pairs, ...others) => pairs.filter((pair) => !others.some((other) => equal(pair, other)));

/**
 * Put a word under another; `old` is the parent that it leaves. A word with one parent leaves the old one by itself.
 * One with several would stay there, too, so that is denied, unless it follows from the new place.
 */
export function moved(decisions, { word, parent, old = null, edges, several = false }) {
  const stays = old !== null && old !== parent && several && !reaches(edges, parent, old);
  return {
    entails: [...without(decisions.entails, [word, parent], [word, old]), [word, parent]],
    not_entails: [...without(decisions.not_entails, [word, parent], [word, old]), ...(stays ? [[word, old]] : [])],
    roots: decisions.roots.filter((each) => each !== word),
  };
}

export function forbidden(decisions, { word, parent }) {
  return {
    ...decisions,
    entails: without(decisions.entails, [word, parent]),
    not_entails: [...without(decisions.not_entails, [word, parent]), [word, parent]],
  };
}

/** Put a word under nothing. */
export function onTop(decisions, word) {
  return {
    ...decisions,
    entails: decisions.entails.filter(([each]) => each !== word),
    roots: [...decisions.roots.filter((each) => each !== word), word],
  };
}

/** The decisions without one of them, as `listed` has it. */
export function takenBack(decisions, { field, value }) {
  return { ...decisions, [field]: decisions[field].filter((each) => !equal(each, value)) };
}

/** All decisions in order: { field, value, text }. */
export function listed(decisions) {
  const of = (field, text) => decisions[field].map((value) => ({ field, value, text: text(value) }));
  return [
    ...of("entails", ([word, parent]) => `${shown(word)} is a kind of ${shown(parent)}`),
    ...of("not_entails", ([word, parent]) => `${shown(word)} is no kind of ${shown(parent)}`),
    ...of("roots", (word) => `${shown(word)} stays on top`),
  ];
}

/** The decisions about these words only; `renamed` gives words other names. */
export function about(decisions, words, renamed = new Map()) {
  const name = (word) => renamed.get(word) ?? word;
  const there = (word) => words.includes(word);
  const pairs = (list) => list.map((pair) => pair.map(name)).filter((pair) => pair.every(there) && pair[0] !== pair[1]);
  return {
    entails: pairs(decisions.entails),
    not_entails: pairs(decisions.not_entails),
    roots: decisions.roots.map(name).filter(there),
  };
}

/** Whether edges lead from one term to the other. */
function reaches(edges, from, to) {
  const above = Map.groupBy(edges, ({ hypo }) => hypo);
  const seen = new Set([from]);
  // The set grows while it is walked.
  for (const term of seen) for (const { hyper } of above.get(term) ?? []) seen.add(hyper);
  return seen.has(to);
}

/** Pairs as a value of an address: the words of one after those of the other. */
export function written(pairs) {
  return joined(pairs.flat());
}

export function read(text) {
  const words = [...text.matchAll(/((?:\\.|[^,\\])*)(?:,|$)/gsu)].map(([, word]) => word.replaceAll(/\\(.)/gsu, "$1").trim());
  return Array.from({ length: words.length >> 1 }, (_, i) => words.slice(2 * i, 2 * i + 2)).filter(isPair);
}
