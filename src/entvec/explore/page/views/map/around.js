// The words around those that were asked for: how probable they are, and what can be done about each.
import { address } from "/lib/address.js";
import { ask } from "/lib/api.js";
import { pairOf } from "/lib/chart.js";
import { h } from "/lib/dom.js";
import { percent } from "/lib/numbers.js";
import { savePng, saveSvg, svgText } from "/lib/picture.js";
import { enumerated } from "/lib/several.js";
import { trouble } from "/lib/trouble.js";
import { shown } from "/lib/words.js";
import { MOST_WORDS } from "/views/map/asking.js";

/** An answer with nodes: each has the asked word that it is nearest to, and how probable that is. */
export async function judged(answer, signal) {
  const kinds = ["centre", "above", "below"];
  const nodes = kinds.flatMap((kind) =>
    answer[kind].map((word) => ({ id: word, text: shown(word), kind, near: null, probability: null })),
  );
  const [upwards, downwards] = [nearest(answer, "hypo", "hyper"), nearest(answer, "hyper", "hypo")];
  for (const node of nodes)
    if (node.kind !== "centre") node.near = (node.kind === "above" ? upwards : downwards).get(node.id) ?? null;
  const asked = nodes.filter((node) => node.near !== null);
  const { pairs } = asked.length ? await ask("/api/score", { pairs: asked.map(pairOf) }, signal) : { pairs: [] };
  asked.forEach((node, i) => (node.probability = pairs[i].probability));
  return { ...answer, nodes };
}

/** For each word that edges lead to in this direction: the asked word that the shortest way comes from. */
function nearest({ centre, edges }, from, to) {
  const found = new Map(centre.map((word) => [word, word]));
  for (const [word, origin] of found) {
    // What is found is walked from in turn.
    for (const edge of edges) if (edge[from] === word && !found.has(edge[to])) found.set(edge[to], origin);
  }
  return found;
}

/** What can be done about a word of the map; `expand` makes it one of those that the map is around. */
export function ways(node, { centre }, to, expand) {
  const button = (text, onclick, className = "") => h("button", { type: "button", className, onclick }, text);
  const asWord = h("a", { className: "button", href: address("word", { word: node.id }) }, "As a word");
  if (node.kind === "centre")
    return [centre.length > 1 ? button("Take out", () => to(centre.filter((word) => word !== node.id))) : null, asWord];
  const [first, second] = pairOf(node);
  return [
    centre.length < MOST_WORDS ? button("Expand here", () => expand(node.id), "main") : null,
    node.near === null
      ? null
      : h(
          "a",
          {
            className: "button",
            href: address("pair", { first, second }),
            title: `Is ${shown(first)} a kind of ${shown(second)}, and why?`,
          },
          "Why?",
        ),
    asWord,
    button("Its own map", () => to([node.id])),
    centre.length < MOST_WORDS
      ? null
      : h(
          "p",
          { className: "small" },
          `The map is around ${MOST_WORDS} words, as many as it has room for. Take one out to expand another.`,
        ),
  ];
}

/** Buttons that make files of the picture. */
export function saving({ element, graph, frame }, answer, label) {
  const name = `map-${answer.centre
    .join("-")
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .slice(0, 60)}`;
  const text = () =>
    svgText(element, {
      ...graph,
      title: label,
      description: sentences(answer).join(" "),
      ground: getComputedStyle(frame).backgroundColor,
    });
  const png = (event) => savePng(text(), graph, name).catch((error) => event.target.after(trouble(error)));
  return [
    h("button", { type: "button", onclick: () => saveSvg(text(), name) }, "Save as SVG"),
    h("button", { type: "button", onclick: png }, "Save as PNG"),
  ];
}

export function nothing(words) {
  return h(
    "p",
    { className: "map-nothing" },
    `Nothing is clearly above or below ${enumerated(words.map(shown))}. Ask for more words, or `,
    h("a", { href: address("word", { word: words[0] }) }, "see what comes near"),
    ".",
  );
}

function sentences({ edges }) {
  return edges.map(
    ({ hypo, hyper, probability }) =>
      `${shown(hypo)} is a kind of ${shown(hyper)}${probability === null ? "" : ` (${percent(probability)})`}.`,
  );
}

/** The picture in sentences. */
export function alternative(answer) {
  const rows = sentences(answer).map((sentence, i) => {
    const { hypo, hyper } = answer.edges[i];
    return h("li", {}, h("a", { href: address("pair", { first: hypo, second: hyper }) }, sentence));
  });
  return h(
    "details",
    { className: "map-words" },
    h("summary", {}, "The same in words"),
    rows.length ? h("ul", {}, rows) : h("p", {}, "No word here is a kind of another."),
  );
}
