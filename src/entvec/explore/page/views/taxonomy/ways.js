// A list, and a hierarchy, as a command, as Python and as a request of the API.
import { command, curlOf, python, pythonOf } from "/lib/copying.js";
import { LEAST } from "/views/taxonomy/built.js";
import { decisionsOf } from "/views/taxonomy/decisions.js";

const KNOWN = "known.tsv"; // the file with decisions

export function ways(state) {
  const held = decisionsOf(state);
  return { command: asCommand(state, held), python: asPython(state, held), curl: asCurl(state, held) };
}

/** Decisions about pairs are a file: a column says which pairs do not hold. */
function asCommand({ words, shape, least, add, root }, { entails, not_entails }) {
  const options = [
    ...(shape ? ["--shape", shape] : []),
    ...(least === undefined ? [] : ["--least", least]),
    ...(add ? ["--add"] : []),
    ...(root ? ["--root", root] : []),
  ];
  const rows = [
    ...entails.map((pair) => [...pair, "entails"]),
    ...not_entails.map((pair) => [...pair, "not_entails"]),
  ];
  if (!rows.length) return command("entvec", "taxonomy", "build", ...words, ...options);
  const lines = [["hypo", "hyper", "relation"], ...rows].map((cells) => cells.join("\t"));
  return [
    `${command("printf", "%s\\n", ...lines)} > ${KNOWN}`,
    command("entvec", "taxonomy", "build", ...words, ...options, "--edges", KNOWN),
  ].join("\n");
}

function asPython({ words, shape, least, add, root }, { entails, not_entails, roots }) {
  const given = { shape, least, add, root, ...some({ entails, not_entails, roots }) };
  const named = Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `, ${name}=${python(value)}`);
  return pythonOf(
    "from entvec.graphs import to_text",
    "from entvec.taxonomy import draft",
    "",
    `found = draft(${python(words)}, space${named.join("")})`,
    'print(to_text(found.taxonomy, "outline"))',
  );
}

function asCurl({ words, shape = "tree", least = LEAST, add = false, root = null }, held) {
  return curlOf("/api/taxonomy/build", { words, shape, least, add, root, ...some(held) });
}

function some(decisions) {
  return Object.fromEntries(Object.entries(decisions).filter(([, list]) => list.length));
}

export function hierarchyWays({ text, format, missing }) {
  const file = "hierarchy.txt";
  const kinds = missing === false ? ["--no-missing"] : [];
  return {
    command: [`${command("printf", "%s", text)} > ${file}`, command("entvec", "taxonomy", "audit", file, ...kinds)].join("\n"),
    python: pythonOf(
      "from entvec.graphs import from_text",
      "from entvec.taxonomy import audit",
      "",
      `hierarchy = from_text(${[text, ...(format ? [format] : [])].map(python).join(", ")})`,
      `found = audit(hierarchy, space, missing=${python(missing !== false)})`,
      "for finding in found.findings:",
      "    print(finding.kind, finding.hypo, finding.hyper, finding.reason)",
    ),
    curl: curlOf("/api/taxonomy/audit", { taxonomy: { text, ...(format ? { format } : {}) }, missing: missing !== false }),
  };
}
