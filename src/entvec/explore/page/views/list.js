// A list of words and the taxonomy that is made of it, to be corrected by hand. `views/taxonomy` has its parts.
import { ask, Refused, space } from "/lib/api.js";
import { h, say } from "/lib/dom.js";
import { counted } from "/lib/numbers.js";
import { askPatiently } from "/lib/patience.js";
import { joined, separated } from "/lib/several.js";
import { trouble } from "/lib/trouble.js";
import { LEAST, built, exported, parentsOf } from "/views/taxonomy/built.js";
import { chosenPanel } from "/views/taxonomy/chosen.js";
import * as decisions from "/views/taxonomy/decisions.js";
import { draggable } from "/views/taxonomy/dragging.js";
import { exporting } from "/views/taxonomy/exporting.js";
import { introduction, listForm } from "/views/taxonomy/form.js";
import { problemOf } from "/views/taxonomy/listing.js";
import { listPicture } from "/views/taxonomy/picture.js";
import { movedBetween } from "/views/taxonomy/rows.js";
import { saidCard, story } from "/views/taxonomy/said.js";
import { conceptsOf, tray } from "/views/taxonomy/tray.js";

export { ways } from "/views/taxonomy/ways.js";

const CONCEPTS = { k: 4, most: 30 }; // concepts of a word, words that are asked about
let left = null; // of the list that was shown last: the taxonomy, where its rows stood, which of them had the focus

export function read(params) {
  const text = params.get("words") ?? "";
  const least = params.has("least") ? Number(params.get("least")) : LEAST;
  const given = {
    words: text.includes("\n") ? text.split("\n").filter(Boolean) : separated(text),
    shape: params.get("shape") === "dag" ? "dag" : undefined,
    least: least >= 0 && least <= 1 && least !== LEAST ? least : undefined,
    add: params.has("add") || undefined,
    root: params.get("root") || undefined,
    lost: params.has("kept") || undefined, // it was too long for the address, and this browser does not have it
    ...decisions.fields({
      entails: decisions.read(params.get("entails") ?? ""),
      not_entails: decisions.read(params.get("not_entails") ?? ""),
      roots: separated(params.get("roots") ?? ""),
    }),
  };
  return { kind: "list", ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) };
}

export function write(state) {
  const { entails, not_entails, roots } = decisions.decisionsOf(state);
  const { shape, least, add, root } = state;
  return {
    words: joined(state.words),
    shape,
    least,
    add: add ? 1 : "",
    root,
    entails: decisions.written(entails),
    not_entails: decisions.written(not_entails),
    roots: joined(roots),
  };
}

export function title({ words }) {
  return words.length ? `A list of ${counted(words.length, "word")}` : "A list";
}

export async function show(root, state, change, { signal }) {
  let now = state;
  let words = null; // of the form
  let taxonomy = null;
  let turn = Promise.resolve();
  const form = listForm({ build, changed: (options) => decide(options) });
  const fold = h("details", { className: "card tax-words" }, h("summary", {}, "Words and options"), form.element);
  const results = h("div", { className: "tax-result" });
  const problem = h("div");
  const picture = listPicture({
    choose: (row) => panel.update(row, taxonomy),
    forbid: (row) => forbid(row.term, row.edge.hyper),
    act: () => panel.focus(),
  });
  const panel = chosenPanel({
    keep: (word, parent) => move(word, parent),
    move,
    forbid,
    top,
    leave: () => picture.focus(panel.current()),
    signal,
  });
  const out = tray({
    choose: (word) => (panel.update({ term: word, edge: null, parents: [] }, taxonomy), panel.focus()),
    move: (word, parent) => move(word, parent),
    respell,
    drop: (word) => build(now.words.filter((each) => each !== word)),
    add: (concept) => build([...now.words, concept]),
    release: (word) => settle((held) => ({ ...held, roots: held.roots.filter((each) => each !== word) }), word),
  });
  const said = saidCard((decision) => settle((held) => decisions.takenBack(held, decision)));
  const side = h("div", { className: "tax-side" }, panel.element, out.element, said.element);
  const heading = h("h1", {}, title(state));
  if (state.lost) problem.append(trouble(LOST));
  root.append(heading, h("p", { className: "tax-lead" }, introduction()), problem, fold, results);
  draggable(results, { told: draggedOnto, drop: dropped });
  arrange();
  if (!now.words.length) return undefined;

  const problemNow = problemOf(now.words);
  if (problemNow) problem.append(trouble(new Refused({ kind: "limit", message: problemNow })));
  else await load();
  return leave;

  function arrange() {
    form.update(now);
    if (words !== now.words) fold.open = !now.words.length;
    words = now.words;
    heading.textContent = title(now);
    root.classList.toggle("unbegun", !now.words.length);
  }

  // What a person does, one thing after the other: each is meant for what the one before has led to.

  function decide(patch, word = null) {
    turn = turn.then(() => (signal.aborted ? null : become({ ...now, ...patch }, patch, word)));
    return turn;
  }

  function settle(change, word) {
    turn = turn.then(() => {
      if (signal.aborted) return null;
      const patch = decisions.fields(change(decisions.decisionsOf(now)));
      return become({ ...now, ...patch }, patch, word);
    });
    return turn;
  }

  function build(words, renamed = new Map()) {
    return decide({ words, lost: undefined, ...decisions.fields(decisions.about(decisions.decisionsOf(now), words, renamed)) });
  }

  function respell(word, meant) {
    const words = [...new Set(now.words.map((each) => (each === word ? meant : each)))];
    build(words, new Map([[word, meant]]));
  }

  function move(word, parent, old = null) {
    const several = now.shape === "dag";
    settle((held) => decisions.moved(held, { word, parent, old, edges: taxonomy.edges, several }), word);
  }

  function forbid(word, parent) {
    settle((held) => decisions.forbidden(held, { word, parent }), word);
  }

  function top(word) {
    settle((held) => decisions.onTop(held, word), word);
  }

  function draggedOnto(from, to) {
    const row = rowAt(from);
    if (!row) return null;
    const is = picture.name(row.term);
    if (to === null) return `${is} is a kind of …`;
    if (to === out.element) return row.edge || row.children ? `${is} stays under nothing` : null;
    const target = rowAt(to)?.term;
    return target && target !== row.term ? `${is} is a kind of ${picture.name(target)}` : null;
  }

  function dropped(from, to) {
    const row = rowAt(from);
    if (row && to === out.element) top(row.term);
    else if (row && rowAt(to)) move(row.term, rowAt(to).term, row.edge?.hyper ?? null); // an answer may have come
  }

  function rowAt(element) {
    if (!out.element.contains(element)) return picture.rowOf(element);
    const term = element.dataset.row;
    return taxonomy.terms.includes(term) ? { term, edge: null, parents: [], children: 0 } : null;
  }

  // Asking and showing

  async function load() {
    try {
      draw(await picture.busy(built(now, signal)));
    } catch (error) {
      if (!signal.aborted) problem.replaceChildren(trouble(error));
      return;
    }
    change({ parents: now.parents });
    if (left) resume();
  }

  /** Think it over; what cannot be is taken back. */
  async function become(next, patch, word) {
    const wrong = problemOf(next.words) || tooMany(next);
    try {
      if (wrong) throw new Refused({ kind: "limit", message: wrong });
      const [before, answer] = [taxonomy, await picture.busy(built(next, signal))];
      now = next;
      draw(answer, before, word);
      change({ ...patch, parents: now.parents });
    } catch (error) {
      if (signal.aborted) return;
      const told = trouble(error);
      if (taxonomy) told.append(h("p", {}, "This was taken back."));
      problem.replaceChildren(told);
      form.update(now);
      picture.story("");
    }
  }

  function draw(answer, before = null, word = null) {
    const moves = before ? movedBetween(before, answer) : [];
    const within = side.contains(document.activeElement);
    taxonomy = answer;
    now = { ...now, parents: parentsOf(answer) };
    arrange();
    problem.replaceChildren();
    if (!picture.element.isConnected) begin();
    picture.update(answer, new Set(moves.map(({ term }) => term)), left?.places);
    picture.story(before ? story(moves, word) : "");
    if (before) say(story(moves, word));
    const held = decisions.decisionsOf(now);
    out.update(answer, held.roots);
    said.update(held);
    if (panel.element.hidden === false) rechoose(word ?? panel.current());
    if (within && !side.contains(document.activeElement)) picture.focus(word ?? panel.current());
    compare(answer, held);
    suggest(answer);
  }

  function begin() {
    results.replaceChildren(picture.element, side);
    const converted = (format) => askPatiently("/api/taxonomy/convert", { taxonomy: exported(taxonomy), format }, signal);
    space().then(({ formats }) => signal.aborted || side.append(exporting(converted, formats, signal)));
  }

  function rechoose(word) {
    const row = picture.current();
    if (row?.term === word) panel.update(row, taxonomy);
    else if (taxonomy.unplaced.some((each) => each.word === word)) panel.update({ term: word, edge: null, parents: [] }, taxonomy);
    else panel.update(row, taxonomy);
  }

  /** What the decisions changed against the model alone. */
  async function compare(answer, held) {
    if (!decisions.anyOf(held)) return;
    try {
      const alone = await built(now, signal, false);
      if (taxonomy === answer) said.compare({ words: now.words, parents: parentsOf(alone) }, now);
    } catch {
      // the comparison is an extra
    }
  }

  /** Concepts that would hold what is unplaced. */
  async function suggest(answer) {
    const words = answer.unplaced.filter(({ known, suggestions }) => known && !suggestions.length).map(({ word }) => word);
    if (!words.length) return;
    try {
      const asked = { words: words.slice(0, CONCEPTS.most), k: CONCEPTS.k, group: true, missing: "nan" };
      out.offer(answer, conceptsOf(await ask("/api/hypernyms", asked, signal), answer.terms));
    } catch {
      // suggestions are an extra
    }
  }

  /** As it was left: after an undo, rows go from where they stood, and the focus is where it was. */
  function resume() {
    const moves = movedBetween(left.taxonomy, taxonomy);
    picture.story(moves.length ? story(moves, null) : "");
    if (left.focus && document.activeElement === document.body) picture.focus(left.focus);
    left = null;
  }

  function leave() {
    if (!taxonomy) return;
    const focus = root.contains(document.activeElement) ? (picture.current()?.term ?? null) : null;
    left = { taxonomy, focus, places: picture.places() };
    setTimeout(() => (left = null), 500); // what comes later is another visit
  }
}

const LOST = new Refused({
  kind: "lost",
  message: "What this address stands for is too long to be in it, and was kept in another browser. Paste it here again.",
});

function tooMany(state) {
  const { entails, not_entails } = decisions.decisionsOf(state);
  if (entails.length <= decisions.MOST && not_entails.length <= decisions.MOST) return "";
  return `More than ${decisions.MOST} decisions are too many for this page. Take back some that are not needed.`;
}
