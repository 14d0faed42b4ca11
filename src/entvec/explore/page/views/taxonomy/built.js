// Lists as the server makes them taxonomies. Answers are kept for a while: what is undone is there at once.
import { askPatiently } from "/lib/patience.js";
import { decisionsOf } from "/views/taxonomy/decisions.js";

export const LEAST = 0.5; // what the server takes by itself
const KEPT = 24;
const answers = new Map();

/** The taxonomy of a list; with `decided` as false as the model alone would make it. */
export async function built(state, signal, decided = true) {
  const decisions = decided ? decisionsOf(state) : {};
  const body = {
    words: state.words,
    shape: state.shape ?? "tree",
    least: state.least ?? LEAST,
    add: state.add ?? false,
    root: state.root || null,
    ...decisions,
  };
  const key = JSON.stringify(body);
  const kept = answers.get(key);
  answers.delete(key); // what was asked for last is kept longest
  const answer = kept ?? (await askPatiently("/api/taxonomy/build", body, signal));
  answers.set(key, answer);
  for (const old of [...answers.keys()].slice(0, -KEPT)) answers.delete(old);
  return answer;
}

/** The parents of each term. */
export function parentsOf({ terms, edges }) {
  const above = Map.groupBy(edges, ({ hypo }) => hypo);
  return Object.fromEntries(terms.map((term) => [term, (above.get(term) ?? []).map(({ hyper }) => hyper).sort()]));
}

/** A taxonomy as /api/taxonomy/convert takes it. */
export function exported({ terms, edges, denied }) {
  return { terms, edges: edges.map(({ hypo, hyper, probability }) => ({ hypo, hyper, probability })), denied };
}
