// What is told beside a hierarchy that was built.
import { h } from "/lib/dom.js";
import { shown } from "/lib/words.js";
import { some } from "/views/taxonomy/listing.js";

const TOLD = 4; // of the words that moved, how many are named

/** What to tell of a hierarchy without any. */
export const NO_EDGES =
  "No word of these entails another with that probability. " +
  "Lower it, put in words that are more general, or let concepts be added.";

/** Which words nothing is known of, and what to do about it. */
export function unknown(words) {
  if (!words.length) return "";
  const one = words.length === 1;
  return h(
    "div",
    { className: "notice" },
    h(
      "p",
      {},
      `${one ? "One word is" : `${words.length} words are`} not known and ${one ? "stands" : "stand"} at the top: `,
      `${some(words.map(shown))}. Try the singular, another spelling, or a more common word.`,
    ),
  );
}

/** What has moved, in a sentence or two. */
export function story(moves, word) {
  const place = ({ term, to }, is = "") =>
    `${shown(term)} ${is}${to.length ? `under ${to.map(shown).join(" and ")}` : "on top"}`;
  const own = moves.find(({ term }) => term === word);
  const others = moves.filter((each) => each !== own);
  const first = own ? `${place(own, "is ")} now.` : word ? `${shown(word)} stays where it is.` : "";
  if (!others.length) return first ? `${first} Nothing else moved.` : "Nothing moved.";
  const rest = others.length - TOLD;
  const named =
    rest > 1
      ? [...others.slice(0, TOLD).map((each) => place(each)), `and ${rest} more`]
      : others.map((each) => place(each));
  return `${first} ${word ? "Also moved" : "Moved"}: ${named.join("; ")}.`.trim();
}
