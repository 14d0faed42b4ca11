// The shell: the address says what is shown, the store holds it, and stages show it.
import { address, besideParam, besideState, goTo, onMove } from "/lib/address.js";
import { space } from "/lib/api.js";
import { box } from "/lib/box.js";
import { copying } from "/lib/copying.js";
import { say } from "/lib/dom.js";
import { equal } from "/lib/document.js";
import { PICTURES, kindOf, viewOf } from "/lib/kinds.js";
import { counted } from "/lib/numbers.js";
import { addressOf, asked } from "/lib/opening.js";
import { Panel } from "/lib/panel.js";
import { Stage } from "/lib/stage.js";
import { store } from "/lib/store.js";
import { undoing } from "/lib/undoing.js";
import { versions } from "/lib/versions.js";
import * as nowhere from "/views/nowhere.js";

const main = document.getElementById("view");
const stage = new Stage(main);
const panel = new Panel(document.getElementById("beside"), main);
let shown = nowhere; // the view on the stage
let turn = 0;
let arriving = Promise.resolve(); // until the document has what the address stands for

/** What the address stands for, into the document and onto the stages. */
async function arrive({ moved, anew = false }) {
  arriving = opened(moved);
  if (await arriving) await draw({ moved, anew });
}

/** What the address stands for, into the document; false if there is no such view, or another address came after it. */
async function opened(moved) {
  turn += 1;
  const mine = turn;
  const params = new URLSearchParams(location.search);
  const kind = kindOf(location.pathname, params);
  describeSpace();
  if (kind === null) {
    showNowhere(moved);
    return false;
  }
  const beside = heldBeside(besideState(params.get("beside")));
  params.delete("beside");
  const held = store.document.states[kind];
  const kept = params.has("kept") ? store.kept(params.get("kept")) : null;
  const back = location.pathname === `/${kind}` && params.size === 0 ? held : null; // to the one that was left
  const same = held && (await addressOf(held)) === address(kind, Object.fromEntries(params)) ? held : null;
  let state = kept ?? back ?? same;
  if (!state) state = (await viewOf(kind)).read(params);
  if (mine !== turn) return false;
  store.open(state, PICTURES.includes(state.kind) ? beside : null);
  return true;
}

/** What was asked for in the box, beside the state of the address and not of the one before. */
async function ask(state) {
  await arriving;
  await asked(state);
}

/** The panel of the address as it was left: the address has its words, and not what was done about them. */
function heldBeside(beside) {
  const held = store.document.beside;
  const same = beside && held && besideParam(beside) === besideParam(held) && beside.kind === held.kind;
  return same ? held : beside;
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
  const slid = panel.hold(beside !== null, beside && (await addressOf(beside)));
  await Promise.all([
    stage.show(view, state, changeState, anew),
    beside ? panel.stage.show(besideView, beside, changeBeside, anew) : panel.stage.clear(),
  ]);
  if (mine !== turn || !moved) return;
  if (slid) panel.focus();
  announce(beside ? besideView.title(beside) : view.title(state));
}

function name(title, kind) {
  document.title = `${title} · entvec`;
  for (const link of document.querySelectorAll(".top nav a")) {
    if (kindOf(link.pathname, new URLSearchParams(link.search)) === kind) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  main.className = kind ? `view-${kind}` : "";
  document.body.dataset.at = kind ?? "nowhere";
}

function announce(title) {
  if (!main.contains(document.activeElement) && !panel.element.contains(document.activeElement)) main.focus();
  say(title);
}

function showNowhere(moved) {
  shown = nowhere;
  name(nowhere.title(), null);
  panel.hold(false);
  panel.stage.clear();
  stage.show(nowhere, { kind: "nowhere" }, () => {}, true);
  if (moved) announce(nowhere.title());
}

function changeState(patch) {
  store.change(patch);
  stage.holds(store.state);
  follow();
}

function changeBeside(patch) {
  store.open(store.state, { ...store.document.beside, ...patch });
  panel.stage.holds(store.document.beside);
  follow();
}

/** The address follows the document. */
async function follow() {
  const { state } = store;
  const there = await addressOf(state, { beside: besideParam(store.document.beside) });
  if (!equal(state, store.state)) return;
  history.replaceState(null, "", there);
  name(shown.title(state), state.kind);
}

/** Links to words and pairs in a picture, or in the panel beside it, lead into the panel. */
function intoPanel(url, link) {
  const inside = main.contains(link) || (panel.element.contains(link) && !link.classList.contains("panel-alone"));
  const kind = kindOf(url.pathname, url.searchParams);
  if (!inside || !PICTURES.includes(store.state.kind) || !["word", "pair"].includes(kind)) return null;
  const words = ["word", "first", "second"].filter((each) => url.searchParams.get(each));
  if (!words.length) return null;
  const state = { kind, ...Object.fromEntries(words.map((each) => [each, url.searchParams.get(each)])) };
  const here = new URLSearchParams(location.search);
  here.set("beside", besideParam(state));
  return `${location.pathname}?${here}`;
}

store.subscribe((document, why) => {
  if (!["undo", "redo", "restore"].includes(why)) return;
  turn += 1;
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
document
  .getElementById("ask")
  .append(box(ask, { label: "Ask about words", placeholder: "a word, a question, a pair, a list or a hierarchy" }));
document.getElementById("tools").append(
  ...undoing(store),
  versions(store),
  copying(async () => {
    const state = store.document.beside ?? store.state;
    return { view: await viewOf(state.kind), state };
  }),
);
panel.onclose = async () => goTo(await addressOf(store.state));
addEventListener("pagehide", () => store.save());
onMove(arrive, intoPanel);
arrive({ moved: false });
