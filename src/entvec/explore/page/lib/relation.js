// What two words are to each other, in words.
import { percent } from "/lib/numbers.js";
import { shown } from "/lib/words.js";

/** What each relation says: the text between the two words, and whether the second one comes first. */
const BETWEEN = {
  narrower: [" is a kind of "],
  broader: [" is a kind of ", true],
  same: [" is the same as "],
  sibling: [" and ", false, " are siblings"],
  part: [" is a part of "],
  whole: [" is a part of ", true],
  other: [" and ", false, " have nothing of that kind to do with each other"],
  unknown: [" and ", false, ": I cannot tell"],
};

/** The sentence as parts: [word, text, word, text]; the words in the order in which they are said. */
export function sentenceOf({ relation, first, second, shared }) {
  const [between, turned, after = ""] = BETWEEN[relation] ?? BETWEEN.unknown;
  const under = relation === "sibling" && shared ? `, both a kind of ${shown(shared)}` : "";
  return turned ? [second, between, first, after] : [first, between, second, after + under];
}

export function meaning(relation, first, second) {
  return sentenceOf({ relation, first, second }).map(shown).join("");
}

export const RELATIONS = ["narrower", "broader", "same", "sibling", "part", "whole", "other"];

const SITUATIONS = {
  "both known": "Both words are known.",
  "new word": "Nothing is known of one of the words, so what it is used like decides.",
  "both new": "Nothing is known of the words, so what they are used like decides.",
  "new word, encoder": "One of the words is new here; an encoder read it.",
  "both new, encoder": "Both words are new here; an encoder read them.",
};

/** What the percentages assume. */
export function assumed(rates, situation) {
  const shares = RELATIONS.filter((name) => name in rates).map((name) => `${name} ${percent(rates[name])}`);
  const told = SITUATIONS[situation] ?? "";
  return `${told} The percentages assume that of all pairs that one asks about so many are: ${shares.join(", ")}.`.trim();
}

/** The sources of evidence: their names, and what they are. */
export const SOURCES = {
  constant: ["at first", "how common this relation is, before anything is known"],
  facts: ["facts", "what dictionaries and everyday statements say"],
  text: ["texts", "what sentences say of the words"],
  neighbours: ["similar words", "what the words are that are used like these"],
  encoder: ["encoder", "how an encoder reads the words"],
  head: ["words of the phrase", "what the last word of the phrase says"],
  spelling: ["spelling", "what a new word ends in"],
  vectors: ["vectors", "how the words are used in news texts"],
  names: ["names", "this name may belong to something else, too"],
};
