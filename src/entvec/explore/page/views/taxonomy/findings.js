// Findings of an audit: what each says, where in the tree it stands, and what it means to accept or reject it.

const MOST_REASON = 1_900; // characters of a reason that the server takes

/** Of each kind: what its mark says, what it says once accepted, and what the kind means. */
export const KINDS = {
  cycle: ["in a circle", "These terms entail each other all round, so all would mean the same."],
  contradiction: ["contradicts", "It is denied, and yet it follows from other edges."],
  reversed: ["turned round?", "The edge seems to lead the wrong way."],
  part: ["a part?", "A part stands under the whole that it is a part of, and is no kind of it."],
  whole: ["a whole?", "A whole stands under one of its parts."],
  sibling: ["siblings?", "One stands under the other, and both seem to be kinds of a third."],
  sense: ["other sense?", "The term stands under a word that means something else here."],
  improbable: ["improbable?", "Nothing that is known or inferred supports this edge."],
  duplicate: ["the same?", "The two terms seem to be the same."],
  distant: ["not direct?", "A better parent stands between the two."],
  missing: ["suggested", "This edge is not there, and seems to hold."],
  redundant: ["follows anyway", "The edge follows from others."],
  repeated: ["said twice", "Once is enough."],
  self: ["under itself", "Everything entails itself, so this says nothing."],
  orphan: ["alone", "The term has no edge."],
};

/** What accepting does, by `fix`: the button, and the mark afterwards; what rejecting says. */
const FIXES = {
  drop: ["Take it away", "goes"],
  reverse: ["Turn it round", "turns round"],
  "not narrower": ["Take it away", "goes"],
  same: ["Merge them", "merged"],
  narrower: ["Add it", "comes"],
  look: ["I have seen it", "seen"],
};
const REJECTED = { missing: ["Leave it out", "left out"], duplicate: ["Keep both", "both stay"], distant: ["Leave it there", "stays"] };

export function acceptance({ fix, instead }) {
  return instead ? ["Move it", "moves"] : (FIXES[fix] ?? FIXES.look);
}

export function rejection({ kind }) {
  return REJECTED[kind] ?? ["It is right", "stays"];
}

/** The mark of a finding in its row. */
export function markOf(finding, decision) {
  if (decision === "accept") return { text: `✓ ${acceptance(finding)[1]}`, kind: "accepted" };
  if (decision === "reject") return { text: `✕ ${rejection(finding)[1]}`, kind: "rejected" };
  return { text: (KINDS[finding.kind] ?? [finding.kind])[0], kind: finding.kind === "missing" ? "suggested" : "doubt" };
}

/** The edges of an audited taxonomy, and those that are suggested. */
export function withSuggested({ edges, findings }) {
  const there = new Set(edges.map(keyOf));
  const suggested = findings
    .filter(({ kind, hypo, hyper }) => isNew(kind) && hyper !== null && !there.has(keyOf({ hypo, hyper })))
    .map(({ hypo, hyper, probability }) => ({ hypo, hyper, probability, suggested: true }));
  const once = new Map(suggested.map((edge) => [keyOf(edge), edge]));
  return [...edges, ...once.values()];
}

const isNew = (kind) => kind === "missing" || kind === "distant";
const keyOf = ({ hypo, hyper }) => JSON.stringify([hypo, hyper]);

/** A function from a row of the tree to the findings that stand there. */
export function placed({ edges, findings }) {
  const there = new Set(edges.map(keyOf));
  const [ofEdges, ofTerms] = [new Map(), new Map()];
  const put = (map, key, finding) => map.set(key, [...(map.get(key) ?? []), finding]);
  for (const finding of findings) {
    const { hypo, hyper, kind } = finding;
    const edge = keyOf(finding);
    if (hyper !== null && (isNew(kind) || there.has(edge))) put(ofEdges, edge, finding);
    else put(ofTerms, hypo, finding);
  }
  return ({ term, edge, again }) => [
    ...(edge ? (ofEdges.get(keyOf({ hypo: term, hyper: edge.hyper })) ?? []) : []),
    ...(again ? [] : (ofTerms.get(term) ?? [])),
  ];
}

/** The rows of a review as /api/taxonomy/review takes them. */
export function reviewed(findings, decisions) {
  return findings.map(({ id, kind, hypo, hyper, fix, instead, severity, reason }) => ({
    decision: decisions[id] ?? "",
    term: hypo,
    relation: fix,
    target: hyper ?? "",
    instead: instead ?? "",
    probability: severity,
    reason: `${kind}: ${reason}`.slice(0, MOST_REASON),
    id,
  }));
}

/** What the decisions say of pairs, as the document counts it: pairs that hold, and pairs that do not. */
export function saidOf(findings, decisions, name) {
  const [entails, notEntails] = [[], []];
  for (const { id, fix, hypo, hyper } of findings) {
    if (hyper === null || !decisions[id]) continue;
    const holds = (fix === "narrower") === (decisions[id] === "accept");
    (holds ? entails : notEntails).push([name(hypo), name(hyper)]);
    if (fix === "reverse" && decisions[id] === "accept") entails.push([name(hyper), name(hypo)]);
  }
  return { entails, not_entails: notEntails };
}

/** The decisions of the text of a review, as CSV; only those about these findings. */
export function decisionsIn(text, findings) {
  const [head = [], ...rows] = cells(text);
  const [id, decision] = ["id", "decision"].map((name) => head.indexOf(name));
  const known = new Set(findings.map((finding) => finding.id));
  const made = rows
    .map((row) => [row[id], { accept: "accept", reject: "reject" }[row[decision]]])
    .filter(([each, made]) => known.has(each) && made);
  return id < 0 || decision < 0 ? null : Object.fromEntries(made);
}

/** The cells of a table with commas; cells in quotes may have commas, line ends and doubled quotes. */
function cells(text) {
  const rows = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    rows.at(-1).push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end !== "," && end !== "") rows.push([]);
  }
  return rows;
}
