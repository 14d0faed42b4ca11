// The one box: it takes a word, a phrase, a question, a pair, a list or a hierarchy, and says which it has understood.
import { ask } from "/lib/api.js";
import { afterwards, fresh, h } from "/lib/dom.js";
import { inWords, understood } from "/lib/understanding.js";
import { shown } from "/lib/words.js";

const TYPING = 80; // milliseconds of quiet before the server is asked
const SUGGESTED = 6;
const LAST = /[^,;|:>]*$/; // the term that is being typed

/**
 * A form with the box; `open(state)` is called with what was asked for. Several lines are pasted lists or hierarchies:
 * they are opened at once, since a line has no room for them.
 */
export function box(open, { label, placeholder, button = "Ask" }) {
  const [inputId, listId, hintId] = [fresh("box"), fresh("terms"), fresh("understood")];
  const list = h("ul", { id: listId, className: "suggestions", role: "listbox", hidden: true, ariaLabel: "Words" });
  const hint = h("p", { id: hintId, className: "box-hint", "aria-live": "polite" });
  const input = h("input", {
    id: inputId,
    type: "text",
    role: "combobox",
    placeholder,
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: false,
    enterKeyHint: "go",
    maxLength: 20_000,
    ariaExpanded: "false",
    ariaAutoComplete: "list",
    "aria-controls": listId,
    "aria-describedby": hintId,
    onpaste: pasted,
    oninput: typed,
    onblur: close,
    onkeydown: keyed,
  });
  const file = h("input", { type: "file", hidden: true, onchange: chosen });
  let [terms, at, request] = [[], -1, new AbortController()];

  const complete = afterwards(TYPING, async () => {
    request.abort();
    request = new AbortController();
    const start = LAST.exec(input.value)[0].trimStart();
    if (!start || start.length > 60 || document.activeElement !== input) return close();
    try {
      suggest((await ask("/api/complete", { start, k: SUGGESTED }, request.signal)).words);
    } catch (error) {
      if (error.name !== "AbortError") close(); // the answer itself will tell what is wrong
    }
  });

  function typed() {
    input.ariaInvalid = "false";
    const state = understood(input.value);
    hint.textContent = state && state.kind !== "word" ? inWords(state) : state?.against ? inWords(state) : "";
    complete();
  }

  function pasted(event) {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!text.trim().includes("\n")) return;
    event.preventDefault();
    take(text);
  }

  async function chosen() {
    if (file.files[0]) take(await file.files[0].text());
    file.value = "";
  }

  function take(text) {
    const state = understood(text);
    close();
    if (state) {
      input.value = "";
      hint.textContent = "";
      open(state);
      return;
    }
    hint.textContent = "Type something first.";
    input.ariaInvalid = "true";
    input.focus();
  }

  function submitted(event) {
    event.preventDefault();
    take(input.value);
  }

  function close() {
    request.abort();
    list.hidden = true;
    input.ariaExpanded = "false";
    input.removeAttribute("aria-activedescendant");
    at = -1;
  }

  function suggest(found) {
    terms = found;
    const option = (term) =>
      h(
        "li",
        {
          id: fresh("term"),
          role: "option",
          ariaSelected: "false",
          onpointerdown: (event) => event.preventDefault(),
          onclick: () => choose(term),
        },
        shown(term),
      );
    list.replaceChildren(...terms.map(option));
    list.hidden = terms.length === 0;
    input.ariaExpanded = String(terms.length > 0);
    mark(-1);
  }

  function mark(next) {
    at = next;
    [...list.children].forEach((option, i) => (option.ariaSelected = String(i === at)));
    if (at < 0) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", list.children[at].id);
  }

  /** A single word is asked for at once; a term of several is only completed. */
  function choose(term) {
    const before = input.value.slice(0, LAST.exec(input.value).index);
    input.value = `${before}${before && !/\s$/.test(before) ? " " : ""}${shown(term)}`;
    close();
    if (!before) take(input.value);
    else typed();
  }

  function keyed(event) {
    const opened = !list.hidden;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape" && opened) close();
    else if (event.key === "Enter" && opened && at >= 0) choose(terms[at]);
    else if (step && opened) mark(((at + step + 1 + terms.length + 1) % (terms.length + 1)) - 1);
    else return;
    event.preventDefault();
  }

  return h(
    "form",
    { className: "box", role: "search", onsubmit: submitted },
    h("label", { htmlFor: inputId }, label),
    h(
      "div",
      { className: "box-line" },
      h("div", { className: "combobox" }, input, list),
      h("button", { className: "main" }, button),
      h(
        "button",
        {
          type: "button",
          className: "box-file",
          title: "Open a file with a list or a hierarchy",
          onclick: () => file.click(),
        },
        "File…",
      ),
      file,
    ),
    hint,
  );
}
