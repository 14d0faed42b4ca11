// The document: what a person has open and has made, as plain data, and the pure functions that change it.
//
// A document is { at, beside, states }: `states` has the last state of each kind, so that nothing is lost by moving
// between them; `at` is the kind that is shown, `beside` the word or pair in the panel beside it, or null.
//
//   { kind: "start" }
//   { kind: "word", word, context?, against?: [word] }
//   { kind: "pair", first, second }
//   { kind: "map", words: [word], above?, below?, specificity? }
//   { kind: "list", words: [word], parents?: { word: [parent] }, entails?: [[hypo, hyper]], not_entails?: [[..]], .. }
//   { kind: "hierarchy", text, format?, parents?, entails?, not_entails?, .. }
//   { kind: "theory", .. }
//
// Lists and hierarchies are work: what happens to them can be undone. `parents` is what was last shown, which follows
// from the rest and is no step by itself. `entails` and `not_entails` are what the person decided, `roots` the words
// that stay on top; `difference` counts by them. Views may add fields of their own.

export const KINDS = ["start", "word", "pair", "map", "list", "hierarchy", "theory"];
const WORK = ["list", "hierarchy"];
const STEPS = 100; // that can be undone

export function empty() {
  return { at: "start", beside: null, states: { start: { kind: "start" } } };
}

/** The state that is shown. */
export function current(document) {
  return document.states[document.at];
}

/** Show a state, and the word or pair beside it. */
export function opened(document, state, beside = null) {
  return { at: state.kind, beside, states: { ...document.states, [state.kind]: state } };
}

/** Change some fields of the state that is shown. */
export function changed(document, patch) {
  return opened(document, { ...current(document), ...patch }, document.beside);
}

/** The same values, whatever the order of their fields. */
export function equal(one, other) {
  return canonical(one) === canonical(other);
}

function canonical(value) {
  return JSON.stringify(value ?? null, (_, inner) =>
    inner && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** A document out of JSON that anyone may have written; null if it is none. */
export function parsed(text) {
  let found;
  try {
    found = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(found) || !isObject(found.states)) return null;
  const states = Object.fromEntries(
    KINDS.filter((kind) => Object.hasOwn(found.states, kind) && isState(found.states[kind], kind)).map((kind) => [
      kind,
      found.states[kind],
    ]),
  );
  states.start ??= { kind: "start" };
  const beside = ["word", "pair"].find((kind) => isState(found.beside, kind)) ? found.beside : null;
  return { at: Object.hasOwn(states, found.at) ? found.at : "start", beside, states };
}

const REQUIRED = {
  word: (state) => isText(state.word),
  pair: (state) => isText(state.first) && isText(state.second),
  map: (state) => areTexts(state.words),
  list: (state) => areTexts(state.words),
  hierarchy: (state) => isText(state.text),
};
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const isText = (value) => typeof value === "string";
const areTexts = (value) => Array.isArray(value) && value.every(isText);
const isState = (state, kind) =>
  isObject(state) && state.kind === kind && (REQUIRED[kind]?.(state) ?? true) && areOptional(state);

/** Fields that a state may have are of their type, if it has them. */
function areOptional(state) {
  const fits = (names, is) => names.every((name) => (state[name] ?? null) === null || is(state[name]));
  return fits(["words", "against"], areTexts) && fits(["context", "sense", "asked"], isText);
}

/** A value that anyone may have written, if it is a state; else null. */
export function stateOrNull(value) {
  return KINDS.includes(value?.kind) && isState(value, value.kind) ? value : null;
}

/** A history: documents before this one and after it. */
export function began(document) {
  return { past: [], present: document, future: [] };
}

/** The next document. It is a step to undo if work was changed; moving about is none. */
export function next(history, document) {
  if (equal(history.present, document)) return history;
  if (!changedWork(history.present, document)) return { ...history, present: document };
  return { past: [...history.past, history.present].slice(-STEPS), present: document, future: [] };
}

function changedWork(before, after) {
  return WORK.find((kind) => kind in before.states && !equal(made(before.states[kind]), made(after.states[kind])));
}

/** A state without what follows from the rest of it. */
function made({ parents, ...rest } = {}) {
  return rest;
}

export function undone({ past, present, future }) {
  if (!past.length) return { past, present, future };
  return { past: past.slice(0, -1), present: past.at(-1), future: [present, ...future] };
}

export function redone({ past, present, future }) {
  if (!future.length) return { past, present, future };
  const [again] = future;
  const at = changedWork(present, again) ?? again.at; // where the work is that was done again
  return { past: [...past, present], present: { ...again, at }, future: future.slice(1) };
}

/** What became of a list or hierarchy: words that came and went, and whose parents changed, by whose decision. */
export function difference(before, after) {
  const [was, is] = [before?.parents ?? {}, after?.parents ?? {}];
  const [old, now] = [wordsOf(before), wordsOf(after)];
  const moved = now.filter(
    (word) =>
      old.includes(word) && Object.hasOwn(was, word) && Object.hasOwn(is, word) && !sameWords(was[word], is[word]),
  );
  const mine = decided(before, after);
  return {
    added: now.filter((word) => !old.includes(word)),
    removed: old.filter((word) => !now.includes(word)),
    byYou: moved.filter((word) => mine.has(word)),
    byModel: moved.filter((word) => !mine.has(word)),
  };
}

function wordsOf(state) {
  return [...new Set([...(state?.words ?? []), ...Object.keys(state?.parents ?? {})])];
}

function sameWords(one, other) {
  return equal([...one].sort(), [...other].sort());
}

/** Words about whose parents the person decided anything in one state and not in the other. */
function decided(before, after) {
  const words = new Set();
  for (const field of ["entails", "not_entails"]) {
    const [old, now] = [before?.[field] ?? [], after?.[field] ?? []];
    const has = (pairs, pair) => pairs.some((each) => equal(each, pair));
    for (const pair of old) if (!has(now, pair)) words.add(pair[0]);
    for (const pair of now) if (!has(old, pair)) words.add(pair[0]);
  }
  const [old, now] = [before?.roots ?? [], after?.roots ?? []];
  for (const word of [...old, ...now]) if (old.includes(word) !== now.includes(word)) words.add(word);
  return words;
}
