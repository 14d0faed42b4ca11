// An address at which there is nothing, and the ways back from it.
import { address } from "/lib/address.js";
import { h } from "/lib/dom.js";

const WAYS = {
  "": ["Start", "ask what anything is"],
  map: ["Map", "where a word stands among others"],
  list: ["List", "a taxonomy made of a list of words"],
  hierarchy: ["Hierarchy", "one that you have, looked through"],
  theory: ["Theory", "how it works"],
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
