// Layered drawings: the general above, the specific below, and lines that lead from the one up to the other.
import { Graph, layout } from "/vendor/dagre.js";
import { s } from "/lib/dom.js";
import { percent } from "/lib/numbers.js";

// Lengths are in pixels of a drawing that is neither enlarged nor made smaller.
const LETTERS = { size: 15, weight: 500, most: 30 };
const BOX = { height: 34, padding: 13 };
const BETWEEN = { nodesep: 14, edgesep: 12, ranksep: 52 };
const MARGIN = 18;
const STEM = { beside: 20, below: 14, bend: 10 }; // of a stem, to whose sides words hang
const ARROW = { length: 8, width: 8 };
const ROWS = [0, 2, 3, 4, 6, 9]; // of words that hang at one stem; 0: all such words stand side by side

/**
 * Places for words and lines, in the shape that is the most legible in a room of this size.
 * Nodes are { id, text, kind }, edges { hypo, hyper, probability }; the edges must not close a circle.
 */
export function arranged(nodes, edges, room) {
  const boxes = measured(nodes);
  let best;
  for (const rows of ROWS) {
    const found = placed(boxes, edges, hanging(edges, rows));
    const scale = Math.min(1, room.width / found.width, room.height / found.height);
    if (!best || scale > best.scale * 1.02) best = { ...found, scale };
    if (scale === 1) break;
  }
  return best;
}

/** Nodes with the text that fits into a box, and its size. */
function measured(nodes) {
  const ruler = document.createElement("canvas").getContext("2d");
  ruler.font = `${LETTERS.weight} ${LETTERS.size}px ${getComputedStyle(document.documentElement).getPropertyValue("--specimen")}`;
  return nodes.map((node) => {
    const letters = [...node.text];
    const short = letters.length > LETTERS.most ? `${letters.slice(0, LETTERS.most - 1).join("")}…` : node.text;
    return { ...node, short, width: Math.ceil(ruler.measureText(short).width) + 2 * BOX.padding, height: BOX.height };
  });
}

/** Edges of words that hang on one other word and on which nothing hangs: as many together as have room at a stem. */
function hanging(edges, rows) {
  const [above, below] = [Map.groupBy(edges, ({ hypo }) => hypo), Map.groupBy(edges, ({ hyper }) => hyper)];
  const stems = [];
  for (const group of rows ? below.values() : []) {
    const leaves = group.filter(({ hypo }) => !below.has(hypo) && above.get(hypo).length === 1);
    const n = Math.ceil(leaves.length / (2 * rows));
    const each = Math.ceil(leaves.length / n);
    if (leaves.length > 2) for (let i = 0; i < leaves.length; i += each) stems.push(leaves.slice(i, i + each));
  }
  return stems;
}

function placed(boxes, edges, stems) {
  const places = new Map(boxes.map((box) => [box.id, { ...box }]));
  const keys = new Map(boxes.map(({ id }, i) => [id, `box ${i}`])); // a word itself might be “constructor”
  const stemOf = new Map(stems.flatMap((stem) => stem.map((edge) => [edge, stem])));
  const hangs = new Set([...stemOf.keys()].map(({ hypo }) => hypo));
  const graph = new Graph().setGraph({ rankdir: "BT", marginx: MARGIN, marginy: MARGIN, ...BETWEEN });
  for (const box of boxes)
    if (!hangs.has(box.id)) graph.setNode(keys.get(box.id), { width: box.width, height: box.height });
  stems.forEach((stem, i) =>
    graph.setNode(`stem ${i}`, sizeOf(stem, places)).setEdge(`stem ${i}`, keys.get(stem[0].hyper), {}),
  );
  for (const edge of edges) if (!stemOf.has(edge)) graph.setEdge(keys.get(edge.hypo), keys.get(edge.hyper), {});
  layout(graph);

  const layers = layersOf(graph);
  // All of a layer stand at its upper edge.
  const top = ({ x, y, height }) => ({ x, y: layers.get(y).top + height / 2 });
  for (const box of boxes) if (!hangs.has(box.id)) Object.assign(places.get(box.id), top(graph.node(keys.get(box.id))));
  stems.forEach((stem, i) => hang(stem, { ...graph.node(`stem ${i}`), ...top(graph.node(`stem ${i}`)) }, places));
  const ways = edges.map((edge) => {
    const stem = stemOf.get(edge);
    const { points } = graph.edge(stem ? `stem ${stems.indexOf(stem)}` : keys.get(edge.hypo), keys.get(edge.hyper));
    // There is a point at each layer that is crossed and one half-way to the next: the former suffice.
    const crossed = points.slice(1, -1).filter((_, i) => i % 2 === 1);
    const [from, to] = [places.get(edge.hypo), places.get(edge.hyper)];
    return {
      ...edge,
      from,
      stem: from.stem ?? null,
      start: { x: from.x, y: from.y - from.height / 2 },
      between: crossed.map(({ x, y }) => ({ x, ...layers.get(y) })),
      end: { x: to.x, y: to.y + to.height / 2, bottom: layers.get(graph.node(keys.get(to.id)).y).bottom },
    };
  });
  const { width, height } = graph.graph();
  return { width, height, places, ways };
}

/** The upper and lower edge of each layer, by where its middle is. */
function layersOf(graph) {
  const layers = new Map();
  for (const { y, height } of graph.nodes().map((key) => graph.node(key))) {
    const half = Math.max(height / 2, layers.has(y) ? layers.get(y).bottom - y : 0);
    layers.set(y, { top: y - half, bottom: y + half });
  }
  return layers;
}

function sizeOf(stem, places) {
  const widest = Math.max(...stem.map(({ hypo }) => places.get(hypo).width));
  const rows = Math.ceil(stem.length / 2);
  return { width: 2 * (widest + STEM.beside), height: rows * (BOX.height + STEM.below) - STEM.below };
}

function hang(stem, { x, y, height }, places) {
  stem.forEach(({ hypo }, i) => {
    const box = places.get(hypo);
    const side = i % 2 ? 1 : -1;
    const row = Math.floor(i / 2);
    Object.assign(box, {
      x: x + side * (STEM.beside + box.width / 2),
      y: y - height / 2 + BOX.height / 2 + row * (BOX.height + STEM.below),
      stem: { x, y: y - height / 2 },
    });
  });
}

/**
 * An arrangement as elements: { element, buttons, trace }. `labelOf(node)` says what a screen reader tells of a node;
 * `trace(id)` shows the paths through a node and how probable its own lines are, `trace(null)` ends that.
 */
export function drawn({ places, ways }, labelOf) {
  const lines = ways.map((way) => ({ ...way, element: line(way) }));
  const buttons = new Map([...places.values()].map((box) => [box.id, boxed(box, labelOf(box))]));
  const numbers = s("g", { class: "numbers", "aria-hidden": "true" });
  const element = s(
    "g",
    { class: "layered" },
    s(
      "g",
      { "aria-hidden": "true" },
      lines.map((each) => each.element),
    ),
    s("g", {}, ...buttons.values()),
    numbers,
  );

  function trace(id) {
    const near = id === null ? null : relatives(id, ways);
    element.classList.toggle("tracing", near !== null);
    for (const [each, button] of buttons) button.classList.toggle("on", near?.nodes.has(each) ?? false);
    for (const each of lines) each.element.classList.toggle("on", near?.covers(each) ?? false);
    const own = lines.filter(
      ({ hypo, hyper, probability }) => id !== null && probability !== null && (hypo === id || hyper === id),
    );
    numbers.replaceChildren(...own.map((each) => numbered(each, each.hypo === id)));
  }

  return { element, buttons, trace };
}

function boxed({ id, kind, text, short, x, y, width, height }, label) {
  return s(
    "g",
    {
      class: `node ${kind}`,
      role: "button",
      tabindex: "-1",
      "aria-label": label,
      "data-id": id,
      transform: `translate(${round(x)} ${round(y)})`,
    },
    short === text ? null : s("title", {}, text),
    s("rect", { x: round(-width / 2), y: -height / 2, width, height, rx: height / 2 }),
    s("text", { y: round(LETTERS.size * 0.34), "font-size": LETTERS.size }, short),
  );
}

function line(way) {
  const { end, probability } = way;
  const width = probability === null ? 1.5 : 1 + 2.5 * Math.max(0, 2 * probability - 1) ** 2;
  const half = (ARROW.width + width) / 2;
  return s(
    "g",
    { class: "edge" },
    s("path", { class: "way", d: path(way), "stroke-width": round(width) }),
    s("path", {
      class: "tip",
      d: `M${round(end.x)} ${round(end.y)}l${round(half)} ${ARROW.length}h${round(-2 * half)}z`,
    }),
  );
}

function path({ from, start, end, between, stem }) {
  const tip = { x: end.x, y: end.y + ARROW.length - 1 };
  const crossings = [...between, { x: end.x, top: tip.y, bottom: Math.max(tip.y, end.bottom) }];
  if (!stem) return `M${point(start)}${curve(start, crossings)}`;
  const side = Math.sign(from.x - stem.x);
  const [corner, after] = [from.y, from.y - STEM.bend].map((y) => point({ x: stem.x, y }));
  const bend = `H${round(stem.x + side * STEM.bend)}Q${corner} ${after}V${round(stem.y)}`;
  return `M${point({ x: from.x - (side * from.width) / 2, y: from.y })}${bend}${curve(stem, crossings)}`;
}

/** Upright as long as it crosses a layer, so that it passes between the boxes there. */
function curve(start, crossings) {
  let [x, y] = [start.x, start.y];
  return crossings
    .map((next) => {
      const middle = (y + next.bottom) / 2;
      const points = [
        { x, y: middle },
        { x: next.x, y: middle },
        { x: next.x, y: next.bottom },
      ];
      const part = `C${points.map(point).join(" ")}V${round(next.top)}`;
      [x, y] = [next.x, next.top];
      return part;
    })
    .join("");
}

/** A probability near the far end of a line, where lines are apart. */
function numbered({ from, start, end, between, stem, probability }, upwards) {
  const write = (x, y) => s("text", { x: round(x), y: round(y + 4), "font-size": 13 }, percent(probability));
  if (stem && !upwards) return write(from.x, from.y + from.height / 2 + 3);
  const last = between.length ? { x: between.at(-1).x, y: between.at(-1).top } : (stem ?? start);
  const next = { x: (between[0] ?? end).x, y: (between[0] ?? end).bottom };
  const [near, far, part] = upwards ? [last, { x: end.x, y: end.bottom }, 0.5] : [next, start, 0.76];
  const bend = part * part * (3 - 2 * part); // how far a curve has gone sideways there
  return write(near.x + bend * (far.x - near.x), near.y + part * (far.y - near.y));
}

/** All that a node entails and all that entails it, in however many steps. */
function relatives(id, edges) {
  const reached = (from, to) => {
    const found = new Set([id]);
    // What is found is walked from in turn.
    for (const each of found) for (const edge of edges) if (edge[from] === each) found.add(edge[to]);
    return found;
  };
  const [up, down] = [reached("hypo", "hyper"), reached("hyper", "hypo")];
  return {
    nodes: new Set([...up, ...down]),
    covers: ({ hypo, hyper }) => (up.has(hypo) && up.has(hyper)) || (down.has(hypo) && down.has(hyper)),
  };
}

/** The node to go to from another one by an arrow key. */
export function neighbour(places, id, key) {
  const [x, y] = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[key];
  const here = places.get(id);
  const far = (place) => {
    const [dx, dy] = [place.x - here.x, place.y - here.y];
    const ahead = dx * x + dy * y;
    return ahead > 1 ? ahead + 2 * Math.abs(dx * y + dy * x) : Infinity;
  };
  return [...places.values()].reduce((best, place) => (far(place) < far(best) ? place : best), here).id;
}

function point({ x, y }) {
  return `${round(x)} ${round(y)}`;
}

function round(number) {
  return Math.round(number * 10) / 10;
}
