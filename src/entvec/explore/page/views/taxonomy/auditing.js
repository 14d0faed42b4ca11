// Audit: paste a hierarchy, see what is wrong with it.
import { ask, space } from "/lib/api.js";
import { address, go } from "/lib/address.js";
import { fresh, h, say } from "/lib/dom.js";
import { counted } from "/lib/numbers.js";
import { askPatiently } from "/lib/patience.js";
import { trouble } from "/lib/trouble.js";
import { shown } from "/lib/words.js";
import { paramsOf } from "/views/taxonomy/building.js";
import { MOST, taken } from "/views/taxonomy/corrections.js";
import { exporting } from "/views/taxonomy/exporting.js";
import { DOUBTS, findingsOf } from "/views/taxonomy/findings.js";
import { LOST, kept, recalled } from "/views/taxonomy/keeping.js";
import { some, tidy } from "/views/taxonomy/listing.js";
import { auditForm, readable } from "/views/taxonomy/pasting.js";
import { tree } from "/views/taxonomy/tree.js";

const SCORED = 1_000; // pairs that the server scores at once

export async function show(root, params, signal, left) {
  const found = recalled(params);
  const state = { text: found?.get("text") ?? "", format: found?.get("format") ?? "", missing: !found?.has("stated") };
  const paramsFor = ({ text, format, missing }, key) =>
    kept({ mode: "audit", text, format, stated: missing ? "" : 1 }, key);
  const formats = readable((await space()).formats);
  if (!Object.hasOwn(formats, state.format)) state.format = ""; // then the text tells it
  const results = h("div");
  const form = auditForm(state, formats, (next) => go("taxonomy", paramsFor(next)));
  root.append(
    h("h1", {}, "Audit a hierarchy"),
    state.text
      ? ""
      : h(
          "p",
          {},
          "Paste a hierarchy that you have: an indented list, edges in columns, SKOS, OBO, GraphML or JSON. ",
          "You see which edges are doubtful, turned round, in a circle, or missing, and can correct them.",
        ),
    found === null ? trouble(LOST) : "",
    form.element,
    results,
  );
  left(address("taxonomy", state.text ? paramsFor(state, params.get("kept")) : { mode: "audit" }));
  if (!state.text) return;
  const problem = form.problem();
  if (problem) {
    form.tell(problem);
    return;
  }

  const taxonomy = { text: state.text, format: state.format || null };
  let answer;
  try {
    results.replaceChildren(h("p", { className: "waiting" }, "Every term is compared with every other…"));
    answer = await askPatiently("/api/taxonomy/audit", { taxonomy, missing: state.missing }, signal);
  } catch (error) {
    if (signal.aborted) return;
    results.replaceChildren();
    if (error.kind === "invalid") form.tell(error.message);
    else results.append(trouble(error));
    return;
  }

  const labels = new Map(Object.entries(answer.labels)); // a term itself might be “constructor”
  const name = (term) => shown(tidy(labels.get(term) ?? term));
  const findings = findingsOf(answer, name);
  const heading = fresh("understood");
  const drawing = tree({ label: "The hierarchy as it was understood", name, marks: (row) => marked(row, answer) });
  const exports = await exporting(() => taxonomy, signal);
  results.replaceChildren(
    h("p", { className: "tax-verdict" }, verdict(answer)),
    strangers(answer.without_vector, name),
    findings.element,
    h(
      "div",
      { className: "tax-result" },
      h(
        "section",
        { className: "card tax-picture", "aria-labelledby": heading },
        h("h2", { id: heading }, "As it was understood"),
        drawing.element,
      ),
      h("div", { className: "tax-side" }, takingOver(answer, findings, name), exports),
    ),
  );
  say(verdict(answer));
  drawing.update(doubted(answer, answer.edges));
  const edges = await scored(answer, name, signal);
  if (!signal.aborted) drawing.update(doubted(answer, edges));
}

function verdict({ terms, edges, findings, without_vector }) {
  if (!edges.length) return "This looks like no hierarchy: there are no edges in it.";
  const size = `${counted(terms.length, "term")} and ${counted(edges.length, "edge")}`;
  if (!findings.length && without_vector.length === terms.length)
    return `None of the ${counted(terms.length, "term")} is in the vocabulary, so no edge could be judged.`;
  if (!findings.length)
    return `Nothing found in ${size}: no circle, nothing turned round, nothing improbable. That is a good answer.`;
  return `${counted(findings.length, "thing")} to look at, in ${size}.`;
}

function strangers(terms, name) {
  if (!terms.length) return "";
  const one = terms.length === 1;
  return h(
    "div",
    { className: "notice" },
    h(
      "p",
      {},
      `${one ? "One term is" : `${terms.length} terms are`} not in the vocabulary, `,
      `so that nothing is said of the edges that ${one ? "it has" : "they have"}: ${some(terms.map(name))}.`,
    ),
  );
}

/** The doubts about the edge of a row. */
function marked({ edge }, { findings }) {
  if (!edge) return [];
  const about = findings.filter(
    ({ kind, hypo, hyper }) => kind in DOUBTS && hypo === edge.hypo && hyper === edge.hyper,
  );
  return about.map(({ kind }) => ({ text: DOUBTS[kind], kind: "doubt" }));
}

function doubted({ terms, findings }, edges) {
  const doubts = new Set(
    findings.filter(({ kind }) => kind in DOUBTS).map(({ hypo, hyper }) => JSON.stringify([hypo, hyper])),
  );
  return {
    terms,
    edges: edges.map((edge) => ({ ...edge, doubt: doubts.has(JSON.stringify([edge.hypo, edge.hyper])) })),
  };
}

/** The edges with the probabilities of the space, where the file has none; a picture without them will do, too. */
async function scored({ edges }, name, signal) {
  const open = edges.filter((edge) => edge.probability === null).slice(0, SCORED);
  if (!open.length) return edges;
  try {
    const { pairs } = await ask(
      "/api/score",
      { pairs: open.map(({ hypo, hyper }) => [name(hypo), name(hyper)]), missing: "nan" },
      signal,
    );
    const found = new Map(open.map((edge, i) => [edge, pairs[i].probability]));
    return edges.map((edge) => ({ ...edge, probability: edge.probability ?? found.get(edge) ?? null }));
  } catch {
    return edges;
  }
}

function takingOver({ terms, edges }, findings, name) {
  const heading = fresh("over");
  const words = [...new Set(terms.map(name))];
  const tooMany = words.length > MOST || edges.length > MOST;
  function over() {
    const { out, added } = findings.ticked();
    const isOut = new Set(out.map((pair) => JSON.stringify(pair)));
    const pairs = edges.map(({ hypo, hyper }) => [hypo, hyper]);
    const kept = [...pairs.filter((pair) => !isOut.has(JSON.stringify(pair))), ...added];
    const named = (list) => list.map((pair) => pair.map(name)).filter(([hypo, hyper]) => hypo !== hyper);
    go("taxonomy", paramsOf({ words, said: taken(named(kept), named(out)) }));
  }
  return h(
    "section",
    { className: "card", "aria-labelledby": heading },
    h("h2", { id: heading }, "Correct it"),
    tooMany
      ? h(
          "p",
          {},
          `Build takes lists of ${MOST} words and as many edges; `,
          `this has ${counted(words.length, "word")} and ${counted(edges.length, "edge")}. Paste a part of it.`,
        )
      : [
          h("p", {}, "Build takes the terms over. Their edges are kept as they are, but for what is ticked above."),
          h("button", { type: "button", className: "main", onclick: over }, "Correct it in Build"),
        ],
  );
}
