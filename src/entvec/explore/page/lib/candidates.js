// Which of several candidates is a word? Their probabilities side by side, in one request.
import { address } from "/lib/address.js";
import { ask } from "/lib/api.js";
import { fresh, h } from "/lib/dom.js";
import { percent } from "/lib/numbers.js";
import { assumed, meaning } from "/lib/relation.js";
import { trouble } from "/lib/trouble.js";
import { arrows, bar, shown } from "/lib/words.js";

const MOST = 20;

/**
 * A card to compare `word` with `against`, a list of candidates; `proposed` are candidates for one who has none yet.
 * `changed(against)` is called when the person gives others.
 */
export function comparison({ word, against, proposed, changed, signal }) {
  const [id, field] = [fresh("comparison"), fresh("candidates")];
  const input = h("input", {
    id: field,
    type: "text",
    value: against.map(shown).join(" | "),
    placeholder: proposed.join(" | "),
    autocapitalize: "off",
    spellcheck: false,
    maxLength: 1000,
  });
  const place = h("div", { "aria-live": "polite" });
  const submitted = (event) => {
    event.preventDefault();
    const found = (input.value.trim() || input.placeholder).split(/\s*[|,;]\s*/).filter(Boolean);
    show([...new Set(found)].slice(0, MOST));
  };
  if (against.length) compare(against);
  return h(
    "section",
    { className: "card comparison", "aria-labelledby": id },
    h("h2", { id }, "Which of these is it?"),
    h(
      "form",
      { onsubmit: submitted },
      h("label", { htmlFor: field }, "Candidates, with | between"),
      h("div", { className: "box-line" }, input, h("button", {}, "Compare")),
    ),
    place,
  );

  function show(candidates) {
    input.value = candidates.join(" | ");
    changed(candidates);
    compare(candidates);
  }

  async function compare(candidates) {
    try {
      const found = await ask(
        "/api/relation",
        { pairs: candidates.map((each) => [word, each]), missing: "nan" },
        signal,
      );
      place.replaceChildren(...drawn(found));
    } catch (error) {
      if (!signal.aborted) place.replaceChildren(trouble(error));
    }
  }
}

function drawn({ pairs, base_rates: rates }) {
  const sure = (pair) => (pair.narrower === null ? -1 : pair.narrower + pair.same);
  const rows = [...pairs].sort((one, other) => sure(other) - sure(one));
  const fit = rows.filter((pair) => sure(pair) > 0.5);
  const [{ first }] = rows;
  const names = fit.map(({ second }) => shown(second));
  const told = names.length
    ? `${shown(first)} is a kind of ${names.join(" and of ")}.`
    : `${shown(first)} is probably none of them.`;
  return [
    h("p", { className: "comparison-answer" }, told),
    h(
      "ol",
      { className: "comparison-rows" },
      rows.map((pair) => row(pair, sure(pair))),
    ),
    h("p", { className: "small faint" }, `They do not exclude each other. ${assumed(rates)}`),
  ];
}

function row(pair, share) {
  const { first, second, relation, reason } = pair;
  const other =
    relation === "narrower" || relation === "same" || relation === "unknown"
      ? ""
      : `${meaning(relation, first, second)}: `;
  return h(
    "li",
    {},
    h("a", { className: "specimen", href: address("word", { word: second }) }, shown(second)),
    bar(Math.max(0, share), "general"),
    h(
      "a",
      {
        className: "number",
        href: address("pair", { first, second }),
        ariaLabel: `${percent(share < 0 ? null : share)}: why is ${shown(first)} a kind of ${shown(second)}, or not?`,
      },
      percent(share < 0 ? null : share),
    ),
    h("span", { className: "small faint" }, arrows(`${other}${reason}`)),
  );
}
