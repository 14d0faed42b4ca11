// The picture of a hierarchy: its tree with what was found in it, and the way from one finding to the next.
import { fresh, h } from "/lib/dom.js";
import { counted } from "/lib/numbers.js";
import { KINDS, acceptance, markOf, rejection } from "/views/taxonomy/findings.js";
import { tree } from "/views/taxonomy/tree.js";

/**
 * The picture. `at(row)` are the findings of a row, `decisions()` what was decided of each, `choose(row)` and `act(row)`
 * are called by the tree, `decide(finding, decision, then)` by buttons and keys in it.
 */
export function hierarchyPicture({ name, at, decisions, choose, act, decide }) {
  const heading = h("h2", { id: fresh("hierarchy") }, "The hierarchy");
  const kinds = h("p", { className: "chips tax-kinds", role: "group", ariaLabel: "Go to the next finding" });
  let shown = { terms: [], edges: [] };
  let all = [];
  const open = (row) => at(row).filter(({ id }) => !decisions()[id]);
  const drawing = tree({
    label: "The hierarchy as it was understood",
    name,
    marks: (row) => at(row).map((finding) => markOf(finding, decisions()[finding.id])),
    controls,
    choose,
    act,
    keys,
  });
  const element = h(
    "section",
    { className: "card tax-picture", "aria-labelledby": heading.id },
    heading,
    help(),
    kinds,
    drawing.element,
  );

  /** Buttons for what is still open in a row, or the way back from what was decided. */
  function controls(row) {
    const findings = at(row);
    if (!findings.length) return all.length ? h("span", { className: "tax-decide" }) : null; // numbers stay aligned
    const [next] = open(row);
    if (!next)
      return h("span", { className: "tax-decide" }, tool("↶", "Open again", () => reopen(findings)));
    const what = `${name(next.hypo)}${next.hyper === null ? "" : ` → ${name(next.hyper)}`}`;
    const button = (sign, which, [text]) =>
      tool(sign, `${which === "accept" ? "Accept" : "Reject"}: ${text.toLowerCase()} (${what})`, () => decide(next, which), which);
    return h("span", { className: "tax-decide" }, button("✓", "accept", acceptance(next)), button("✕", "reject", rejection(next)));
  }

  function tool(sign, text, onclick, className = "") {
    return h("button", { type: "button", className: `decide ${className}`, tabIndex: -1, title: text, "aria-label": text, onclick }, sign);
  }

  function reopen(findings) {
    for (const finding of findings) decide(finding, null);
  }

  function keys(event, row) {
    const which = { "+": "accept", "=": "accept", "-": "reject" }[event.key];
    const [finding] = open(row);
    if (which && finding) decide(finding, which, () => open(row).length || seek(1));
    else if (event.key === "PageDown" || event.key === "PageUp") seek(event.key === "PageDown" ? 1 : -1);
    else return which !== undefined;
    return true;
  }

  /** Go to the next row that has something open, of a kind if one is given. */
  function seek(step, kind = null) {
    drawing.seek((row) => open(row).some((finding) => kind === null || finding.kind === kind), step);
  }

  function update(taxonomy, findings) {
    [shown, all] = [taxonomy, findings];
    redraw();
  }

  function redraw() {
    drawing.update(shown);
    const left = all.filter(({ id }) => !decisions()[id]);
    const chip = (text, kind) => h("button", { type: "button", className: "chip", onclick: () => seek(1, kind) }, text);
    const groups = [...Map.groupBy(left, ({ kind }) => kind)];
    kinds.replaceChildren(
      ...(left.length > 1 ? [chip(`next of ${left.length} open`, null)] : []),
      ...groups.map(([kind, found]) => chip(`${(KINDS[kind] ?? [kind])[0]} ${found.length}`, kind)),
    );
    if (all.length && !left.length) kinds.replaceChildren("Everything is decided.");
  }

  const { current, rowOf } = drawing;
  return { element, update, redraw, current, rowOf, focus: () => drawing.focusAgain() };
}

/** What an audit says on the whole. */
export function verdict({ terms, edges, findings, without_vector: unknown }) {
  if (!edges.length) return "This looks like no hierarchy: there are no edges in it.";
  const size = `${counted(terms.length, "term")} and ${counted(edges.length, "edge")}`;
  if (!findings.length && unknown.length === terms.length)
    return `None of the ${counted(terms.length, "term")} is known, so no edge could be judged.`;
  if (!findings.length)
    return `Nothing found in ${size}: no circle, nothing turned round, nothing improbable. That is a good answer.`;
  return `${counted(findings.length, "thing")} to look at, in ${size}.`;
}

function help() {
  return h(
    "p",
    { className: "faint small" },
    "✓ accepts what is suggested, ✕ says that the hierarchy is right. ",
    h(
      "span",
      { className: "with-keys" },
      "By keyboard: Page Down goes to the next finding, + accepts, − rejects, Enter tells why, Ctrl+Z undoes.",
    ),
  );
}
