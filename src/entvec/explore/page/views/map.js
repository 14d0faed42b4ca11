// Map: words with what they are kinds of above them, and their kinds below.
import { Refused, space } from "/lib/api.js";
import { go } from "/lib/address.js";
import { chart } from "/lib/chart.js";
import { curlOf, python, pythonOf } from "/lib/copying.js";
import { fresh, h, say } from "/lib/dom.js";
import { counted, specificityOf } from "/lib/numbers.js";
import { askPatiently } from "/lib/patience.js";
import { enumerated, joined, separated } from "/lib/several.js";
import { trouble } from "/lib/trouble.js";
import { shortened, shown } from "/lib/words.js";
import { alternative, judged, nothing, saving, ways as waysAround } from "/views/map/around.js";
import { MOST_WORDS, around, begin, form, heading } from "/views/map/asking.js";
import { choices, legend } from "/views/map/settings.js";

const USUAL = 8; // words above and below

let standing = null; // the map before this one: it stays while the next is asked for, and its words move from there
let expanded = null; // the word that was just expanded: it has the focus in the next map

export function read(params) {
  const number = (name) => {
    const value = Number(params.get(name) ?? USUAL);
    return Number.isInteger(value) && value >= 0 && value <= 30 ? value : USUAL;
  };
  const options = { above: number("above"), below: number("below"), specificity: specificityOf(params) };
  return { kind: "map", words: separated(params.get("words") ?? ""), ...kept(options) };
}

export function write({ words, above, below, specificity }) {
  return { words: joined(words), above, below, specificity };
}

/** Options as they stand in a state: what is usual is null. */
function kept({ above, below, specificity }) {
  return { above: above === USUAL ? null : above, below: below === USUAL ? null : below, specificity };
}

export function title({ words }) {
  return words.length ? `Map of ${enumerated(words.map(shown))}` : "Map";
}

function asJson({ words, above, below, specificity }) {
  const given = Object.entries({ above, below, specificity }).filter(([, value]) => (value ?? null) !== null);
  return { words, ...Object.fromEntries(given) };
}

function copied(state) {
  const { words, ...options } = asJson(state);
  const given = Object.entries(options).map(([name, value]) => `, ${name}=${value}`);
  const call = `neighbourhood(${python(words)}, space${given.join("")})`;
  return {
    python: pythonOf("from entvec.taxonomy import neighbourhood", "", `print(${call})`),
    curl: curlOf("/api/map", asJson(state)),
  };
}
export { copied as ways };

export async function show(root, state, change, { signal }) {
  const { words } = state;
  const options = { above: state.above ?? USUAL, below: state.below ?? USUAL, specificity: state.specificity ?? null };
  const to = (several) => go("map", { words: joined(several), ...kept(options) });
  root.append(form(words, to));
  if (!words.length) return begin(root);
  const name = h("h1", {}, around(words));
  root.append(heading(name, words, to));
  if (words.length > MOST_WORDS)
    return void root.append(
      h(
        "p",
        { className: "notice", role: "alert" },
        `A map has room for ${MOST_WORDS} words and what is around them; these are ${words.length}. Take some out.`,
      ),
    );

  const [notes, place] = [h("div"), h("div")];
  root.append(notes, place);
  const unknown = new Map(); // words that are left out, and what was said of them
  if (standing?.words.some((word) => words.includes(word))) wait();
  else place.append(h("p", { className: "chart waiting" }, "Drawing the map…"));
  const [info] = await Promise.all([space(), document.fonts.load("500 15px Besley")]); // words are measured in it
  const [hint, files, list] = [fresh("hint"), h("div", { className: "map-saving" }), h("div", {})];
  const few = h("p", { className: "map-few faint small" });
  const below = [
    few,
    legend(hint, info),
    h("div", { className: "map-settings" }, choices(options, info, changed), files),
    list,
  ];
  let asking;
  await draw();

  async function draw() {
    asking?.abort();
    asking = new AbortController();
    const both = AbortSignal.any([signal, asking.signal]);
    let answer;
    try {
      answer = await judged(await found(both), both);
    } catch (error) {
      if (both.aborted) return;
      standing = null;
      name.textContent = `No map of ${enumerated(words.map(shortened))}`;
      below.forEach((each) => each.remove());
      notes.replaceChildren();
      place.replaceChildren(trouble(error, instead(error.word)));
      return;
    }
    if (!below[0].isConnected) root.append(...below); // to be put there again would cost the focus
    put(answer);
  }

  /** The map of the words that there are; each that is not is listed by the answer, or by a refusal, and left out. */
  async function found(during) {
    for (;;) {
      const there = words.filter((word) => !unknown.has(word));
      try {
        const answer = await askPatiently("/api/map", { words: there, ...options }, during);
        for (const { word, suggestions } of answer.unknown)
          unknown.set(word, new Refused({ kind: "unknown_word", word, suggestions }));
        if (!answer.centre.length) throw unknown.get(answer.unknown[0].word);
        return answer;
      } catch (error) {
        if (error.kind !== "unknown_word" || there.length === 1 || !there.includes(error.word)) throw error;
        unknown.set(error.word, error);
      }
    }
  }

  function instead(wrong) {
    return (meant) => to(words.map((word) => (word === wrong ? meant : word)));
  }

  function leftOut(error) {
    return trouble(error, instead(error.word), " and was left out");
  }

  function wait() {
    place.replaceChildren(standing.frame);
    standing.frame.ariaBusy = "true";
  }

  function changed() {
    change(kept(options));
    if (standing) wait();
    draw();
  }

  function put(answer) {
    const [above, below] = [answer.above, answer.below].map(({ length }) => counted(length, "word"));
    const label = `Map of ${enumerated(answer.centre.map(shown))}: ${above} above, ${below} below`;
    const made = chart(place, answer, {
      label,
      describedBy: hint,
      waysOf: (node) => waysAround(node, answer, to, (word) => to([...answer.centre, (expanded = word)])),
      before: standing,
      signal,
    });
    standing?.end();
    standing = { ...made, words: answer.centre };
    if (answer.nodes.length === answer.centre.length) made.frame.append(nothing(answer.centre));
    if (expanded !== null) made.focus(expanded);
    expanded = null;
    name.textContent = around(answer.centre);
    notes.replaceChildren(...[...unknown.values()].map(leftOut));
    const fewer = answer.above.length < options.above || answer.below.length < options.below;
    few.textContent = fewer && info.calibrated ? "Only words that are probable enough are drawn." : "";
    files.replaceChildren(...saving(made, answer, label));
    list.replaceChildren(alternative(answer));
    say(label);
  }
}
