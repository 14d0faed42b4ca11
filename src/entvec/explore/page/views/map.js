// Map: words with what they entail above them and what entails them below.
import { ask, space } from "/lib/api.js";
import { address, go, settle } from "/lib/address.js";
import { chart, pairOf } from "/lib/chart.js";
import { fresh, h, say } from "/lib/dom.js";
import { counted, percent, specificityOf } from "/lib/numbers.js";
import { askPatiently } from "/lib/patience.js";
import { savePng, saveSvg, svgText } from "/lib/picture.js";
import { enumerated, joined, separated } from "/lib/several.js";
import { trouble } from "/lib/trouble.js";
import { shortened, shown, wordField } from "/lib/words.js";

const EXAMPLES = [
  ["dog"],
  ["instrument"],
  ["wine"],
  ["illness"],
  ["violin", "guitar", "drum"],
  ["physician", "teacher", "pilot"],
];
const MOST_WORDS = 12;
const USUAL = 8; // words above and below
const NUMBERS = [0, 4, 8, 12, 20, 30];
const GENERALITY = [
  [2, "much more specific"],
  [1.5, "more specific"],
  [1, "as usual"],
  [0.5, "more general"],
  [0, "the surest, however general"],
];

let standing = null; // the map before this one: it stays while the next is asked for, and its words move from there
let expanded = null; // the word that was just expanded: it has the focus in the next map

export function title(params) {
  const words = separated(params.get("words") ?? "");
  return words.length ? `Map of ${enumerated(words.map(shown))}` : "Map";
}

export async function show(root, params, signal) {
  const words = separated(params.get("words") ?? "");
  const options = {
    above: count(params.get("above")),
    below: count(params.get("below")),
    specificity: specificityOf(params),
  };
  const to = (several) => go("map", { words: joined(several), ...kept(options) });
  root.append(form(words, to));
  if (!words.length) return begin(root);
  const name = h("h1", {}, around(words));
  root.append(heading(name, words, to));
  if (words.length > MOST_WORDS)
    return void root.append(
      h(
        "p",
        { className: "notice", role: "alert" },
        `A map has room for ${MOST_WORDS} words and what is around them; these are ${words.length}. Take some out.`,
      ),
    );

  const [notes, place] = [h("div"), h("div")];
  root.append(notes, place);
  const unknown = new Map(); // words that are left out, and what was said of them
  if (standing?.words.some((word) => words.includes(word))) wait();
  else place.append(h("p", { className: "chart waiting" }, "Drawing the map…"));
  const info = await space();
  const [hint, files, list] = [fresh("hint"), h("div", { className: "map-saving" }), h("div", {})];
  const few = h("p", { className: "map-few faint small" });
  const below = [
    few,
    legend(hint, info),
    h("div", { className: "map-settings" }, choices(options, info, changed), files),
    list,
  ];
  let asking;
  await draw();

  async function draw() {
    asking?.abort();
    asking = new AbortController();
    const both = AbortSignal.any([signal, asking.signal]);
    let answer;
    try {
      answer = await judged(await found(both), both);
    } catch (error) {
      if (both.aborted) return;
      standing = null;
      name.textContent = `No map of ${enumerated(words.map(shortened))}`;
      below.forEach((each) => each.remove());
      notes.replaceChildren();
      place.replaceChildren(trouble(error, instead(error.word)));
      return;
    }
    if (!below[0].isConnected) root.append(...below); // to be put there again would cost the focus
    put(answer);
  }

  /** The map of the words that there are; each that is not is told by a refusal, and left out. */
  async function found(during) {
    for (;;) {
      const there = words.filter((word) => !unknown.has(word));
      try {
        return await askPatiently("/api/map", { words: there, ...options }, during);
      } catch (error) {
        if (error.kind !== "unknown_word" || there.length === 1 || !there.includes(error.word)) throw error;
        unknown.set(error.word, error);
      }
    }
  }

  function instead(wrong) {
    return (meant) => to(words.map((word) => (word === wrong ? meant : word)));
  }

  function leftOut(error) {
    return trouble(error, instead(error.word), " and was left out");
  }

  function wait() {
    place.replaceChildren(standing.frame);
    standing.frame.ariaBusy = "true";
  }

  function changed() {
    settle("map", { words: joined(words), ...kept(options) });
    if (standing) wait();
    draw();
  }

  function put(answer) {
    const [above, below] = [answer.above, answer.below].map(({ length }) => counted(length, "word"));
    const label = `Map of ${enumerated(answer.centre.map(shown))}: ${above} above, ${below} below`;
    const made = chart(place, answer, {
      label,
      describedBy: hint,
      waysOf: (node) => ways(node, answer, to),
      before: standing,
      signal,
    });
    standing?.end();
    standing = { ...made, words: answer.centre };
    if (answer.nodes.length === answer.centre.length) made.frame.append(nothing(answer.centre));
    if (expanded !== null) made.focus(expanded);
    expanded = null;
    name.textContent = around(answer.centre);
    notes.replaceChildren(...[...unknown.values()].map(leftOut));
    const fewer = answer.above.length < options.above || answer.below.length < options.below;
    few.textContent = fewer && info.calibrated ? "Only words that are probable enough are drawn." : "";
    files.replaceChildren(...saving(made, answer, label));
    list.replaceChildren(alternative(answer));
    say(label);
  }
}

function form(words, to) {
  const chosen = (word) => words.length || to([word]); // beside a map there are two things to do with it
  const { field, input, miss } = wordField({
    label: words.length ? "Another word" : "A word",
    placeholder: "guitar",
    chosen,
  });
  const show = (others) => {
    const typed = separated(input.value);
    if (typed.length) to([...new Set([...others, ...typed])]);
    else miss();
  };
  const submitted = (event) => {
    event.preventDefault();
    show([]);
  };
  const add = h("button", { type: "button", onclick: () => show(words) }, "Add to this map");
  return h(
    "form",
    { className: "asking", role: "search", onsubmit: submitted },
    field,
    h("button", { className: "main" }, "Show"),
    words.length && words.length < MOST_WORDS ? add : null,
  );
}

function begin(root) {
  root.prepend(h("h1", {}, "Where does a word stand among others?"));
  root.append(
    h(
      "p",
      {},
      "On a map, what a word entails stands above it, the more general the higher; what entails it stands below. ",
      "Each of these words can be expanded in turn, so that the map grows.",
    ),
    h(
      "p",
      { className: "chips" },
      "Try ",
      EXAMPLES.map((each) =>
        h("a", { className: "button chip", href: address("map", { words: joined(each) }) }, each.join(", ")),
      ),
    ),
  );
  root.querySelector("input").focus();
}

function around(words) {
  return `Around ${words.length === 1 ? shortened(words[0]) : `${words.length} words`}`;
}

function heading(name, words, to) {
  const without = (word) => to(words.filter((other) => other !== word));
  const chip = (word) =>
    h(
      "button",
      {
        type: "button",
        className: "chip",
        ariaLabel: `Take ${shown(word)} out of the map`,
        onclick: () => without(word),
      },
      shown(word),
      h("span", { "aria-hidden": "true" }, " ×"),
    );
  return h(
    "div",
    { className: "map-heading" },
    name,
    words.length > 1 ? h("p", { className: "chips" }, words.map(chip)) : null,
  );
}

function count(text) {
  const value = Number(text ?? USUAL);
  return Number.isInteger(value) && value >= 0 && value <= 30 ? value : USUAL;
}

/** Options as they stand in an address: what is usual is left out. */
function kept({ above, below, specificity }) {
  return { above: above === USUAL ? null : above, below: below === USUAL ? null : below, specificity };
}

/** An answer with nodes: each has the asked word that it is nearest to, and how probable that entailment is. */
async function judged(answer, signal) {
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

/** What can be done about a word of the map. */
function ways(node, { centre }, to) {
  const button = (text, onclick, className = "") => h("button", { type: "button", className, onclick }, text);
  const asWord = h("a", { className: "button", href: address("word", { word: node.id }) }, "As a word");
  if (node.kind === "centre")
    return [centre.length > 1 ? button("Take out", () => to(centre.filter((word) => word !== node.id))) : null, asWord];
  const [hypo, hyper] = pairOf(node);
  const expand = () => {
    expanded = node.id;
    to([...centre, node.id]);
  };
  return [
    centre.length < MOST_WORDS ? button("Expand here", expand, "main") : null,
    node.near === null
      ? null
      : h(
          "a",
          {
            className: "button",
            href: address("pair", { hypo, hyper }),
            title: `Does ${shown(hypo)} entail ${shown(hyper)}, and why?`,
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

function choices(options, info, changed) {
  const choice = (label, name, rows) => {
    const id = fresh("choice");
    const selected = String(options[name] ?? "");
    const select = h(
      "select",
      {
        id,
        onchange: () => {
          options[name] = select.value === "" ? null : Number(select.value);
          changed();
        },
      },
      rows.map(([value, text]) => h("option", { value, selected: String(value) === selected }, text)),
    );
    return h("div", {}, h("label", { htmlFor: id }, label), select);
  };
  const numbers = (own) =>
    [...new Set([...NUMBERS, own])].sort((one, other) => one - other).map((each) => [each, each]);
  const usual = info.specificity.hypernyms;
  const ratios = GENERALITY.map(([ratio, text]) => [ratio === 1 ? "" : Number((usual * ratio).toFixed(3)), text]);
  if (options.specificity !== null && !ratios.some(([value]) => value === options.specificity))
    ratios.push([options.specificity, `specificity ${options.specificity}`]);
  return [
    choice("Words above", "above", numbers(options.above)),
    choice("Words below", "below", numbers(options.below)),
    usual ? choice("Generality", "specificity", ratios) : null,
  ];
}

function saving({ element, graph, frame }, answer, label) {
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

function nothing(words) {
  return h(
    "p",
    { className: "map-nothing" },
    `Nothing is clearly above or below ${enumerated(words.map(shown))}. Ask for more words, or `,
    h("a", { href: address("word", { word: words[0] }) }, "see what comes near"),
    ".",
  );
}

function legend(id, info) {
  const sample = (kind, text) =>
    h("li", {}, h("span", { className: `map-sample ${kind}`, "aria-hidden": "true" }), text);
  return h(
    "div",
    { className: "map-legend" },
    h(
      "ul",
      {},
      sample("above", "is entailed, more general"),
      sample("centre", "asked for"),
      sample("below", "entails it, more specific"),
    ),
    h(
      "p",
      { id, className: "faint small" },
      `A line leads from a word up to what it entails${info.calibrated ? "; the thicker, the more probable" : ""}. `,
      "Choose a word to go on from there. ",
      "Drag to move; ",
      h("span", { className: "with-keys" }, "wheel or "),
      "two fingers to enlarge",
      h("span", { className: "with-keys" }, "; keys: arrows, Enter, +, −, 0"),
      ".",
    ),
  );
}

function sentences({ edges }) {
  return edges.map(
    ({ hypo, hyper, probability }) =>
      `${shown(hypo)} entails ${shown(hyper)}${probability === null ? "" : ` (${percent(probability)})`}.`,
  );
}

function alternative(answer) {
  const rows = sentences(answer).map((sentence, i) => {
    const { hypo, hyper } = answer.edges[i];
    return h("li", {}, h("a", { href: address("pair", { hypo, hyper }) }, sentence));
  });
  return h(
    "details",
    { className: "map-words" },
    h("summary", {}, "The same in words"),
    rows.length ? h("ul", {}, rows) : h("p", {}, "No word here entails another."),
  );
}
