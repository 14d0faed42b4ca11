// What a person has said of a hierarchy: a list in which each correction can be taken back.
import { fresh, h } from "/lib/dom.js";
import { sentence } from "/views/taxonomy/corrections.js";

/** A card; `takeBack(correction)` is called by the button beside one. */
export function saidCard(takeBack) {
  const heading = fresh("said");
  const list = h("ul", { className: "tax-said" });
  const element = h(
    "section",
    { className: "card", "aria-labelledby": heading, hidden: true },
    h("h2", { id: heading }, "What you said"),
    list,
  );

  function line(correction) {
    const text = sentence(correction);
    const undo = {
      type: "button",
      className: "chip",
      "aria-label": `Undo: ${text}`,
      onclick: () => takeBack(correction),
    };
    return h("li", {}, h("span", {}, text), h("button", undo, "undo"));
  }

  function update(said) {
    element.hidden = !said.length;
    list.replaceChildren(...said.map(line));
  }

  return { element, update };
}
