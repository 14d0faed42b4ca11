// Lists of words as people write them.
import { MOST } from "/views/taxonomy/decisions.js";

const LETTERS = 200; // of one word

/** The words of a text, each once; lines, commas, tabs and semicolons divide them. */
export function wordsOf(text) {
  return [
    ...new Set(
      text
        .split(/[\n,;\t]/)
        .map(tidy)
        .filter(Boolean),
    ),
  ];
}

export function tidy(word) {
  return word.replace(/\s+/g, " ").trim();
}

/** What is wrong with a list, as a sentence; an empty text if nothing is. */
export function problemOf(words) {
  if (!words.length) return "There are no words yet. Paste some, one a line, or take one of the examples.";
  if (words.length > MOST) {
    const most = `a list may have ${MOST}, since every pair of them is compared`;
    const next = "Leave some out; the command entvec taxonomy build takes longer lists.";
    return `These are ${words.length.toLocaleString("en")} words, and ${most}. ${next}`;
  }
  const long = words.find((word) => word.length > LETTERS);
  if (!long) return "";
  const next = "Put commas or new lines between words.";
  return `“${long.slice(0, 40)}…” has ${long.length} letters, and a word may have ${LETTERS}. ${next}`;
}

/** "a, b and 3 more" */
export function some(words, most = 12) {
  const rest = words.length - most;
  return rest > 1 ? `${words.slice(0, most).join(", ")} and ${rest} more` : words.join(", ");
}
