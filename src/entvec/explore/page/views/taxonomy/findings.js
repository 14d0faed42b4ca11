// What an audit has found: kind by kind, the gravest first, each with its reason.
import { address } from "/lib/address.js";
import { fresh, h } from "/lib/dom.js";
import { percent } from "/lib/numbers.js";
import { sentence } from "/lib/trouble.js";
import { bar } from "/lib/words.js";

const KINDS = {
  cycle: ["In a circle", "These terms entail each other all round, so all would mean the same."],
  contradiction: ["Contradictions", "Denied, and yet it follows from other edges."],
  reversed: ["Turned round", "These edges seem to lead the wrong way."],
  improbable: [
    "Improbable",
    "The vectors support these edges less than the others here. " +
      "An edge is compared with the other edges of this hierarchy, and with how near its words are: " +
      "so one with 50% may be improbable, where the others have more.",
  ],
  missing: ["Missing", "The vectors suggest these edges."],
  redundant: ["Redundant", "These edges follow from others."],
  repeated: ["Said twice", "Once is enough."],
  self: ["Under themselves", "Everything entails itself, so this says nothing."],
  orphan: ["Alone", "These terms have no edge."],
};
export const DOUBTS = { cycle: "in a circle", reversed: "turned round?", improbable: "improbable?" };
const FEW = 20; // of a kind, before one asks for more
const SURE = 0.5; // how probably wrong an edge is that is ticked from the start

/** The findings of an audit; `ticked()` are the edges that a person wants left out, and those to be added. */
export function findingsOf({ findings, without_vector }, name) {
  const strangers = new Set(without_vector);
  const ticks = [];

  const link = (finding, text) =>
    h(
      "a",
      {
        href: address("pair", { hypo: name(finding.hypo), hyper: name(finding.hyper) }),
        "aria-label": `${text}: why?`,
      },
      text,
    );

  function said(finding) {
    const { hypo, hyper, path } = finding;
    if (hyper === null || hypo === hyper) return h("span", {}, name(hypo));
    const text =
      path.length && finding.kind === "cycle" ? path.map(name).join(" → ") : `${name(hypo)} → ${name(hyper)}`;
    return strangers.has(hypo) || strangers.has(hyper) ? h("span", {}, text) : link(finding, text);
  }

  function measured(from, to, probability, kind) {
    return h(
      "li",
      {},
      h("span", {}, `${name(from)} entails ${name(to)}`),
      bar(probability, kind),
      h("span", { className: "number" }, percent(probability)),
    );
  }

  function tick(finding) {
    const { kind, hypo, hyper, severity } = finding;
    if (!(kind in DOUBTS) && kind !== "missing") return null;
    const text =
      kind === "missing" ? "Add it" : kind === "cycle" ? `Leave out ${name(hypo)} → ${name(hyper)}` : "Leave it out";
    const box = h("input", {
      type: "checkbox",
      checked: kind === "cycle" || (kind !== "missing" && severity >= SURE),
      "aria-label": `${text}: ${name(hypo)} entails ${name(hyper)}`,
    });
    ticks.push({ box, finding });
    return h("label", { className: "tick" }, box, text);
  }

  function one(finding) {
    const { kind, hypo, hyper, probability, reversed_probability: back } = finding;
    return h(
      "li",
      {},
      h("div", { className: "tax-finding" }, h("strong", {}, said(finding)), tick(finding)),
      h("p", { className: "small faint" }, sentence(finding.reason)),
      probability === null
        ? null
        : h(
            "ul",
            { className: "tax-measures" },
            measured(hypo, hyper, probability, kind === "missing" ? "yes" : "no"),
            measured(hyper, hypo, back, ""),
          ),
    );
  }

  function group([kind, found]) {
    const [title, meaning] = KINDS[kind] ?? [kind, ""];
    const heading = fresh("kind");
    const all = found.map(one);
    const list = h("ul", { className: "tax-findings" }, all.slice(0, FEW));
    const more = h(
      "button",
      {
        type: "button",
        onclick: () => (list.append(...all.slice(FEW)), more.remove(), all[FEW].querySelector("a, input")?.focus()),
      },
      `Show all ${all.length}`,
    );
    return h(
      "section",
      { className: `card kind-${kind}`, "aria-labelledby": heading },
      h("h2", { id: heading }, `${title} (${found.length})`),
      h("p", { className: "faint small" }, meaning),
      list,
      all.length > FEW ? more : null,
    );
  }

  const element = h("div", { className: "tax-kinds" }, [...Map.groupBy(findings, ({ kind }) => kind)].map(group));

  function ticked() {
    const chosen = ticks.filter(({ box }) => box.checked).map(({ finding }) => finding);
    const pairs = (list) => list.map(({ hypo, hyper }) => [hypo, hyper]);
    return {
      out: pairs(chosen.filter(({ kind }) => kind !== "missing")),
      added: pairs(chosen.filter(({ kind }) => kind === "missing")),
    };
  }

  return { element, ticked };
}
