// A place where one state is shown by its view. What is shown already and has not changed stays as it is.
//
// A view is a module of `/views` that exports
//   read(params) -> state            of the parameters of an address, a URLSearchParams
//   write(state) -> params           for an address, as an object
//   title(state) -> text             of the page while the state is shown
//   ways(state) -> { command, python, curl }   for “Copy as”; optional, and each of them, too
//   show(root, state, change, { signal, beside }) -> a function that ends it, nothing, or a promise of either
// `change(patch)` changes fields of the state: the document and the address follow, and the view has already drawn
// what it changed. When the state changes otherwise (undo, back, a version), the view is ended and shown anew. `signal`
// is aborted when the view is left; `beside` is true in the panel.
import { h } from "/lib/dom.js";
import { equal } from "/lib/document.js";
import { trouble } from "/lib/trouble.js";

export class Stage {
  #root;
  #beside;
  #shown = null; // the state
  #end = null;
  #controller = new AbortController();

  constructor(root, beside = false) {
    this.#root = root;
    this.#beside = beside;
  }

  /** The view itself has changed its state to this one. */
  holds(state) {
    this.#shown = state;
  }

  /** Show a state by its view; `anew` also if it is shown already. */
  async show(view, state, change, anew = false) {
    if (!anew && equal(state, this.#shown)) return;
    this.clear();
    this.#shown = state;
    const { signal } = this.#controller;
    const place = h("div", { className: "state" }); // its own: what a view writes after it was left is not seen
    this.#root.replaceChildren(place);
    try {
      const end = await view.show(place, state, (patch) => signal.aborted || change(patch), {
        signal,
        beside: this.#beside,
      });
      if (signal.aborted) end?.();
      else this.#end = end;
    } catch (error) {
      if (!signal.aborted) place.append(trouble(error));
    }
  }

  clear() {
    this.#controller.abort();
    this.#controller = new AbortController();
    this.#shown = null;
    this.#end?.();
    this.#end = null;
    this.#root.replaceChildren();
  }
}
