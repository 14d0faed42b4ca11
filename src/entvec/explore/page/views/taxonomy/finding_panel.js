// The findings about one row of a hierarchy: why, how sure, and the decision.
import { address } from "/lib/address.js";
import { fresh, h } from "/lib/dom.js";
import { percent } from "/lib/numbers.js";
import { sentence } from "/lib/trouble.js";
import { arrows, bar } from "/lib/words.js";
import { KINDS, acceptance, rejection } from "/views/taxonomy/findings.js";

/** A panel; `decide(finding, decision)` is called by its buttons, `leave` by Escape. `name` is what terms are called. */
export function findingPanel({ name, decide, leave }) {
  const heading = fresh("row");
  const element = h("section", {
    className: "card tax-chosen",
    "aria-labelledby": heading,
    hidden: true,
    onkeydown: (event) => event.key === "Escape" && (event.preventDefault(), leave()),
  });

  function update(row, findings, decisions) {
    element.hidden = row === null;
    if (row === null) return;
    const at = document.activeElement?.dataset?.finding ?? null;
    element.replaceChildren(
      h("h2", { id: heading }, h("a", { className: "specimen", href: address("word", { word: name(row.term) }) }, name(row.term))),
      row.edge ? h("p", { className: "small faint" }, row.edge.suggested ? "not yet " : "", "under ", name(row.edge.hyper)) : "",
      findings.length
        ? h("ul", { className: "tax-findings" }, findings.map((finding) => one(finding, decisions[finding.id])))
        : h("p", {}, "Nothing was found here."),
    );
    if (at) [...element.querySelectorAll("[data-finding]")].find((each) => each.dataset.finding === at)?.focus();
  }

  function one(finding, decision) {
    const { kind, hypo, hyper, probability, reversed_probability: back } = finding;
    const [title, meaning] = KINDS[kind] ?? [kind, ""];
    return h(
      "li",
      {},
      h("h3", {}, said(finding) ?? title),
      h("p", { className: "small" }, meaning),
      h("p", { className: "small faint" }, sentence(arrows(finding.reason))),
      probability === null || hyper === null
        ? null
        : h(
            "ul",
            { className: "tax-measures" },
            measured(hypo, hyper, probability),
            back === null ? null : measured(hyper, hypo, back),
          ),
      h("div", { className: "tax-line" }, choice(finding, decision, "accept"), choice(finding, decision, "reject")),
    );
  }

  function said({ kind, hypo, hyper, path, instead }) {
    if (hyper === null || hypo === hyper) return null;
    if (kind === "cycle") return path.map(name).join(" → ");
    if (kind === "duplicate") return `${name(hypo)} = ${name(hyper)}`;
    const link = h(
      "a",
      { href: address("pair", { first: name(hypo), second: name(hyper) }) },
      `${name(hypo)} → ${name(hyper)}`,
    );
    return instead ? [link, ` instead of ${name(instead)}`] : link;
  }

  function measured(from, to, probability) {
    return h(
      "li",
      {},
      h("span", {}, `${name(from)} → ${name(to)}`),
      bar(probability),
      h("span", { className: "number" }, percent(probability)),
    );
  }

  function choice(finding, decision, which) {
    const [text] = which === "accept" ? acceptance(finding) : rejection(finding);
    const chosen = decision === which;
    return h(
      "button",
      {
        type: "button",
        className: `decide ${which}`,
        "aria-pressed": String(chosen),
        "data-finding": `${which} ${finding.id}`,
        onclick: () => decide(finding, chosen ? null : which),
      },
      `${which === "accept" ? "✓ Accept" : "✕ Reject"}: ${text.charAt(0).toLowerCase()}${text.slice(1)}`,
    );
  }

  return { element, update, focus: () => element.querySelector("button")?.focus() };
}
