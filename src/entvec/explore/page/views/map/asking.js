// The form of the map, and what is there before a word is asked for.
import { address } from "/lib/address.js";
import { h } from "/lib/dom.js";
import { joined, separated } from "/lib/several.js";
import { shortened, shown, wordField } from "/lib/words.js";

export const MOST_WORDS = 12;
const EXAMPLES = [
  ["dog"],
  ["instrument"],
  ["wine"],
  ["illness"],
  ["violin", "guitar", "drum"],
  ["physician", "teacher", "pilot"],
];

/** The field for words; `to(words)` goes to the map of them. */
export function form(words, to) {
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

export function begin(root) {
  root.prepend(h("h1", {}, "Where does a word stand among others?"));
  root.append(
    h(
      "p",
      {},
      "On a map, what a word is a kind of stands above it, the more general the higher; its kinds stand below. ",
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

export function around(words) {
  return `Around ${words.length === 1 ? shortened(words[0]) : `${words.length} words`}`;
}

export function heading(name, words, to) {
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
