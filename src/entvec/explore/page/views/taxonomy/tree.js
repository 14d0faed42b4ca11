// A hierarchy drawn as a tree: the ARIA pattern, with all rows in one list, so that depth costs nothing.
import { h, s } from "/lib/dom.js";
import { percent } from "/lib/numbers.js";
import { bar, shown } from "/lib/words.js";
import { draggable } from "/views/taxonomy/dragging.js";
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
 * `marks(row)` are words to put beside one. `choose(row)` is called when a person goes to a row, `act(row)` by Enter.
 * With `move(row, target)` rows can be dragged, with `forbid(row)` edges can be forbidden.
 */
export function tree({
  label,
  name = shown,
  compare,
  marks = () => [],
  choose = () => {},
  move = null,
  forbid = null,
  act = null,
}) {
  const element = h("div", {
    className: `tax-tree ${move ? "editable" : ""}`,
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

  if (move) {
    draggable(element, {
      told(from, to) {
        const [row, target] = [rowOf(from), rowOf(to)];
        if (!row || row.term === target?.term) return null;
        return `${name(row.term)} entails ${target ? name(target.term) : "…"}`;
      },
      drop(from, to) {
        const [row, target] = [rowOf(from), rowOf(to)];
        if (row && target) move(row, target.term); // another answer may have come meanwhile
      },
    });
  }

  /** Draw a taxonomy; `fresh` are the terms to point out. */
  function update(next, fresh = new Set()) {
    const before = new Map(
      [...element.children].map((child) => [child.dataset.row, child.getBoundingClientRect().top]),
    );
    const hadFocus = element.contains(document.activeElement);
    taxonomy = next;
    rows = visible(rowsOf(taxonomy, compare));
    at = rows.length ? keyOf(current() ?? rows.find((row) => row.term === at?.split("\n")[0]) ?? rows[0]) : null;
    element.replaceChildren(...rows.map((row) => drawn(row, fresh.has(row.term))));
    if (hadFocus) elementOf(at)?.focus({ preventScroll: true });
    slide(before);
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
    const told = [...(again ? [{ text: "also here" }] : []), ...marks(row)];
    const number =
      edge === null ? "" : edge.known ? "you said so" : edge.probability === null ? "" : percent(edge.probability);
    const heard = [
      name(term),
      edge && `under ${name(edge.hyper)}`,
      number,
      ...told.map((mark) => mark.text),
      isFresh && "moved",
    ];
    return h(
      "div",
      {
        role: "treeitem",
        className: `tax-row ${isFresh ? "fresh" : ""} ${told.some((mark) => mark.kind === "doubt") ? "doubt" : ""}`,
        style: { "--depth": String(depth) },
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
      move ? h("span", { className: "grip", title: "Drag" }) : null,
      h("span", { className: `twisty ${children ? (open ? "open" : "shut") : ""}` }),
      h(
        "span",
        { className: "named" },
        h(
          "span",
          { className: "term" },
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
          : bar(edge.probability, edge.doubt ? "no" : isWeak(edge) ? "weak" : ""),
      h("span", { className: "number" }, number),
      forbid ? (edge ? forbidding(row) : h("span", { className: "nothing" })) : null,
    );
  }

  function forbidding(row) {
    const text = `Forbid that ${name(row.term)} entails ${name(row.edge.hyper)}`;
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

  return { element, update, focus, current };
}
