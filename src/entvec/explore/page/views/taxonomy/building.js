// Build: paste words, see their hierarchy, correct it, see what else changes.
import { Refused } from "/lib/api.js";
import { address, go, settle } from "/lib/address.js";
import { fresh, h, say } from "/lib/dom.js";
import { counted } from "/lib/numbers.js";
import { askPatiently } from "/lib/patience.js";
import { trouble } from "/lib/trouble.js";
import { chosenPanel } from "/views/taxonomy/chosen.js";
import * as corrections from "/views/taxonomy/corrections.js";
import { exporting } from "/views/taxonomy/exporting.js";
import { buildForm } from "/views/taxonomy/form.js";
import { LOST, kept, recalled } from "/views/taxonomy/keeping.js";
import { problemOf, wordsOf } from "/views/taxonomy/listing.js";
import { movedBetween } from "/views/taxonomy/rows.js";
import { saidCard } from "/views/taxonomy/said.js";
import { NO_EDGES, story, unknown } from "/views/taxonomy/telling.js";
import { isWeak, tree } from "/views/taxonomy/tree.js";

const LEAST = 0.5; // what the server takes by itself

/** The parameters of the address of a state. */
export function paramsOf({ words, shape = "tree", least = LEAST, add = false, root = "", said = [] }, key) {
  const params = {
    words: words.join("\n"),
    shape: shape === "tree" ? "" : shape,
    least: least === LEAST ? "" : least,
    add: add ? 1 : "",
    root,
    said: corrections.written(said),
  };
  return kept(params, key);
}

function stateOf(params) {
  const text = params.get("words") ?? "";
  const least = Number(params.get("least") ?? LEAST);
  return {
    words: text.includes("\n") ? text.split("\n").filter(Boolean) : wordsOf(text),
    shape: params.get("shape") === "dag" ? "dag" : "tree",
    least: least >= 0 && least <= 1 ? least : LEAST,
    add: params.has("add"),
    root: params.get("root") ?? "",
    said: corrections.read(params.get("said") ?? ""),
  };
}

export async function show(root, params, signal, left) {
  const found = recalled(params);
  let state = stateOf(found ?? new URLSearchParams());
  let taxonomy = null;
  const past = state.said.map((_, i) => state.said.slice(0, i)); // what was said before each correction
  const future = [];
  let turn = Promise.resolve();
  let key = params.get("kept");
  let ready = false; // for corrections and changes of options

  const results = h("div", { className: "tax-result" });
  root.append(
    h("h1", {}, "Build a taxonomy"),
    state.words.length ? "" : introduction(),
    found === null ? trouble(LOST) : "",
    buildForm(state, { build, changed }),
    results,
  );
  keep();
  if (!state.words.length) return;
  if (problemOf(state.words)) {
    results.append(trouble(new Refused({ kind: "limit", message: problemOf(state.words) })));
    return;
  }

  const notes = h("div");
  const problem = h("div");
  const heading = h("h2", { id: fresh("tree") }, "Every word is compared with every other…");
  const change = h("p", { className: "tax-change", hidden: true });
  const [undo, redo] = [
    h("button", { type: "button", title: "Ctrl+Z", onclick: () => queue(undone) }, "Undo"),
    h("button", { type: "button", title: "Ctrl+Shift+Z", onclick: () => queue(redone) }, "Redo"),
  ];
  const listed = saidCard((each) => queue(() => correct(state.said.filter((other) => other !== each))));
  const drawing = tree({
    label: "The hierarchy",
    compare: (a, b) => a.localeCompare(b, "en"),
    marks: ({ term, edge }) => [
      ...(taxonomy.added.includes(term) ? [{ text: "added", kind: "added" }] : []),
      ...(isWeak(edge) ? [{ text: "unsure", kind: "unsure" }] : []),
    ],
    choose: (row) => panel.update(row, taxonomy),
    move: (row, parent) => move(row.term, parent, row.edge?.hyper ?? null),
    forbid: (row) => forbid(row.term, row.edge.hyper),
    act: () => panel.focus(),
  });
  const panel = chosenPanel({
    keep: (word, parent) => move(word, parent, null),
    forbid,
    move,
    leave: () => drawing.focus(drawing.current()?.term),
  });
  const side = h("div", { className: "tax-side" }, panel.element, listed.element);
  const picture = h(
    "section",
    { className: "card tax-picture", "aria-labelledby": heading.id },
    h("div", { className: "tax-head" }, heading, h("span", { className: "tax-line" }, undo, redo)),
    help(),
    problem,
    change,
    drawing.element,
    h(
      "p",
      { className: "faint small" },
      "Probabilities here take the whole list into account, so they differ from those of a pair alone.",
    ),
  );
  results.append(notes, picture, side);
  document.addEventListener("keydown", pressed, { signal });
  ready = true;

  await queue(load);
  if (!signal.aborted) side.append(await exporting(() => exported(taxonomy), signal));

  // What a person does, one thing after the other: each is meant for what the one before has led to.

  function queue(step) {
    const before = turn.catch(() => {}); // whoever waits for it has been told
    turn = before.then(() => (signal.aborted ? null : step()));
    return turn;
  }

  function build(words) {
    const gone = new Set(state.words.filter((word) => !words.includes(word)));
    const said = state.said.filter(
      ({ word, parent, instead }) => ![word, parent, instead].some((each) => gone.has(each)),
    );
    go("taxonomy", paramsOf({ ...state, words, said }));
  }

  function changed(options) {
    if (signal.aborted) return; // a slider tells it a moment later
    state = { ...state, ...options };
    if (!ready) return;
    keep();
    queue(load);
  }

  function move(word, parent, old) {
    queue(() =>
      correct(corrections.moved(state.said, { word, parent, old, edges: taxonomy.edges, shape: state.shape }), word),
    );
  }

  function forbid(word, parent) {
    queue(() => correct(corrections.forbidden(state.said, { word, parent }), word));
  }

  async function correct(said, word) {
    const before = state.said;
    if (await infer(said, word)) {
      past.push(before);
      future.length = 0;
      marks();
    }
  }

  function undone() {
    return stepped(past, future);
  }

  function redone() {
    return stepped(future, past);
  }

  async function stepped(from, to) {
    const [said, before] = [from.at(-1), state.said];
    if (!said || !(await infer(said))) return;
    from.pop();
    to.push(before);
    marks();
  }

  function pressed(event) {
    const typing = event.target.closest?.("textarea, input[type=text]");
    if (typing || !(event.ctrlKey || event.metaKey) || event.altKey) return;
    const key = event.key.toLowerCase();
    const step = (key === "z" && event.shiftKey) || key === "y" ? redone : key === "z" ? undone : null;
    if (!step) return;
    event.preventDefault();
    queue(step);
  }

  // Asking and showing

  async function load() {
    try {
      draw(await asked(state.said));
    } catch (error) {
      if (signal.aborted) return;
      const told = trouble(error, (meant) => build(state.words.map((word) => (word === error.word ? meant : word))));
      if (taxonomy) problem.replaceChildren(told);
      else results.replaceChildren(told);
    }
  }

  async function asked(said) {
    picture.setAttribute("aria-busy", "true");
    try {
      return await request(state, said, signal);
    } finally {
      picture.removeAttribute("aria-busy");
    }
  }

  /** Think it over with these corrections; those that cannot be are taken back. Whether they stay. */
  async function infer(said, word = null) {
    const before = taxonomy;
    let answer;
    try {
      answer = await asked(said);
    } catch (error) {
      if (signal.aborted) return false;
      const told = trouble(error);
      told.append(h("p", {}, "This correction was taken back."));
      problem.replaceChildren(told);
      change.hidden = true;
      return false;
    }
    state = { ...state, said };
    keep();
    draw(answer, before, word);
    return true;
  }

  function draw(answer, before = null, word = null) {
    const moves = before ? movedBetween(before, answer) : [];
    const within = side.contains(document.activeElement);
    taxonomy = answer;
    if (!picture.isConnected) results.replaceChildren(notes, picture, side); // in the place of an error
    problem.replaceChildren();
    notes.replaceChildren(unknown(answer.unknown.map((each) => each.word)));
    heading.textContent = `${counted(answer.terms.length, "word")}, ${counted(answer.edges.length, "edge")}`;
    change.hidden = !before;
    if (before) {
      change.textContent = story(moves, word);
      say(change.textContent);
    } else if (!answer.edges.length) {
      change.hidden = false;
      change.textContent = NO_EDGES;
    }
    drawing.update(answer, new Set(moves.map(({ term }) => term)));
    if (panel.element.hidden === false) panel.update(drawing.current(), answer);
    marks();
    if (within) drawing.focus(word ?? drawing.current()?.term);
  }

  function marks() {
    undo.ariaDisabled = String(!past.length);
    redo.ariaDisabled = String(!future.length);
    listed.update(state.said);
  }

  function keep() {
    const now = state.words.length ? paramsOf(state, key) : {};
    key = now.kept ?? key;
    if (found !== null) settle("taxonomy", now);
    left(address("taxonomy", now));
  }
}

function introduction() {
  return h(
    "p",
    {},
    "Give a list of words. Each is put under the word of the list that it most probably entails: ",
    h("em", {}, "poodle"),
    " under ",
    h("em", {}, "dog"),
    ", and that under ",
    h("em", {}, "animal"),
    ". A first draft has mistakes. Correct them: drag a word onto another, and the rest is worked out again.",
  );
}

function help() {
  const keys = " By keyboard: arrows choose a word, Enter moves it, Delete forbids, Ctrl+Z undoes.";
  return h(
    "p",
    { className: "faint small" },
    "Drag a word onto another to move it there; × says: not under this parent.",
    h("span", { className: "with-keys" }, keys),
  );
}

function request({ words, shape, least, add, root }, said, signal) {
  const pairs = corrections.pairs(said);
  if (pairs.entails.length > corrections.MOST || pairs.not_entails.length > corrections.MOST) {
    throw new Refused({
      kind: "limit",
      message: `More than ${corrections.MOST} corrections are too many for this page. Undo some that are not needed.`,
    });
  }
  return askPatiently("/api/taxonomy/build", { words, shape, least, add, root: root || null, ...pairs }, signal);
}

/** A taxonomy as /api/taxonomy/convert takes it. */
function exported({ terms, edges, denied }) {
  return { terms, edges: edges.map(({ hypo, hyper, probability }) => ({ hypo, hyper, probability })), denied };
}
