// The store: the one document of this page, kept by the browser. `lib/document.js` says what a document is.
import * as documents from "/lib/document.js";

const DOCUMENT = "entvec.document";
const VERSIONS = "entvec.versions";
const KEPT = "entvec.kept."; // states that are too long for an address
const QUIET = 250; // milliseconds: what is typed is saved when typing pauses
const MOST_VERSIONS = 50;

/** A store in a storage like localStorage; tests pass one of their own. */
export class Store {
  #history;
  #storage;
  #listeners = new Set();
  #timer;
  #full = false;

  constructor(storage) {
    this.#storage = storage;
    this.#history = documents.began(documents.parsed(this.#read(DOCUMENT)) ?? documents.empty());
  }

  get document() {
    return this.#history.present;
  }

  get state() {
    return documents.current(this.document);
  }

  get canUndo() {
    return this.#history.past.length > 0;
  }

  get canRedo() {
    return this.#history.future.length > 0;
  }

  /** Whether the browser has no room: then nothing is saved, and the page says so. */
  get full() {
    return this.#full;
  }

  /** Call this after each change: `listener(document, why)`, why being open, change, undo, redo or restore. */
  subscribe(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  open(state, beside = null) {
    this.#become(documents.next(this.#history, documents.opened(this.document, state, beside)), "open");
  }

  change(patch) {
    this.#become(documents.next(this.#history, documents.changed(this.document, patch)), "change");
  }

  undo() {
    this.#become(documents.undone(this.#history), "undo");
  }

  redo() {
    this.#become(documents.redone(this.#history), "redo");
  }

  /** Another document in the place of this one, as from a file or a version; it can be undone. */
  restore(document) {
    this.#become({ past: [...this.#history.past, this.document], present: document, future: [] }, "restore");
  }

  #become(history, why) {
    if (history === this.#history) return;
    this.#history = history;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.save(), QUIET);
    for (const listener of [...this.#listeners]) listener(this.document, why);
  }

  /** Save the document now. Whether there was room. */
  save() {
    clearTimeout(this.#timer);
    const was = this.#full;
    this.#full = !this.#write(DOCUMENT, JSON.stringify(this.document));
    if (was !== this.#full) for (const listener of [...this.#listeners]) listener(this.document, "saved");
    return !this.#full;
  }

  /** Named versions, the latest first: { name, time, document }. */
  get versions() {
    let found;
    try {
      found = JSON.parse(this.#read(VERSIONS));
    } catch {
      return [];
    }
    if (!Array.isArray(found)) return [];
    return found.flatMap((each) => {
      const document = documents.parsed(JSON.stringify(each?.document ?? null));
      return document && typeof each.name === "string"
        ? [{ name: each.name, time: Number(each.time) || 0, document }]
        : [];
    });
  }

  /** Keep the document under a name; the version that had it is replaced. Whether there was room. */
  keepVersion(name, time = Date.now()) {
    const others = this.versions.filter((each) => each.name !== name);
    const all = [{ name, time, document: this.document }, ...others].slice(0, MOST_VERSIONS);
    return this.#write(VERSIONS, JSON.stringify(all));
  }

  dropVersion(name) {
    this.#write(VERSIONS, JSON.stringify(this.versions.filter((each) => each.name !== name)));
  }

  /** Keep a state that is too long for an address; the key that finds it again, null if there is no room. */
  keep(state) {
    const text = JSON.stringify(state);
    const key = hash(text);
    return this.#write(KEPT + key, text) ? key : null;
  }

  /** A state that was kept; null if it is not here. */
  kept(key) {
    try {
      return documents.stateOrNull(JSON.parse(this.#read(KEPT + key)));
    } catch {
      return null;
    }
  }

  #read(name) {
    try {
      return this.#storage.getItem(name);
    } catch {
      return null; // a browser that keeps nothing
    }
  }

  #write(name, text) {
    for (const makeRoom of [() => {}, () => this.#forgetKept(name)]) {
      try {
        makeRoom();
        this.#storage.setItem(name, text);
        return true;
      } catch {
        // It is full: states that only addresses refer to are given up, then it is tried again.
      }
    }
    return false;
  }

  #forgetKept(except) {
    const names = Array.from({ length: this.#storage.length }, (_, i) => this.#storage.key(i));
    for (const name of names) if (name.startsWith(KEPT) && name !== except) this.#storage.removeItem(name);
  }
}

/** A short name for a text (FNV-1a, two halves): the same text has the same name. */
function hash(text) {
  let [one, other] = [0x811c9dc5, 0x01000193];
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul(other ^ (code + i), 0x85ebca6b);
  }
  return (one >>> 0).toString(36) + (other >>> 0).toString(36);
}

/** The document of this page. */
export const store = new Store(localStorageOrNone());

function localStorageOrNone() {
  try {
    return localStorage;
  } catch {
    const nothing = () => null; // blocked by the browser's settings
    return {
      getItem: nothing,
      removeItem: nothing,
      key: nothing,
      length: 0,
      setItem: () => {
        throw new Error("no storage");
      },
    };
  }
}
