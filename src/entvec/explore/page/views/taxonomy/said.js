// What a person has decided about a list, and what that has changed against the model alone.
import { difference } from "/lib/document.js";
import { fresh, h } from "/lib/dom.js";
import { counted } from "/lib/numbers.js";
import { enumerated } from "/lib/several.js";
import { shown } from "/lib/words.js";
import { listed } from "/views/taxonomy/decisions.js";

/** A card; `takeBack(decision)` is called by the button beside one. */
export function saidCard(takeBack) {
  const heading = fresh("said");
  const list = h("ul", { className: "tax-said" });
  const moves = h("div", { className: "tax-moves" });
  const element = h(
    "section",
    { className: "card", "aria-labelledby": heading, hidden: true },
    h("h2", { id: heading }, "What you said"),
    moves,
    list,
  );

  function line(decision) {
    const undo = {
      type: "button",
      className: "chip",
      "aria-label": `Take back: ${decision.text}`,
      onclick: () => takeBack(decision),
    };
    return h("li", {}, h("span", {}, decision.text), h("button", undo, "take back"));
  }

  function update(decisions) {
    const all = listed(decisions);
    element.hidden = !all.length;
    list.replaceChildren(...all.map(line));
    if (!all.length) moves.replaceChildren();
  }

  /** `before` and `after` are states with parents: the model's own answer, and what is shown. */
  function compare(before, after) {
    const { byYou, byModel } = difference(before, after);
    const told = `Against the model alone, you moved ${byYou.length}, the model moved ${byModel.length}.`;
    const place = (parents) => (parents.length ? enumerated(parents.map(shown)) : "nothing");
    const move = (word) =>
      h("li", {}, `${shown(word)}: from ${place(before.parents[word])} to ${place(after.parents[word])}`);
    const part = (words, who) => (words.length ? [h("p", { className: "small" }, who), h("ul", {}, words.map(move))] : []);
    moves.replaceChildren(
      byYou.length + byModel.length
        ? h("details", {}, h("summary", {}, told), part(byYou, "By you:"), part(byModel, "By the model, after you:"))
        : h("p", { className: "small faint" }, told),
    );
  }

  return { element, update, compare };
}

/** What has moved, in a sentence or two: `moves` are { term, to }, `word` the one that the person moved. */
export function story(moves, word, most = 4) {
  const place = ({ term, to }, is = "") => `${shown(term)} ${is}${to.length ? `under ${to.map(shown).join(" and ")}` : "on top"}`;
  const own = moves.find(({ term }) => term === word);
  const others = moves.filter((each) => each !== own);
  const first = own ? `${place(own, "is ")} now.` : word ? `${shown(word)} stays where it is.` : "";
  if (!others.length) return first ? `${first} Nothing else moved.` : "Nothing moved.";
  const named = others.slice(0, most).map((each) => place(each));
  const rest = others.length - named.length;
  if (rest) named.push(`and ${counted(rest, "more", "more")}`);
  return `${first} ${word ? "Also moved" : "Moved"}: ${named.join("; ")}.`.trim();
}
