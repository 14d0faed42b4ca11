// Words in their places: the more concepts a word covers, the higher it stands. Lines lead up to what it is a kind of.
import { h, s } from "/lib/dom.js";
import { percent } from "/lib/numbers.js";
import { shown } from "/lib/words.js";

const TICKS = [1, 10, 100, 1000];
const LEAST_STEP = 0.115; // of the height, between a word and what is above it
const EDGE = 0.05; // of the height that stays free above and below
const BETWEEN = 2; // letters between words
const UNKNOWN_DROP = 1; // of the scale: a word of which nothing is known stands so far below its parent

/**
 * Where words stand: a map from a word to { x, y, general }, each from 0 to 1, y downwards.
 *
 * `generality` has the log of how many concepts a word covers; `edges` are { hypo, hyper }, the first parent leading.
 */
export function placed(words, edges, generality) {
  const parents = Map.groupBy(edges, ({ hypo }) => hypo);
  const first = new Map([...parents].map(([word, found]) => [word, found[0].hyper]));
  const children = Map.groupBy(
    words.filter((word) => first.has(word)),
    (word) => first.get(word),
  );
  const most = Math.max(1, ...words.map((word) => generality[word] ?? 0));
  const found = new Map();
  const widths = []; // of the columns, in letters

  function level(word, above) {
    const general = generality[word] ?? Math.max(0, (above?.general ?? most / 2) - UNKNOWN_DROP);
    const own = EDGE + (1 - 2 * EDGE) * (1 - general / most);
    return { general, y: Math.max(own, above ? above.y + LEAST_STEP : 0) };
  }

  function walk(word, above) {
    if (found.has(word)) return;
    const here = { ...level(word, above), from: widths.length };
    found.set(word, here);
    const below = children.get(word) ?? [];
    for (const child of below) walk(child, here);
    here.kin = below.filter((child) => found.get(child).from >= here.from);
    if (widths.length === here.from) widths.push(0);
    here.to = widths.length;
    const room = widths.slice(here.from).reduce((sum, each) => sum + each, 0);
    const lacks = word.length + BETWEEN - room;
    if (lacks > 0) for (let i = here.from; i < here.to; i += 1) widths[i] += lacks / (here.to - here.from);
  }

  for (const word of words) if (!first.has(word)) walk(word, null);
  for (const word of words) walk(word, null); // what only circles lead to
  const lowest = Math.max(1 - EDGE, ...[...found.values()].map(({ y }) => y));
  const total = widths.reduce((sum, each) => sum + each, 0);
  const until = (column) => widths.slice(0, column).reduce((sum, each) => sum + each, 0) / total;
  for (const place of [...found.values()].reverse()) {
    const middles = place.kin.map((child) => found.get(child).x);
    place.x = middles.length ? mean(middles) : (until(place.from) + until(place.to)) / 2;
    place.y = EDGE + ((place.y - EDGE) * (1 - 2 * EDGE)) / (lowest - EDGE);
    place.share = place.general / most;
  }
  return { places: found, most, lowest };
}

const mean = (numbers) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

/** A picture that can be drawn again with other words: those that stay go to their new places. */
export class Places {
  #nodes = new Map();
  #lines = s("svg", {
    class: "places-lines",
    viewBox: "0 0 1000 1000",
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  });
  #numbers = h("div", { className: "places-numbers", "aria-hidden": "true" });
  #words = h("ul", { className: "places-words" });
  #ticks = h("div", { className: "places-ticks", "aria-hidden": "true" });

  /** `hrefOf(word)` is where a word leads; `looked(word)` is called for the word that is looked at. */
  constructor({ label, hrefOf, looked }) {
    this.hrefOf = hrefOf;
    this.looked = looked;
    this.element = h(
      "div",
      { className: "places", role: "group", ariaLabel: label },
      this.#ticks,
      h("div", { className: "places-field" }, this.#lines, this.#numbers, this.#words),
    );
  }

  draw({ words, edges, generality, fresh = [] }) {
    const { places, most, lowest } = placed(words, edges, generality);
    this.#scale(most, lowest);
    this.#lines.replaceChildren(...edges.map((edge) => line(edge, places)));
    this.#numbers.replaceChildren(...edges.map((edge) => number(edge, places)));
    for (const [word, node] of this.#nodes) if (!places.has(word)) (node.remove(), this.#nodes.delete(word));
    for (const word of words) {
      const node = this.#nodes.get(word) ?? this.#node(word);
      const { x, y, share } = places.get(word);
      node.style.left = `${(100 * x).toFixed(2)}%`;
      node.style.top = `${(100 * y).toFixed(2)}%`;
      node.style.setProperty("--share", share.toFixed(3));
      node.classList.toggle("fresh", fresh.includes(word));
    }
    this.#words.append(
      ...[...this.#nodes].sort(([a], [b]) => places.get(a).y - places.get(b).y).map(([, node]) => node),
    );
  }

  /** Show which word is looked at, and what is above it. */
  mark(word, edges) {
    const above = new Set([word]);
    for (const each of above) for (const { hypo, hyper } of edges) if (hypo === each) above.add(hyper);
    for (const [each, node] of this.#nodes) node.classList.toggle("on", above.has(each));
    for (const part of [...this.#lines.children, ...this.#numbers.children])
      part.classList.toggle("on", above.has(part.dataset.hypo));
    this.element.classList.add("marked");
  }

  #node(word) {
    const looked = () => this.looked(word);
    const link = h(
      "a",
      { className: "specimen", href: this.hrefOf(word), onpointerenter: looked, onfocus: looked },
      shown(word),
    );
    const node = h("li", {}, link);
    this.#nodes.set(word, node);
    return node;
  }

  #scale(most, lowest) {
    const at = (n) => {
      const y = EDGE + (1 - 2 * EDGE) * (1 - Math.log(n) / most);
      return EDGE + ((y - EDGE) * (1 - 2 * EDGE)) / (lowest - EDGE);
    };
    const ticks = TICKS.filter((n) => Math.log(n) < most);
    this.#ticks.replaceChildren(
      h("span", { className: "end" }, "general"),
      ...ticks.map((n) =>
        h("span", { className: "tick", style: { top: `${(100 * at(n)).toFixed(2)}%` } }, n.toLocaleString("en")),
      ),
      h("span", { className: "end" }, "specific"),
    );
  }
}

function line({ hypo, hyper, fact }, places) {
  const [from, to] = [places.get(hypo), places.get(hyper)];
  const [x1, y1, x2, y2] = [from.x, from.y, to.x, to.y].map((each) => Math.round(1000 * each));
  const bend = (y1 - y2) / 2;
  const way = s("path", {
    class: fact === null ? "inferred" : "known",
    d: `M${x1} ${y1}C${x1} ${y1 - bend} ${x2} ${y2 + bend} ${x2} ${y2}`,
    "vector-effect": "non-scaling-stroke",
  });
  way.dataset.hypo = hypo;
  return way;
}

function number({ hypo, hyper, probability }, places) {
  const [from, to] = [places.get(hypo), places.get(hyper)];
  const style = { left: `${50 * (from.x + to.x)}%`, top: `${50 * (from.y + to.y)}%` };
  const told = h("span", { style }, percent(probability));
  told.dataset.hypo = hypo;
  return told;
}
