// A hierarchy that is there already: what an audit finds stands in its tree, to be accepted or rejected.
import { ask, space } from "/lib/api.js";
import { h, say } from "/lib/dom.js";
import { counted } from "/lib/numbers.js";
import { askPatiently } from "/lib/patience.js";
import { asked as opened } from "/lib/opening.js";
import { joined, separated } from "/lib/several.js";
import { trouble } from "/lib/trouble.js";
import { shown } from "/lib/words.js";
import { parentsOf } from "/views/taxonomy/built.js";
import { fields } from "/views/taxonomy/decisions.js";
import { exporting } from "/views/taxonomy/exporting.js";
import { findingPanel } from "/views/taxonomy/finding_panel.js";
import { decisionsIn, placed, reviewed, saidOf, withSuggested } from "/views/taxonomy/findings.js";
import { hierarchyPicture, verdict } from "/views/taxonomy/hierarchy_picture.js";
import { some, tidy } from "/views/taxonomy/listing.js";
import { hierarchyForm, readable } from "/views/taxonomy/pasting.js";
import { reviewCard } from "/views/taxonomy/review.js";

export { hierarchyWays as ways } from "/views/taxonomy/ways.js";

const SCORED = 1_000; // pairs that the server scores at once
let audited = { key: null, answer: null }; // the last audit: decisions do not change it

export function read(params) {
  const decided = (name) => separated(params.get(name) ?? "").map((id) => [id, name]);
  const decisions = Object.fromEntries([...decided("accept"), ...decided("reject")]);
  return {
    kind: "hierarchy",
    text: params.get("text") ?? "",
    ...(params.get("format") ? { format: params.get("format") } : {}),
    ...(params.has("stated") ? { missing: false } : {}),
    ...(params.has("kept") ? { lost: true } : {}),
    ...(Object.keys(decisions).length ? { decisions } : {}),
  };
}

export function write({ text, format, missing, decisions }) {
  const ids = (which) => joined(Object.entries(decisionsOf({ decisions })).filter(([, made]) => made === which).map(([id]) => id));
  return { text, format, stated: missing === false ? 1 : "", accept: ids("accept"), reject: ids("reject") };
}

export function title() {
  return "A hierarchy";
}

/** The decisions of a state that anyone may have written. */
function decisionsOf({ decisions }) {
  const given = decisions !== null && typeof decisions === "object" ? Object.entries(decisions) : [];
  return Object.fromEntries(given.filter(([, made]) => made === "accept" || made === "reject"));
}

export async function show(root, state, change, { signal }) {
  let now = state;
  const { formats } = await space();
  if (signal.aborted) return;
  const results = h("div");
  const form = hierarchyForm(readable(formats), check);
  const fold = h(
    "details",
    { className: "card tax-words", open: !state.text },
    h("summary", {}, "Text and options"),
    form.element,
  );
  root.classList.toggle("unbegun", !state.text);
  root.append(h("h1", {}, title()), h("p", { className: "tax-lead" }, introduction()), fold, results);
  form.update({ ...state, format: Object.hasOwn(readable(formats), state.format ?? "") ? state.format : "" });
  if (state.lost) form.tell(LOST);
  if (!state.text) return;
  if (form.problem()) return refused(form.problem());

  const taxonomy = { text: state.text, format: form.format() || null };
  const key = JSON.stringify([taxonomy, state.missing]);
  if (audited.key !== key) {
    results.replaceChildren(h("p", { className: "waiting" }, "Every term is compared with every other…"));
    try {
      const asked = { taxonomy, missing: state.missing !== false };
      audited = { key, answer: await askPatiently("/api/taxonomy/audit", asked, signal) };
    } catch (error) {
      if (signal.aborted) return;
      results.replaceChildren();
      if (error.kind === "invalid") refused(error.message);
      else results.append(trouble(error));
      return;
    }
  }
  const { answer } = audited;
  const { findings } = answer;
  const labels = new Map(Object.entries(answer.labels)); // a term itself might be “constructor”
  const name = (term) => shown(tidy(labels.get(term) ?? term));
  const at = placed(answer);
  const panel = findingPanel({ name, decide, leave: () => picture.focus() });
  const picture = hierarchyPicture({
    name,
    at,
    decisions: () => decisionsOf(now),
    choose: (row) => panel.update(row, at(row), decisionsOf(now)),
    act: () => panel.focus(),
    decide,
  });
  const review = reviewCard({ open: takenOver, asList });
  const problem = h("div");
  const converted = (format) => asked(decisionsOf(now), format);
  const side = h("div", { className: "tax-side" }, panel.element, review.element, exporting(converted, formats, signal));
  const rows = { terms: answer.terms, edges: withSuggested(answer) };
  results.replaceChildren(
    h("p", { className: "tax-verdict" }, verdict(answer)),
    strangers(answer.without_vector, name),
    problem,
    h("div", { className: "tax-result" }, picture.element, side),
  );
  say(verdict(answer));
  picture.update(rows, findings);
  let turn = settle(decisionsOf(now));
  await turn;
  if (signal.aborted) return;
  const edges = await scored(rows.edges, name, signal);
  if (!signal.aborted) picture.update({ ...rows, edges }, findings);

  /** The same text keeps its decisions. */
  function check(next) {
    const { decisions } = next.text === now.text ? now : {};
    const given = Object.entries({ ...next, decisions }).filter(([, value]) => value !== undefined);
    opened({ kind: "hierarchy", ...Object.fromEntries(given) });
  }

  function refused(message) {
    fold.open = true;
    form.tell(message);
  }

  function asked(decisions, format = null) {
    return askPatiently("/api/taxonomy/review", { taxonomy, rows: reviewed(findings, decisions), format }, signal);
  }

  /** What becomes of a finding; `then` is done afterwards, as going on to the next one. */
  function decide(finding, decision, then = () => {}) {
    turn = turn.then(() => {
      const { [finding.id]: before, ...others } = decisionsOf(now);
      return settle(decision ? { ...others, [finding.id]: decision } : others).then((settled) => settled && then());
    });
  }

  /** Ask what decisions change; those that cannot be are taken back. Whether they stay. */
  async function settle(decisions) {
    if (signal.aborted) return false;
    let made;
    try {
      made = await asked(decisions);
    } catch (error) {
      if (!signal.aborted) problem.replaceChildren(trouble(error), h("p", {}, "This decision was taken back."));
      return false;
    }
    const named = (edges) => edges.map(({ hypo, hyper }) => ({ hypo: name(hypo), hyper: name(hyper) }));
    const parents = parentsOf({ terms: made.terms.map(name), edges: named(made.edges) });
    const some = Object.keys(decisions).length ? decisions : undefined;
    const said = some ? saidOf(findings, decisions, name) : { entails: undefined, not_entails: undefined };
    now = { ...now, decisions: some, parents };
    change({ decisions: some, parents, ...said });
    problem.replaceChildren();
    review.update(findings, decisions, made);
    picture.redraw();
    const row = picture.current();
    if (!panel.element.hidden && row) panel.update(row, at(row), decisions);
    return true;
  }

  function takenOver(text) {
    const decisions = decisionsIn(text, findings);
    if (decisions === null) return "This is no review: it has no columns id and decision.";
    turn = turn.then(() => settle({ ...decisionsOf(now), ...decisions }));
    return `${counted(Object.keys(decisions).length, "decision")} taken over.`;
  }

  function asList({ terms, edges }) {
    const pairs = edges.map(({ hypo, hyper }) => [name(hypo), name(hyper)]).filter(([hypo, hyper]) => hypo !== hyper);
    const under = new Set(pairs.map(([hypo]) => hypo));
    const { not_entails: not = [] } = saidOf(findings, decisionsOf(now), name);
    const words = [...new Set(terms.map(name))];
    const roots = [...new Set(pairs.map(([, hyper]) => hyper))].filter((word) => !under.has(word));
    opened({ kind: "list", words, ...fields({ entails: pairs, not_entails: not, roots }) });
  }
}

const LOST = "What this address stands for is too long to be in it, and was kept in another browser. Paste it here again.";

function introduction() {
  return (
    "Paste a hierarchy that you have: an indented list, edges in columns, SKOS, OBO, GraphML or JSON. " +
    "What seems wrong is marked in its tree; accept or reject each, and save the corrected file and the review."
  );
}

function strangers(terms, name) {
  if (!terms.length) return "";
  const one = terms.length === 1;
  return h(
    "p",
    { className: "notice" },
    `${one ? "One term is" : `${terms.length} terms are`} not known, `,
    `so nothing is said of the edges that ${one ? "it has" : "they have"}: ${some(terms.map(name))}.`,
  );
}

/** The edges with the probabilities of the space, where the file has none; a picture without them will do, too. */
async function scored(edges, name, signal) {
  const open = edges.filter((edge) => edge.probability === null).slice(0, SCORED);
  if (!open.length) return edges;
  try {
    const pairs = open.map(({ hypo, hyper }) => [name(hypo), name(hyper)]);
    const answer = await ask("/api/score", { pairs, missing: "nan" }, signal);
    const found = new Map(open.map((edge, i) => [edge, answer.pairs[i].probability]));
    return edges.map((edge) => ({ ...edge, probability: edge.probability ?? found.get(edge) ?? null }));
  } catch {
    return edges;
  }
}
