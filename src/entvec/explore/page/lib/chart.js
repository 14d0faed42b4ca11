// A map that a person moves about in: the drawing in its frame, and a card with what can be done about a word.
import { h, s } from "/lib/dom.js";
import { arranged, drawn, neighbour } from "/lib/layered.js";
import { percent } from "/lib/numbers.js";
import { panning } from "/lib/panning.js";
import { shown } from "/lib/words.js";

const MOVING = 380; // milliseconds in which words go to their new places
const GAP = 8; // pixels around a card

/** What a node is a kind of, or a kind of it: [hypo, hyper]; the other one is the asked word that it is nearest to. */
export function pairOf({ id, kind, near }) {
  return kind === "above" ? [near, id] : [id, near];
}

function labelOf({ text, kind, near, probability }) {
  if (near === null) return text;
  return [text, `${kind} ${shown(near)}`, probability === null ? null : percent(probability)]
    .filter(Boolean)
    .join(", ");
}

/**
 * Puts a map into `place`. Nodes are { id, text, kind, near, probability }; `waysOf(node)` are the buttons and links of
 * the card of a node. Words that `before`, another chart, has too go from their places there to those here.
 */
export function chart(place, { nodes, edges }, { label, describedBy, waysOf, before, signal }) {
  const ending = new AbortController();
  const during = { signal: AbortSignal.any([signal, ending.signal]) };
  const svg = s("svg", {
    class: "chart-drawing",
    role: "group",
    tabindex: "0",
    "aria-label": label,
    "aria-describedby": describedBy,
  });
  const frame = h("div", { className: "chart" }, svg, tools());
  place.replaceChildren(frame);
  const graph = arranged(nodes, edges, { width: svg.clientWidth, height: svg.clientHeight });
  const { element, buttons, trace } = drawn(graph, labelOf);
  svg.append(element);
  let opened = null;
  current(nodes[0].id);
  listen(); // first: a key that a node takes is not one that moves the map
  const pan = panning(svg, element, graph, { ...during, moved: () => opened?.follow() });
  if (before && !matchMedia("(prefers-reduced-motion: reduce)").matches) arrive(before);
  return { frame, graph, element, view: pan.view, focus, end: () => ending.abort() };

  function tools() {
    const tool = (name, sign, onclick) => h("button", { type: "button", title: name, ariaLabel: name, onclick }, sign);
    return h(
      "div",
      { className: "chart-tools", role: "group", ariaLabel: "Size of the map" },
      tool("Enlarge", "+", () => pan.enlarge()),
      tool("Make smaller", "−", () => pan.reduce()),
      tool("Show the whole map", "⤢", () => pan.fit()),
    );
  }

  /** The one node that the tab key comes to; arrows lead to the others. */
  function current(id) {
    for (const [each, button] of buttons) button.setAttribute("tabindex", each === id ? "0" : "-1");
  }

  function focus(id) {
    buttons.get(id)?.focus({ preventScroll: true });
  }

  function listen() {
    let over = null;
    const idOf = (event) => event.target.closest(".node")?.dataset.id ?? null;
    const on = (kind, listener) => svg.addEventListener(kind, (event) => listener(idOf(event), event), during);
    const hover = (id) => {
      if (id !== over) trace(id ?? opened?.id ?? null);
      over = id;
    };
    on("pointermove", (id, event) => event.pointerType !== "touch" && hover(id));
    on("pointerleave", () => hover(null));
    on("focusout", () => trace(opened?.id ?? null));
    on("focusin", (id, event) => {
      if (id === null) return;
      current(id);
      trace(id);
      if (event.target.matches(":focus-visible")) pan.reveal(graph.places.get(id)); // nothing moves under a pointer
    });
    on("click", (id) => (id === null ? opened?.close() : open(id)));
    on("keydown", (id, event) => {
      if (id === null || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "Enter" || event.key === " ") open(id);
      else if (event.key.startsWith("Arrow")) focus(neighbour(graph.places, id, event.key));
      else return;
      event.preventDefault();
    });
    document.addEventListener("pointerdown", (event) => frame.contains(event.target) || opened?.close(), during);
  }

  function open(id) {
    opened?.close();
    const node = nodes.find((each) => each.id === id);
    const card = h(
      "div",
      {
        className: "chart-card",
        role: "dialog",
        ariaLabel: node.text,
        onkeydown: (event) => event.key === "Escape" && close({ back: true }),
        onfocusout: left,
      },
      h("p", { className: "chart-card-name" }, node.text),
      told(node),
      h("div", { className: "chart-card-ways" }, waysOf(node)),
    );
    opened = { id, close, follow };
    buttons.get(id).setAttribute("aria-expanded", "true");
    frame.append(card);
    follow();
    card.querySelector("button, a").focus({ preventScroll: true });
    trace(id);

    function left({ relatedTarget }) {
      if (relatedTarget !== null && !card.contains(relatedTarget)) close();
    }

    function close({ back = false } = {}) {
      if (opened?.id !== id) return;
      opened = null;
      buttons.get(id).removeAttribute("aria-expanded");
      trace(null);
      if (back) focus(id);
      card.remove();
    }

    /** Beside the word, or below or above it where there is no room, and never outside of the frame. */
    function follow() {
      const { x, y, width, height } = graph.places.get(id);
      const { view } = pan;
      const [middle, line] = [view.x + x * view.scale, view.y + y * view.scale];
      const [aside, apart] = [(width / 2) * view.scale + GAP, (height / 2) * view.scale + GAP];
      const [wide, high] = [frame.clientWidth - card.offsetWidth - GAP, frame.clientHeight - card.offsetHeight - GAP];
      let [left, top] = [middle - card.offsetWidth / 2, line + apart];
      if (middle + aside <= wide) [left, top] = [middle + aside, line - card.offsetHeight / 2];
      else if (middle - aside - card.offsetWidth >= GAP)
        [left, top] = [middle - aside - card.offsetWidth, line - card.offsetHeight / 2];
      else if (top > high) top = line - apart - card.offsetHeight;
      card.style.left = `${Math.round(Math.max(GAP, Math.min(wide, left)))}px`;
      card.style.top = `${Math.round(Math.max(GAP, Math.min(high, top)))}px`;
    }
  }

  function arrive({ graph: old, view: then }) {
    const { view: now } = pan;
    const timing = { duration: MOVING, easing: "ease-in-out" };
    const appear = [{ opacity: 0 }, { opacity: 0, offset: 0.6 }, { opacity: 1 }];
    element.firstChild.animate(appear, timing);
    for (const [id, button] of buttons) {
      const [was, is] = [old.places.get(id), graph.places.get(id)];
      if (!was) {
        button.animate(appear, timing);
        continue;
      }
      const x = (was.x * then.scale + then.x - now.x) / now.scale;
      const y = (was.y * then.scale + then.y - now.y) / now.scale;
      button.animate(
        [{ transform: `translate(${x}px, ${y}px)` }, { transform: `translate(${is.x}px, ${is.y}px)` }],
        timing,
      );
    }
  }
}

function told(node) {
  if (node.near === null) return h("p", {}, "The map is drawn around this word.");
  const [hypo, hyper] = pairOf(node).map(shown);
  return h(
    "p",
    {},
    `${hypo} is a kind of ${hyper}`,
    node.probability === null ? "." : [": ", h("strong", {}, percent(node.probability))],
  );
}
