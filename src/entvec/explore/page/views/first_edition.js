// Views with `title(params)` and `show(root, params, signal)`, mounted as views of a state whose fields are parameters.
import { separated } from "/lib/several.js";

export function adapted(kind, view) {
  const paramsOf = (state) => new URLSearchParams(state.params ?? {});
  return {
    read: (params) => {
      const found = Object.fromEntries(params);
      const content = { list: { words: separated(found.words ?? "") }, hierarchy: { text: found.text ?? "" } };
      return { kind, ...content[kind], params: found };
    },
    write: (state) => state.params ?? {},
    title: (state) => view.title(paramsOf(state)),
    show: async (root, state, change, { signal }) => void (await view.show(root, paramsOf(state), signal)),
  };
}
