// Words: how they are shown, and how they are typed.
import { ask } from "/lib/api.js";
import { afterwards, fresh, h } from "/lib/dom.js";

const LONGEST = 40; // letters of a word in a sentence
const TYPING = 80; // milliseconds of quiet before the server is asked

/** A word as people write it: the vocabulary has ice_cream. */
export function shown(word) {
  return word.replaceAll("_", " ");
}

/** A reason with arrows that are ones. */
export function arrows(reason) {
  return reason.replaceAll("->", "→").replaceAll("<-", "←");
}

/** A word as it is shown, cut if it is too long for a sentence or a heading. */
export function shortened(word) {
  const letters = [...shown(word)];
  return letters.length > LONGEST ? `${letters.slice(0, LONGEST).join("")}…` : letters.join("");
}

/** A bar as long as a probability is large; the number beside it is for those who do not see the bar. */
export function bar(share, kind = "") {
  return h(
    "span",
    { className: `bar ${kind}`, "aria-hidden": "true" },
    h("span", { style: { width: `${(100 * Math.max(0, Math.min(1, share))).toFixed(1)}%` } }),
  );
}

/**
 * A field to type a word in, with completion: a combobox as the ARIA practices describe it.
 * Returns { field, input, miss }; `chosen(word)` is called by Enter on a suggestion or a click on one, and `miss()`
 * tells that the field is empty and must not be.
 */
export function wordField({ label, value = "", placeholder = "", chosen = () => {}, name = "word" }) {
  const [inputId, listId, missedId] = [fresh("word"), fresh("words"), fresh("missed")];
  const list = h("ul", {
    id: listId,
    className: "suggestions",
    role: "listbox",
    hidden: true,
    ariaLabel: `Words for ${label}`,
  });
  const input = h("input", {
    id: inputId,
    name,
    value: shown(value),
    placeholder,
    type: "text",
    role: "combobox",
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: false,
    enterKeyHint: "go",
    maxLength: 200,
    ariaExpanded: "false",
    ariaAutoComplete: "list",
    "aria-controls": listId,
    "aria-describedby": missedId,
  });
  const missed = h("p", { id: missedId, className: "missed", role: "alert" });
  let words = [];
  let at = -1;
  let request = new AbortController();

  function tell(text) {
    missed.textContent = text;
    input.ariaInvalid = String(Boolean(text));
  }

  function miss() {
    tell("Type a word first.");
    input.focus();
  }

  function close() {
    request.abort();
    list.hidden = true;
    input.ariaExpanded = "false";
    input.removeAttribute("aria-activedescendant");
    at = -1;
  }

  function mark(next) {
    at = next;
    [...list.children].forEach((option, i) => {
      option.ariaSelected = String(i === at);
      if (i === at) option.scrollIntoView({ block: "nearest" });
    });
    if (at < 0) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", list.children[at].id);
  }

  function choose(word) {
    input.value = shown(word);
    close();
    chosen(word);
  }

  function open(found) {
    words = found;
    list.replaceChildren(
      ...words.map((word) =>
        h(
          "li",
          {
            id: fresh("option"),
            role: "option",
            ariaSelected: "false",
            onpointerdown: (event) => event.preventDefault(),
            onclick: () => choose(word),
          },
          shown(word),
        ),
      ),
    );
    list.hidden = words.length === 0;
    input.ariaExpanded = String(words.length > 0);
    mark(-1);
  }

  const complete = afterwards(TYPING, async () => {
    request.abort();
    request = new AbortController();
    const start = input.value.trimStart();
    if (!start || document.activeElement !== input) return close();
    try {
      open((await ask("/api/complete", { start, k: 8 }, request.signal)).words);
    } catch (error) {
      if (error.name !== "AbortError") close(); // the answer itself will tell what is wrong
    }
  });

  input.addEventListener("input", complete);
  input.addEventListener("input", () => tell(""));
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      close();
    } else if (event.key === "Enter" && at >= 0 && !list.hidden) {
      event.preventDefault();
      choose(words[at]);
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && !list.hidden) {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      mark(((at + step + 1 + words.length + 1) % (words.length + 1)) - 1);
    } else if (event.key === "ArrowDown") {
      complete();
    } else if (event.key === "Enter") {
      close();
    }
  });

  const field = h(
    "div",
    { className: "field" },
    h("label", { htmlFor: inputId }, label),
    missed,
    h("div", { className: "combobox" }, input, list),
  );
  return { field, input, miss };
}
