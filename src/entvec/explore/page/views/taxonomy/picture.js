// The picture of a list: its tree, what has just moved, and how to read it.
import { fresh, h } from "/lib/dom.js";
import { counted } from "/lib/numbers.js";
import { shown } from "/lib/words.js";
import { isWeak, tree } from "/views/taxonomy/tree.js";

/** The picture; `choose(row)`, `forbid(row)` and `act(row)` are called by the tree. */
export function listPicture({ choose, forbid, act }) {
  const heading = h("h2", { id: fresh("tree") }, "Every word is compared with every other…");
  const told = h("p", { className: "tax-change", hidden: true });
  let taxonomy = { terms: [], edges: [], added: [], unplaced: [] };
  const drawing = tree({
    label: "The taxonomy",
    compare: (a, b) => a.localeCompare(b, "en"),
    editable: true,
    marks,
    general: (term) => generalityOf(taxonomy, term),
    choose,
    forbid,
    act,
  });
  const element = h(
    "section",
    { className: "card tax-picture", "aria-labelledby": heading.id },
    heading,
    help(),
    told,
    legend(),
    drawing.element,
    h(
      "p",
      { className: "faint small" },
      "Percentages: how surely a word is a kind of the one above it, with the whole list taken into account, ",
      "so they differ from those of a pair alone. A dashed number is inferred from similar words, not known.",
    ),
  );

  function marks({ term, edge }) {
    return [
      ...(taxonomy.added.includes(term) ? [{ text: "added", kind: "added" }] : []),
      ...(isWeak(edge) ? [{ text: "unsure", kind: "unsure" }] : []),
    ];
  }

  /** Draw an answer of /api/taxonomy/build without what is unplaced; `before` is where rows stood. */
  function update(answer, moved, before) {
    taxonomy = answer;
    const out = new Set(answer.unplaced.map(({ word }) => word));
    const terms = answer.terms.filter((term) => !out.has(term));
    const none = "No word of these is surely a kind of another. Lower the least probability, put in words that are more general, or let concepts be added.";
    heading.textContent = terms.length
      ? `${counted(terms.length, "word")} in the tree`
      : "Nothing is in the tree yet";
    drawing.update({ terms, edges: answer.edges }, moved, before);
    if (!terms.length) story(none);
  }

  function story(text) {
    told.hidden = !text;
    told.textContent = text;
  }

  /** What a promise leads to; the picture is busy meanwhile. */
  async function busy(promise) {
    element.setAttribute("aria-busy", "true");
    try {
      return await promise;
    } finally {
      element.removeAttribute("aria-busy");
    }
  }

  const { focus, current, rowOf, places } = drawing;
  return { element, update, story, busy, focus, current, rowOf, places, name: shown };
}

/** How general a term is, from 0 to 1; null if that is not known. */
function generalityOf({ generality }, term) {
  const found = generality?.[term] ?? null;
  if (found === null) return null;
  const most = Math.max(1, ...Object.values(generality).filter((value) => value !== null));
  return found / most;
}

function legend() {
  const end = (kind) => h("span", { className: kind }, kind);
  return h("p", { className: "tax-scale small", "aria-hidden": "true" }, end("general"), h("i"), end("specific"));
}

function help() {
  return h(
    "p",
    { className: "faint small" },
    "Drag a word onto another to move it there; × says: not under this one.",
    h("span", { className: "with-keys" }, " By keyboard: arrows choose a word, Enter moves it, Delete forbids, Ctrl+Z undoes."),
  );
}
