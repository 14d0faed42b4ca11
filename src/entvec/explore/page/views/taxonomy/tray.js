// The tray: words of a list that have no place in the tree, why, and what can be done about each.
import { fresh, h } from "/lib/dom.js";
import { counted, percent } from "/lib/numbers.js";
import { sentence } from "/lib/trouble.js";
import { shown } from "/lib/words.js";

const SHARED = 2; // words for which a concept that would hold them is offered once for all
const FEW = 3; // suggestions of a kind for a word
const PROBABLE = 0.5;
const USUAL = "no word of the list is its parent with the probability that is asked for";

/**
 * The tray. `choose(word)`, `move(word, parent)`, `respell(word, meant)`, `drop(word)` and `add(concept)` are called by
 * its buttons, `release(word)` where the person had put it there. Words in it can be dragged into the tree, and words of
 * the tree into it.
 */
export function tray({ choose, move, respell, drop, add, release }) {
  const heading = fresh("unplaced");
  const title = h("h2", { id: heading });
  const why = h("p", { className: "small faint" }, "No word of the list is surely above these.");
  const offers = h("p", { className: "chips tray-offers" });
  const list = h("ul", { className: "tray-words" });
  const placed = h("div", { className: "tray-spelling" });
  const element = h(
    "section",
    { className: "card tray", "data-drop": "", "aria-labelledby": heading },
    title,
    why,
    offers,
    list,
    placed,
  );
  let now = { taxonomy: null, roots: [] };

  /**
   * Show what is unplaced; `roots` are words that the person wants under nothing. `concepts` are, for words, concepts
   * above them that the list lacks, the most probable first.
   */
  function update(taxonomy, roots, concepts = new Map()) {
    now = { taxonomy, roots };
    const { unplaced, misspelled } = taxonomy;
    const out = new Set(unplaced.map(({ word }) => word));
    const shared = sharedOf(unplaced, concepts);
    title.textContent = unplaced.length ? `Unplaced (${unplaced.length})` : "Nothing is unplaced";
    why.hidden = !unplaced.some(({ word, reason }) => reason === USUAL && !roots.includes(word));
    offers.replaceChildren(...[...shared].map(([concept, words]) => adding(concept, words)));
    list.replaceChildren(
      ...(unplaced.length
        ? unplaced.map((found) => item(found, taxonomy, concepts, shared))
        : [h("li", { className: "faint small" }, "A word that is dropped here stays under nothing.")]),
    );
    const others = misspelled.filter(({ word, suggestions }) => !out.has(word) && suggestions.length);
    placed.replaceChildren(
      ...(others.length
        ? [h("h3", {}, "Perhaps misspelled"), h("ul", { className: "tray-words" }, others.map(respelling))]
        : []),
    );
  }

  function adding(concept, words) {
    return h(
      "button",
      { type: "button", className: "chip", onclick: () => add(concept) },
      `Add “${shown(concept)}” for ${counted(words.length, "word")}`,
    );
  }

  function item({ word, reason, suggestions }, { guesses }, concepts, shared) {
    const parents = guesses.filter(({ hypo }) => hypo === word).slice(0, FEW);
    const found = (concepts.get(word) ?? []).filter((concept) => !shared.has(concept)).slice(0, 1);
    const own = now.roots.includes(word);
    const why = own ? "You want it under nothing." : reason === USUAL ? "" : sentence(reason);
    const under = ({ hyper, probability }) => `under ${shown(hyper)}${probability === null ? "" : ` ${percent(probability)}`}`;
    const chips = [
      own ? chip("place it again", () => release(word), word) : null,
      ...suggestions.slice(0, FEW).map((meant) => spelling(word, meant)),
      ...parents.map((guess) => chip(under(guess), () => move(word, guess.hyper), word)),
      ...found.map((concept) => chip(`add “${shown(concept)}”`, () => add(concept), word)),
    ];
    const gone = `Leave ${shown(word)} out of the list`;
    return h(
      "li",
      { className: "tray-word", "data-row": word },
      h("span", { className: "grip", title: "Drag" }),
      h("button", { type: "button", className: "tray-name specimen", onclick: () => choose(word) }, shown(word)),
      h("button", { type: "button", className: "forbid", title: gone, "aria-label": gone, onclick: () => drop(word) }, "×"),
      why ? h("p", { className: "small faint" }, why) : null,
      h("p", { className: "chips" }, chips),
    );
  }

  function respelling({ word, suggestions }) {
    return h(
      "li",
      {},
      h("span", { className: "specimen" }, shown(word)),
      h("p", { className: "chips" }, suggestions.slice(0, FEW).map((meant) => spelling(word, meant))),
    );
  }

  function spelling(word, meant) {
    const label = `Read ${shown(word)} as ${shown(meant)}`;
    return h(
      "button",
      { type: "button", className: "chip", "aria-label": label, onclick: () => respell(word, meant) },
      `${shown(meant)}?`,
    );
  }

  /** Concepts that come later, for what is still shown. */
  function offer(taxonomy, concepts) {
    if (taxonomy === now.taxonomy) update(taxonomy, now.roots, concepts);
  }

  return { element, update, offer };
}

function chip(text, onclick, word) {
  return h("button", { type: "button", className: "chip", "aria-label": `${shown(word)}: ${text}`, onclick }, text);
}

/** Concepts that would hold several unplaced words. */
function sharedOf(unplaced, concepts) {
  const found = new Map();
  for (const { word } of unplaced)
    for (const concept of concepts.get(word) ?? []) found.set(concept, [...(found.get(concept) ?? []), word]);
  const sets = new Set();
  return new Map(
    [...found]
      .filter(([, words]) => words.length >= SHARED)
      .sort(([, a], [, b]) => b.length - a.length)
      .filter(([, words]) => !sets.has(String(words)) && sets.add(String(words)))
      .slice(0, FEW),
  );
}

/** Of what /api/hypernyms answered, the concepts above each word that the list lacks. */
export function conceptsOf({ words }, terms) {
  const there = new Set(terms.map((term) => shown(term).toLowerCase()));
  const lacks = ({ word, probability }) => probability >= PROBABLE && !there.has(shown(word).toLowerCase());
  return new Map(words.map(({ word, matches }) => [word, matches.filter(lacks).map((match) => shown(match.word))]));
}
