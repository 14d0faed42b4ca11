// Errors as sentences, with a next step.
import { again } from "/lib/address.js";
import { h } from "/lib/dom.js";
import { shortened, shown } from "/lib/words.js";

/** What to show for an error; `retry(word)` gets a word that was perhaps meant, `so` is what came of an unknown one. */
export function trouble(error, retry, so = "") {
  if (error.kind === "unknown_word") {
    const meant = error.suggestions.map((word) =>
      h("button", { type: "button", className: "chip", onclick: () => retry?.(word) }, shown(word)),
    );
    return h(
      "div",
      { className: "notice", role: "alert" },
      h("p", {}, `“${shortened(error.word)}” is not in the vocabulary${so}.`),
      retry && meant.length
        ? h(
            "p",
            {},
            "Did you mean ",
            meant.flatMap((chip, i) => (i ? [" ", chip] : [chip])),
            "?",
          )
        : h("p", {}, "Try another spelling, the singular, or a more common word."),
    );
  }
  const message = error.kind ? error.message : `Something on this page went wrong: ${error.message}. Reload the page.`;
  return h(
    "div",
    { className: "notice", role: "alert" },
    h("p", {}, marked(sentence(message))),
    error.kind === "gone" ? h("p", {}, h("button", { type: "button", onclick: again }, "Try again")) : null,
  );
}

/** Text with what stands between backticks as code. */
export function marked(text) {
  return text.split("`").map((part, i) => (i % 2 ? h("code", {}, part) : part));
}

/** A message as a sentence: with a capital letter, a full stop, and arrows that are such. */
export function sentence(text) {
  const whole = (text.charAt(0).toUpperCase() + text.slice(1)).replaceAll("=>", "→");
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}
