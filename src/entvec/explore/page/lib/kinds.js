// Which view shows which kind of state; a view is loaded when it is first shown. `lib/stage.js` says what a view is.
const VIEWS = {
  start: () => import("/views/start.js"),
  word: () => import("/views/word.js"),
  pair: () => import("/views/pair.js"),
  map: () => import("/views/map.js"),
  list: () => import("/views/list.js"),
  hierarchy: () => import("/views/hierarchy.js"),
  theory: () => import("/views/theory.js"),
};

/** Kinds of states beside which words and pairs are shown in a panel. */
export const PICTURES = ["start", "map", "list", "hierarchy"];

/** The kind of state at an address; null if there is none. */
export function kindOf(path, params) {
  const name = path.slice(1) || "start";
  if (name === "taxonomy") return params.get("mode") === "audit" ? "hierarchy" : "list";
  return Object.hasOwn(VIEWS, name) ? name : null;
}

export function viewOf(kind) {
  return VIEWS[kind]();
}
