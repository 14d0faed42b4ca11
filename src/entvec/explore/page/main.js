// The address says what is shown: each view is a module with a `title` and a `show(place, params, signal)`.
import { onMove } from "/lib/address.js";
import { space } from "/lib/api.js";
import { h, say } from "/lib/dom.js";
import { counted } from "/lib/numbers.js";
import { trouble } from "/lib/trouble.js";
import * as word from "/views/word.js";
import * as pair from "/views/pair.js";
import * as map from "/views/map.js";
import * as taxonomy from "/views/taxonomy.js";
import * as theory from "/views/theory.js";
import * as nowhere from "/views/nowhere.js";

const VIEWS = { word, pair, map, taxonomy, theory };
const root = document.getElementById("view");
let shown = new AbortController();

async function show({ moved }) {
  shown.abort(); // whatever the last view still waits for
  shown = new AbortController();
  const { signal } = shown;
  const name = location.pathname.slice(1) || "word";
  const view = Object.hasOwn(VIEWS, name) ? VIEWS[name] : nowhere;
  const params = new URLSearchParams(location.search);
  document.title = `${view.title(params)} · entvec`;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.pathname === `/${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  root.className = view === nowhere ? "" : `view-${name}`;
  describeSpace();
  const place = h("div"); // its own: what a view writes after it was left is not seen
  root.replaceChildren(place);
  try {
    await view.show(place, params, signal);
  } catch (error) {
    if (!signal.aborted) place.append(trouble(error));
  }
  if (moved && !signal.aborted) {
    if (!root.contains(document.activeElement)) root.focus();
    say(document.title);
  }
}

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
  root.focus();
});
onMove(show);
show({ moved: false });
