// An address at which there is nothing, and the ways back from it.
import { address } from "/lib/address.js";
import { h } from "/lib/dom.js";

const WAYS = {
  word: ["Word", "what a word entails, and what entails it"],
  pair: ["Pair", "whether one word entails another, and why"],
  map: ["Map", "where a word stands among others"],
  taxonomy: ["Taxonomy", "a hierarchy made of a list of words, or looked through"],
  theory: ["Theory", "entailment with five features, to play with"],
};

export function title() {
  return "Nothing here";
}

export function show(root) {
  const way = ([view, [name, text]]) => h("li", {}, h("a", { href: address(view) }, name), `: ${text}`);
  root.append(
    h("h1", {}, "There is nothing at this address."),
    h("p", {}, "Perhaps it was mistyped. These are here:"),
    h("ul", {}, Object.entries(WAYS).map(way)),
  );
}
