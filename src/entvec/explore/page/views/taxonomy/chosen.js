// The word that a person has chosen in a tree: what is above it, and what can be done about that without a mouse.
import { address } from "/lib/address.js";
import { fresh, h } from "/lib/dom.js";
import { percent } from "/lib/numbers.js";
import { bar, shown } from "/lib/words.js";

/** A panel; `keep`, `forbid` and `move` are called with the word and a parent, `leave` by Escape. */
export function chosenPanel({ keep, forbid, move, leave }) {
  const heading = fresh("chosen");
  const element = h("section", {
    className: "card tax-chosen",
    "aria-labelledby": heading,
    hidden: true,
    onkeydown: (event) => event.key === "Escape" && leave(),
  });
  let select = null;

  function update(row, { terms }) {
    element.hidden = row === null;
    if (row === null) return;
    const { term, edge, parents } = row;
    const id = fresh("under");
    const targets = terms.filter((each) => each !== term).sort((a, b) => a.localeCompare(b, "en"));
    select = h(
      "select",
      { id },
      h("option", { value: "" }, "choose a word"),
      targets.map((each) => h("option", { value: each }, shown(each))),
    );
    const asked = (event) => {
      event.preventDefault();
      if (select.value) move(term, select.value, edge?.hyper ?? null);
      else select.focus();
    };
    element.replaceChildren(
      h("h2", { id: heading }, h("a", { href: address("word", { word: term }) }, shown(term))),
      parents.length ? h("ul", { className: "tax-parents" }, parents.map(parent)) : h("p", {}, "Nothing is above it."),
      h(
        "form",
        { onsubmit: asked },
        h("label", { htmlFor: id }, "Move under"),
        h("div", { className: "tax-line" }, select, h("button", {}, "Move")),
      ),
    );
  }

  function parent({ hypo, hyper, probability, known }) {
    const [pair, text] = [address("pair", { hypo, hyper }), `${shown(hypo)} entails ${shown(hyper)}`];
    const button = (name, action) =>
      h("button", { type: "button", "aria-label": `${name}: ${text}`, onclick: () => action(hypo, hyper) }, name);
    return h(
      "li",
      {},
      h("span", { className: "what" }, "entails ", h("a", { href: pair, "aria-label": `Why ${text}` }, shown(hyper))),
      known || probability === null ? null : bar(probability),
      h("span", { className: "number" }, known ? "you said so" : probability === null ? "" : percent(probability)),
      h("span", { className: "tax-line" }, known ? null : button("Keep", keep), button("Forbid", forbid)),
    );
  }

  return { element, update, focus: () => select?.focus() };
}
