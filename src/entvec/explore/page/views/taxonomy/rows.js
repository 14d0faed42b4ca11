// A hierarchy as rows from top to bottom, each term under its parent.

/**
 * The rows of a taxonomy: { term, edge, depth, size, position, parents, children, again }. A term with several parents
 * has a row under each, and those below it are under the most probable; the other rows have `again`. Terms in a circle
 * have nothing above them from which to start, so one of them is put on top. Edges that are only `suggested` have rows
 * of their own, and no term is drawn below one.
 */
export function rowsOf({ terms, edges }, compare = () => 0) {
  const above = Map.groupBy(
    edges.filter(({ suggested }) => !suggested),
    ({ hypo }) => hypo,
  );
  const below = Map.groupBy(edges, ({ hyper }) => hyper);
  for (const children of below.values()) children.sort((a, b) => compare(a.hypo, b.hypo));
  const home = new Map(
    [...above].map(([term, each]) => [
      term,
      each.reduce((best, edge) => ((edge.probability ?? 0) > (best.probability ?? 0) ? edge : best)),
    ]),
  );
  const drawn = new Set();
  const rows = [];

  function draw(top, position, size) {
    const waiting = [{ term: top, edge: null, depth: 0, position, size }];
    while (waiting.length) {
      const row = waiting.pop();
      const again = drawn.has(row.term) || (row.edge !== null && home.get(row.term) !== row.edge);
      const children = again ? [] : (below.get(row.term) ?? []);
      if (!again) drawn.add(row.term);
      rows.push({ ...row, again, children: children.length, parents: above.get(row.term) ?? [] });
      const next = children.map((edge, i) => ({
        term: edge.hypo,
        edge,
        depth: row.depth + 1,
        position: i + 1,
        size: children.length,
      }));
      waiting.push(...next.reverse());
    }
  }

  const tops = terms.filter((term) => !above.has(term)).sort((a, b) => below.has(b) - below.has(a) || compare(a, b));
  tops.forEach((term, i) => draw(term, i + 1, tops.length));
  for (const term of terms) if (!drawn.has(term)) draw(term, 1, 1);
  return rows;
}

/** Which terms have other parents than before: { term, to }, of those that were there before. */
export function movedBetween(before, after) {
  const [was, is] = [before, after].map(parentsOf);
  return after.terms
    .filter((term) => was.has(term) && String(was.get(term)) !== String(is.get(term)))
    .map((term) => ({ term, to: is.get(term) }));
}

function parentsOf({ terms, edges }) {
  const found = new Map(terms.map((term) => [term, []]));
  for (const { hypo, hyper } of edges) found.get(hypo)?.push(hyper);
  for (const parents of found.values()) parents.sort();
  return found;
}
