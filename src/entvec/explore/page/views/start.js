// The first screen: what this is for, the one box, and a picture in which every word that is asked about finds its place.
import { address } from "/lib/address.js";
import { box } from "/lib/box.js";
import { command, curlOf, python, pythonOf } from "/lib/copying.js";
import { h } from "/lib/dom.js";
import { percent } from "/lib/numbers.js";
import { asked } from "/lib/opening.js";
import { askPatiently } from "/lib/patience.js";
import { Places } from "/lib/places.js";
import { joined, separated } from "/lib/several.js";
import { trouble } from "/lib/trouble.js";
import { understood } from "/lib/understanding.js";
import { arrows, shown } from "/lib/words.js";

const FAMILIAR = [
  ...["instrument", "guitar", "animal", "bird", "owl", "snowy owl", "dog", "poodle"],
  ...["food", "fruit", "apple", "tomato", "vegetable"],
];
const SPARED = ["instrument", "guitar"]; // on small screens
const [ADDED, ADDED_SMALL] = [4, 2]; // words of the person in the picture; the oldest make room
const EXAMPLES = ["tomato", "is a tomato a fruit?", "wheel : car", "tomato: fruit | vegetable | herb"];
const LIST = "violin, cello, guitar, instrument, drum, piano, string instrument, harp";
const HIERARCHY = "animal\n  mammal\n    dog\n    cat\n    trout\n  fish\n    salmon\nvehicle\n  car\n  eagle";

const small = () => matchMedia("(max-width: 40rem)").matches;

export const read = (params) => ({
  kind: "start",
  ...(params.get("words") ? { words: separated(params.get("words")) } : {}),
});
export const write = ({ words = [] }) => ({ words: joined(words) });
export const title = () => "What is what";

export function ways({ words = [] }) {
  const all = [...new Set([...FAMILIAR, ...words])];
  return {
    command: command("entvec", "taxonomy", "build", "--shape", "dag", ...all),
    python: pythonOf(
      "from entvec.taxonomy import draw, induce",
      "",
      `print(draw(induce(${python(all)}, space, shape="dag")))`,
    ),
    curl: curlOf("/api/taxonomy/build", { words: all, shape: "dag" }),
  };
}

export async function show(root, state, change, { signal }) {
  let added = state.words ?? [];
  let edges = [];
  const evidence = h("div", { className: "start-evidence" });
  const picture = new Places({
    label: "Familiar words, the more general the higher",
    hrefOf: (word) => address("word", { word }),
    looked: look,
  });
  root.append(
    h(
      "div",
      { className: "start" },
      h(
        "div",
        { className: "start-words" },
        greeting(),
        box(opened, { label: "Ask or paste anything", placeholder: "labradoodle" }),
        examples(),
      ),
      h("div", { className: "start-picture" }, picture.element, evidence, legend()),
    ),
  );
  if (matchMedia("(hover: hover)").matches && !location.search) root.querySelector(".box input").focus();
  await draw([]);

  /** What is asked about finds its place in the picture, then its panel comes. */
  async function opened(next) {
    const words = { word: [next.word], pair: [next.first, next.second] }[next.kind] ?? [];
    const fresh = words.filter((word) => ![...FAMILIAR, ...added].includes(word));
    if (fresh.length) {
      added = [...added, ...fresh].slice(small() ? -ADDED_SMALL : -ADDED);
      change({ words: added });
      draw(fresh);
    }
    await asked(next);
  }

  async function draw(fresh) {
    const familiar = FAMILIAR.filter((word) => !small() || !SPARED.includes(word));
    const words = [...new Set([...familiar, ...added])];
    try {
      const found = await askPatiently("/api/taxonomy/build", { words, shape: "dag" }, signal, 0);
      edges = credible(found.edges);
      picture.draw({ words: found.terms, edges, generality: found.generality, fresh });
      look(found.terms.includes(added.at(-1)) ? added.at(-1) : "tomato");
    } catch (error) {
      if (!signal.aborted) evidence.replaceChildren(trouble(error));
    }
  }

  /** What the picture rests on, for the word that is looked at. */
  function look(word) {
    const above = edges.filter(({ hypo }) => hypo === word);
    picture.mark(word, edges);
    const reason = ({ hyper, probability, fact }) =>
      h(
        "li",
        {},
        h("span", {}, "a kind of ", h("b", { className: "specimen" }, shown(hyper))),
        h("span", { className: "number" }, percent(probability)),
        h(
          "span",
          { className: "small faint" },
          fact === null ? "inferred from similar words" : `known: ${arrows(fact)}`,
        ),
        h(
          "a",
          {
            className: "small",
            href: address("pair", { first: word, second: hyper }),
            ariaLabel: `Why is ${shown(word)} a kind of ${shown(hyper)}?`,
          },
          "why?",
        ),
      );
    evidence.replaceChildren(
      h(
        "p",
        {},
        h("b", { className: "specimen" }, shown(word)),
        above.length ? " is" : ": none of the other words is above it.",
      ),
      above.length ? h("ul", {}, above.map(reason)) : "",
    );
  }
}

/** Of each word all that is known, else the one parent that is inferred most surely. */
function credible(edges) {
  const groups = Map.groupBy(edges, ({ hypo }) => hypo).values();
  return [...groups].flatMap((group) => {
    const known = group.filter(({ fact }) => fact !== null);
    return known.length ? known : group.sort((a, b) => b.probability - a.probability).slice(0, 1);
  });
}

function greeting() {
  return [
    h("h1", { className: "start-title" }, "What is a kind of what?"),
    h("p", { className: "start-lead" }, "Paste words, get a taxonomy. Ask what a thing is. Check a hierarchy."),
  ];
}

function examples() {
  const chip = (text, name = text) =>
    h("button", { type: "button", className: "chip", onclick: () => asked(understood(text)) }, name);
  return h(
    "div",
    { className: "chips" },
    EXAMPLES.map((text) => chip(text)),
    chip(LIST, "violin, cello, guitar, …"),
    chip(HIERARCHY, "a hierarchy with mistakes"),
  );
}

function legend() {
  return h(
    "p",
    { className: "small faint start-legend" },
    "The height is how many known things a word covers. ",
    h("span", { className: "sample known" }),
    " known ",
    h("span", { className: "sample inferred" }),
    " inferred. ",
    "Percentages: how surely one is a kind of the other, if a quarter of the pairs that one asks about are.",
  );
}
