// The shell: the address says what is shown, the store holds it, and stages show it.
import { address, besideParam, besideState, onMove } from "/lib/address.js";
import { space } from "/lib/api.js";
import { h, say } from "/lib/dom.js";
import { equal } from "/lib/document.js";
import { PICTURES, kindOf, viewOf } from "/lib/kinds.js";
import { counted } from "/lib/numbers.js";
import { Stage } from "/lib/stage.js";
import { store } from "/lib/store.js";
import * as nowhere from "/views/nowhere.js";

const LONGEST = 1_500; // characters of an address; what is longer is kept by the browser
const main = document.getElementById("view");
const panel = document.getElementById("beside");
const stage = new Stage(main);
const side = new Stage(panel.querySelector(".panel-content"), true);
let shown = nowhere; // the view on the stage
let turn = 0;

/** What the address stands for, into the document and onto the stages. */
async function arrive({ moved, anew = false }) {
  turn += 1;
  const mine = turn;
  const params = new URLSearchParams(location.search);
  const kind = kindOf(location.pathname, params);
  describeSpace();
  if (kind === null) return showNowhere(moved);
  const beside = besideState(params.get("beside"));
  params.delete("beside");
  const held = store.document.states[kind];
  const kept = params.has("kept") ? store.kept(params.get("kept")) : null;
  const back = location.pathname === `/${kind}` && params.size === 0 ? held : null; // to the one that was left
  let state = kept ?? back;
  if (!state) state = (await viewOf(kind)).read(params);
  if (mine !== turn) return;
  store.open(state, PICTURES.includes(state.kind) ? beside : null);
  await draw({ moved, anew });
}

/** The document onto the stages. */
async function draw({ moved = false, anew = false } = {}) {
  const mine = turn;
  const { state } = store;
  const { beside } = store.document;
  const view = await viewOf(state.kind);
  const besideView = beside && (await viewOf(beside.kind));
  if (mine !== turn || !equal(state, store.state)) return;
  shown = view;
  name(view.title(state), state.kind);
  panel.hidden = beside === null;
  document.body.classList.toggle("with-panel", beside !== null);
  if (beside === null) side.clear();
  await Promise.all([
    stage.show(view, state, changeState, anew),
    beside && side.show(besideView, beside, changeBeside, anew),
  ]);
  if (moved && mine === turn) announce();
}

function name(title, kind) {
  document.title = `${title} · entvec`;
  for (const link of document.querySelectorAll("nav a")) {
    if (kindOf(link.pathname, new URLSearchParams(link.search)) === kind) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  main.className = kind ? `view-${kind}` : "";
}

function announce() {
  if (!main.contains(document.activeElement) && !panel.contains(document.activeElement)) main.focus();
  say(document.title);
}

function showNowhere(moved) {
  shown = nowhere;
  name(nowhere.title(), null);
  panel.hidden = true;
  side.clear();
  stage.show(nowhere, { kind: "nowhere" }, () => {}, true);
  if (moved) announce();
}

function changeState(patch) {
  store.change(patch);
  stage.holds(store.state);
  follow();
}

function changeBeside(patch) {
  store.open(store.state, { ...store.document.beside, ...patch });
  side.holds(store.document.beside);
  follow();
}

/** The address follows the document. */
async function follow() {
  const { state } = store;
  const { write } = await viewOf(state.kind);
  if (!equal(state, store.state)) return;
  const beside = besideParam(store.document.beside);
  const kind = state.kind === "start" ? "" : state.kind;
  let there = address(kind, { ...write(state), beside });
  if (there.length > LONGEST) there = address(kind, { kept: store.keep(state), beside });
  history.replaceState(null, "", there);
  name(shown.title(state), state.kind);
}

/** A view of the first edition has changed the address by itself. */
function stayed() {
  const params = new URLSearchParams(location.search);
  const beside = besideState(params.get("beside"));
  params.delete("beside");
  const state = shown.read(params);
  store.open(state, beside);
  stage.holds(state);
}

store.subscribe((document, why) => {
  if (!["undo", "redo", "restore"].includes(why)) return;
  follow();
  draw({ moved: true });
});

async function describeSpace() {
  const place = document.getElementById("space");
  try {
    const { words, dimension, operator, reading, knowledge, version } = await space();
    const read = reading === "mapped" ? "learned map" : reading;
    const told = [counted(words, "word"), counted(dimension, "dimension"), read, `operator ${operator}`];
    if (knowledge) told.push(`knows ${knowledge.sources.join(" and ")}`);
    place.textContent = `entvec ${version}: ${told.join(", ")}.`;
  } catch {
    place.textContent = "The server does not answer.";
  }
}

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // an address of its own would draw the view anew, without what was typed there
  main.focus();
});
addEventListener("pagehide", () => store.save());
onMove(arrive, stayed);
arrive({ moved: false });
