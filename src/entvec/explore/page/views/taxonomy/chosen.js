// The word that a person has chosen in a list: what is above it, what else may be, and what can be done without a mouse.
import { address } from "/lib/address.js";
import { ask } from "/lib/api.js";
import { fresh, h } from "/lib/dom.js";
import { percent } from "/lib/numbers.js";
import { arrows, bar, shown } from "/lib/words.js";

const OTHERS = 3; // parents that are suggested beside those that it has
const PROBABLE = 0.1;

/** A panel; `keep`, `forbid` and `move` are called with the word and a parent, `top` with it, `leave` by Escape. */
export function chosenPanel({ keep, forbid, move, top, leave, signal }) {
  const heading = fresh("chosen");
  const element = h("section", {
    className: "card tax-chosen",
    "aria-labelledby": heading,
    hidden: true,
    onkeydown: (event) => event.key === "Escape" && (event.preventDefault(), leave()),
  });
  const others = h("div", { className: "tax-others" });
  let select = null;
  let chosen = null; // the word

  /** Show a row of the tree, or { term, edge: null, parents: [] } for a word of the tray. */
  function update(row, { terms, edges, misspelled = [] }) {
    element.hidden = row === null;
    chosen = row?.term ?? null;
    if (row === null) return;
    const { term, edge, parents } = row;
    const id = fresh("under");
    const targets = terms.filter((each) => each !== term).sort((a, b) => a.localeCompare(b, "en"));
    const option = (value, text) => h("option", { value }, text);
    select = h("select", { id }, option("", "choose a word"), targets.map((each) => option(each, shown(each))));
    const asked = (event) => {
      event.preventDefault();
      if (select.value) move(term, select.value, edge?.hyper ?? null);
      else select.focus();
    };
    others.replaceChildren();
    element.replaceChildren(
      h("h2", { id: heading }, h("a", { className: "specimen", href: address("word", { word: term }) }, shown(term))),
      parents.length ? h("ul", { className: "tax-parents" }, parents.map(parent)) : h("p", {}, "Nothing is above it."),
      others,
      h(
        "form",
        { onsubmit: asked },
        h("label", { htmlFor: id }, "Move under"),
        h("div", { className: "tax-line" }, select, h("button", {}, "Move")),
      ),
      parents.length
        ? h("button", { type: "button", className: "tax-top", onclick: () => top(term) }, "Put it under nothing")
        : "",
    );
    const above = ancestors(term, edges);
    const doubtful = new Set(misspelled.map(({ word }) => word));
    suggest(row, targets.filter((each) => !above.has(each) && !doubtful.has(each)));
  }

  /** What else of the list may be above the word. */
  async function suggest({ term, edge }, targets) {
    const pairs = targets.map((each) => [term, each]);
    if (!pairs.length) return;
    let found;
    try {
      found = await ask("/api/score", { pairs, missing: "nan" }, signal);
    } catch {
      return; // suggestions are an extra
    }
    const best = found.pairs
      .filter(({ probability }) => probability >= PROBABLE)
      .sort((a, b) => b.probability - a.probability)
      .slice(0, OTHERS);
    if (chosen !== term || !best.length) return;
    const chip = ({ hyper, probability }) =>
      h(
        "button",
        {
          type: "button",
          className: "chip",
          "aria-label": `Move ${shown(term)} under ${shown(hyper)}, ${percent(probability)}`,
          onclick: () => move(term, hyper, edge?.hyper ?? null),
        },
        `${shown(hyper)} ${percent(probability)}`,
      );
    others.replaceChildren(h("p", { className: "small faint" }, "It may also be a kind of"), h("p", { className: "chips" }, best.map(chip)));
  }

  function parent({ hypo, hyper, probability, known, fact }) {
    const [pair, text] = [address("pair", { first: hypo, second: hyper }), `${shown(hypo)} is a kind of ${shown(hyper)}`];
    const button = (name, action) =>
      h("button", { type: "button", "aria-label": `${name}: ${text}`, onclick: () => action(hypo, hyper) }, name);
    return h(
      "li",
      {},
      h("span", { className: "what" }, "a kind of ", h("a", { className: "specimen", href: pair, "aria-label": `Why ${text}` }, shown(hyper))),
      known || probability === null ? null : bar(probability),
      h("span", { className: "number" }, known ? "you said so" : probability === null ? "" : percent(probability)),
      known || fact === undefined
        ? null
        : h("p", { className: "small faint" }, fact === null ? "inferred from similar words" : `known: ${arrows(fact)}`),
      h("span", { className: "tax-line" }, known ? null : button("Keep", keep), button("Forbid", forbid)),
    );
  }

  return { element, update, focus: () => select?.focus(), current: () => chosen };
}

/** All terms above one. */
function ancestors(term, edges) {
  const above = Map.groupBy(edges, ({ hypo }) => hypo);
  const found = new Set();
  const waiting = [term];
  while (waiting.length)
    for (const { hyper } of above.get(waiting.pop()) ?? []) if (!found.has(hyper)) (found.add(hyper), waiting.push(hyper));
  return found;
}
