// Views with `title(params)` and `show(root, params, signal)`, mounted as views of a state whose fields are parameters.
import { joined, separated } from "/lib/several.js";

export function adapted(kind, view) {
  const write = (state) =>
    state.params ?? { list: { words: joined(state.words ?? []) }, hierarchy: { mode: "audit", text: state.text } }[kind] ?? {};
  const paramsOf = (state) => new URLSearchParams(write(state));
  return {
    read: (params) => {
      const found = { ...Object.fromEntries(params), ...(kind === "hierarchy" ? { mode: "audit" } : {}) };
      const content = { list: { words: separated(found.words ?? "") }, hierarchy: { text: found.text ?? "" } };
      return { kind, ...content[kind], params: found };
    },
    write,
    title: (state) => view.title(paramsOf(state)),
    show: async (root, state, change, { signal }) => void (await view.show(root, paramsOf(state), signal)),
  };
}
