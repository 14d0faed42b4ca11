// A hierarchy drawn as a tree: the ARIA pattern, with all rows in one list, so that depth costs nothing.
import { h, s } from "/lib/dom.js";
import { percent } from "/lib/numbers.js";
import { bar, shown } from "/lib/words.js";
import { rowsOf } from "/views/taxonomy/rows.js";

const SLIDE = { duration: 300, easing: "ease-out" };
const EVEN = 0.5;
const PIN =
  "M9.5 1.5 14.5 6.5 12.8 7.2 10.6 9.4 10.3 12.6 9 13.9 5.9 10.8 2 14.5 1.5 14 5.2 10.1 2.1 7 3.4 5.7 6.6 5.4 8.8 3.2Z";

/** Whether an edge is one that may as well not be. */
export function isWeak(edge) {
  return edge !== null && !edge.known && edge.probability !== null && edge.probability < EVEN;
}

/**
 * A tree. `label` names it, `name(term)` is what a term is called, `compare` orders those beside each other, and
 * `marks(row)` are words to put beside one, `controls(row)` buttons. `choose(row)` is called when a person goes to a row,
 * `act(row)` by Enter, `keys(event, row)` by other keys: it returns whether it has used one. `general(term)` tells how
 * general a term is, from 0 to 1. Rows of an `editable` tree have a grip to be dragged by; with `forbid(row)` edges can
 * be forbidden.
 */
export function tree({
  label,
  name = shown,
  compare,
  marks = () => [],
  controls = () => null,
  choose = () => {},
  editable = false,
  forbid = null,
  act = null,
  keys = () => false,
  general = () => null,
}) {
  const element = h("div", {
    className: `tax-tree ${editable ? "editable" : ""}`,
    role: "tree",
    "aria-label": label,
    onkeydown: pressed,
    onclick: clicked,
    onfocusin: focused,
  });
  const closed = new Set();
  let taxonomy = { terms: [], edges: [] };
  let rows = [];
  let at = null; // the key of the row that has the focus, or would get it
  let touched = false; // whether a person has been at a row

  const keyOf = (row) => (row.edge && row.again ? `${row.term}\n${row.edge.hyper}` : row.term);
  const elementOf = (key) => [...element.children].find((child) => child.dataset.row === key);
  const rowOf = (child) => rows.find((row) => keyOf(row) === child?.dataset.row);

  /** Draw a taxonomy; `fresh` are the terms to point out, `before` is where rows stood. */
  function update(next, fresh = new Set(), before = places()) {
    const hadFocus = element.contains(document.activeElement);
    taxonomy = next;
    rows = visible(rowsOf(taxonomy, compare));
    at = rows.length ? keyOf(current() ?? rows.find((row) => row.term === at?.split("\n")[0]) ?? rows[0]) : null;
    element.replaceChildren(...rows.map((row) => drawn(row, fresh.has(row.term))));
    if (hadFocus) elementOf(at)?.focus({ preventScroll: true });
    slide(before);
  }

  /** Where rows stand now, by their keys. */
  function places() {
    return new Map([...element.children].map((child) => [child.dataset.row, child.getBoundingClientRect().top]));
  }

  function visible(all) {
    let hiddenBelow = Infinity;
    return all.filter((row) => {
      if (row.depth > hiddenBelow) return false;
      hiddenBelow = closed.has(keyOf(row)) ? row.depth : Infinity;
      return true;
    });
  }

  function slide(before) {
    if (!before.size || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    for (const child of element.children) {
      const by = (before.get(child.dataset.row) ?? NaN) - child.getBoundingClientRect().top;
      if (by) child.animate([{ transform: `translateY(${by}px)` }, { transform: "none" }], SLIDE);
    }
  }

  function drawn(row, isFresh) {
    const { term, edge, depth, children, again } = row;
    const key = keyOf(row);
    const open = !closed.has(key);
    const told = [...(again && !edge?.suggested ? [{ text: "also here" }] : []), ...marks(row)];
    const number =
      edge === null ? "" : edge.known ? "you said so" : edge.probability === null ? "" : percent(edge.probability);
    const heard = [
      name(term),
      edge && `under ${name(edge.hyper)}`,
      number,
      edge?.fact === null && !edge.known && "inferred",
      ...told.map((mark) => mark.text),
      isFresh && "moved",
    ];
    return h(
      "div",
      {
        role: "treeitem",
        className: ["tax-row", isFresh && "fresh", edge?.suggested && "ghost", ...told.map((mark) => `is-${mark.kind}`)]
          .filter(Boolean)
          .join(" "),
        style: { "--depth": String(depth), "--share": String(general(term) ?? Math.max(0, 1 - depth / 6)) },
        tabIndex: key === at ? 0 : -1,
        "data-row": key,
        "aria-level": depth + 1,
        "aria-posinset": row.position,
        "aria-setsize": row.size,
        "aria-selected": String(touched && key === at),
        "aria-expanded": children ? String(open) : null,
        "aria-label": heard.filter(Boolean).join(", "),
      },
      h("span", { className: "guides" }),
      editable ? h("span", { className: "grip", title: "Drag" }) : null,
      h("span", { className: `twisty ${children ? (open ? "open" : "shut") : ""}` }),
      h(
        "span",
        { className: "named" },
        h(
          "span",
          { className: "term specimen" },
          name(term),
          children && !open ? h("span", { className: "faint small" }, ` (${children})`) : null,
        ),
        told.map((mark) => h("span", { className: `tax-mark ${mark.kind ?? ""}` }, mark.text)),
      ),
      edge === null || edge.probability === null
        ? null
        : edge.known
          ? h(
              "span",
              { className: "pin", title: "You said so" },
              s("svg", { viewBox: "0 0 16 16" }, s("path", { d: PIN })),
            )
          : bar(edge.probability, isWeak(edge) ? "weak" : edge.fact === null ? "inferred" : ""),
      h("span", { className: "number" }, number),
      controls(row),
      forbid ? (edge ? forbidding(row) : h("span", { className: "nothing" })) : null,
    );
  }

  function forbidding(row) {
    const text = `Forbid that ${name(row.term)} is a kind of ${name(row.edge.hyper)}`;
    return h(
      "button",
      {
        type: "button",
        className: "forbid",
        tabIndex: -1,
        title: text,
        "aria-label": text,
        onclick: () => (elementOf(keyOf(row)).focus(), forbid(row)),
      },
      "×",
    );
  }

  function clicked(event) {
    const child = event.target.closest("[data-row]");
    const row = rowOf(child);
    if (!row || event.target.closest("button")) return;
    child.focus({ preventScroll: true });
    if (event.target.closest(".twisty") && row.children) toggle(row);
  }

  function focused(event) {
    const child = event.target.closest("[data-row]");
    if (!child || event.target !== child) return;
    point(child);
    choose(rowOf(child));
  }

  function point(child) {
    at = child.dataset.row;
    touched = true;
    for (const each of element.children) {
      each.tabIndex = each === child ? 0 : -1;
      each.setAttribute("aria-selected", String(each === child));
    }
  }

  function toggle(row) {
    const key = keyOf(row);
    if (!closed.delete(key)) closed.add(key);
    update(taxonomy);
    elementOf(key).focus();
  }

  function pressed(event) {
    const child = event.target.closest("[data-row]");
    const row = rowOf(child);
    if (!row || event.target !== child || event.ctrlKey || event.metaKey || event.altKey) return;
    const i = rows.indexOf(row);
    const step = {
      ArrowDown: () => goTo(i + 1),
      ArrowUp: () => goTo(i - 1),
      Home: () => goTo(0),
      End: () => goTo(rows.length - 1),
      ArrowRight: () => (row.children && closed.has(keyOf(row)) ? toggle(row) : row.children ? goTo(i + 1) : null),
      ArrowLeft: () =>
        row.children && !closed.has(keyOf(row))
          ? toggle(row)
          : goTo(rows.findLastIndex((each, j) => j < i && each.depth < row.depth)),
      Enter: () => act?.(row),
      Delete: () => row.edge && forbid?.(row),
    }[event.key];
    if (step) {
      event.preventDefault();
      step();
    } else if (keys(event, row)) {
      event.preventDefault();
    } else if (event.key.length === 1 && event.key !== " ") {
      const fits = (each) => name(each.term).toLowerCase().startsWith(event.key.toLowerCase());
      goTo(rows.indexOf([...rows.slice(i + 1), ...rows.slice(0, i)].find(fits)));
    }
  }

  function goTo(i) {
    if (rows[i]) elementOf(keyOf(rows[i])).focus();
  }

  /** Put the focus on the row of a term, or on the first. */
  function focus(term) {
    const row = rows.find((each) => each.term === term && !each.again) ?? rows[0];
    if (row) elementOf(keyOf(row)).focus();
  }

  /** The row that a person was last at. */
  const current = () => rows.find((row) => keyOf(row) === at) ?? null;

  /** Go to the next row that fits, or the one before, round the end; rows that are folded away are unfolded. */
  function seek(fits, step) {
    closed.clear();
    update(taxonomy);
    const i = rows.findIndex((row) => keyOf(row) === at && touched);
    const order = rows.map((_, j) => (i + step * (j + 1) + 2 * rows.length) % rows.length);
    const next = order.find((j) => fits(rows[j]));
    if (next !== undefined) goTo(next);
  }

  /** Put the focus on the row that a person was last at. */
  const focusAgain = () => elementOf(at)?.focus();

  return { element, update, focus, focusAgain, seek, current, rowOf, places };
}
