// A word: its senses, what is above and below it on one ladder, what that rests on, and which of several things it is.
import { address, goTo } from "/lib/address.js";
import { space } from "/lib/api.js";
import { comparison } from "/lib/candidates.js";
import { command, curlOf, python, pythonOf } from "/lib/copying.js";
import { fresh, h } from "/lib/dom.js";
import { ladder } from "/lib/ladder.js";
import { percent } from "/lib/numbers.js";
import { askPatiently } from "/lib/patience.js";
import { joined, separated } from "/lib/several.js";
import { trouble } from "/lib/trouble.js";
import { shortened, shown } from "/lib/words.js";

const [FEW, MANY] = [12, 40];
const LIKELY = 0.5; // less likely words are folded away,
const SHOWN = 8; // and those beyond the best on each side
const SENSES = 3; // that are shown at once
const PROPOSED = 3; // candidates

export function read(params) {
  const against = separated(params.get("against") ?? "");
  const optional = { context: params.get("context"), sense: params.get("sense"), more: params.has("more") || null };
  const given = Object.fromEntries(Object.entries(optional).filter(([, value]) => value));
  return { kind: "word", word: (params.get("word") ?? "").trim(), ...given, ...(against.length ? { against } : {}) };
}

export function write({ word, context, sense, more, against = [] }) {
  return { word, context, sense, more: more ? 1 : null, against: joined(against) };
}

export function title({ word }) {
  return word ? shortened(word) : "A word";
}

export function ways({ word, sense, context, against = [] }) {
  const asked = sense ?? word;
  const given = context ? `, context=${python(context)}` : "";
  if (against.length)
    return {
      command: against.map((each) => command("entvec", "relation", word, each)).join("\n"),
      python: pythonOf(`for thing in ${python(against)}:`, `    print(space.relation(${python(word)}, thing))`),
      curl: curlOf("/api/relation", { pairs: against.map((each) => [word, each]) }),
    };
  return {
    command: [
      command("entvec", "senses", word),
      ...["hypernyms", "hyponyms"].map((verb) =>
        command("entvec", verb, asked, ...(context ? ["--context", context] : [])),
      ),
    ].join("\n"),
    python: pythonOf(
      `print(space.hypernyms(${python(asked)}${given}))`,
      `print(space.hyponyms(${python(asked)}${given}))`,
    ),
    curl: curlOf("/api/word", { word: asked, ...(context ? { context } : {}) }),
  };
}

export async function show(root, state, change, { signal }) {
  if (!state.word) return void root.append(h("h1", {}, "Which word?"), h("p", {}, "Type one into the box at the top."));
  const now = { ...state };
  const place = h("div", { className: "word-body" }, h("p", { className: "waiting" }, "Looking it up …"));
  root.append(h("h1", { className: "specimen word-name" }, shortened(state.word)), place);
  const { calibrated } = await space();
  let asking;
  await load();

  /** Other fields of the state: they are shown in this place. */
  function become(patch) {
    Object.assign(now, patch);
    change(patch);
    load();
  }

  async function load() {
    asking?.abort();
    asking = new AbortController();
    const during = AbortSignal.any([signal, asking.signal]);
    const body = { word: now.sense ?? now.word, k: now.more ? MANY : FEW, context: now.context ?? null };
    try {
      const [card, all] = await Promise.all([
        askPatiently("/api/word", body, during, 0),
        now.sense ? askPatiently("/api/word", { word: now.word, k: 1 }, during, 0) : null,
      ]);
      place.replaceChildren(...parts({ ...card, word: now.word }, all ?? card).filter(Boolean));
    } catch (error) {
      if (!during.aborted) place.replaceChildren(trouble(error, meant));
    }
  }

  function meant(word) {
    goTo(address("word", { word }));
  }

  function parts(card, { senses }) {
    const nothing = !card.above.length && !card.below.length;
    const main = [
      senses.length ? meanings(senses) : null,
      nothing ? h("p", {}, "Nothing is known of it, and nothing can be inferred.") : rungs({ ...card, senses }),
    ];
    const side = [
      nothing
        ? null
        : comparison({
            word: now.sense ?? now.word,
            against: now.against ?? [],
            proposed: proposed(card),
            changed: (against) => {
              now.against = against;
              change({ against });
            },
            signal,
          }),
      like(card.neighbours),
      inContext(),
    ];
    return [doubts(card), h("div", { className: "word-main" }, main), h("div", { className: "word-side" }, side)];
  }

  /** What the reader should know before the answer. */
  function doubts({ read_by: by, objection, suggestions, people }) {
    const told = [
      people ? "A group of people: only what dictionaries say of it is told, nothing is inferred." : null,
      by === "encoder"
        ? "A new word: it is in no dictionary here, so all of this is inferred from how it reads."
        : null,
      objection,
    ].filter(Boolean);
    if (!told.length && !suggestions.length) return null;
    const chip = (word) => h("button", { type: "button", className: "chip", onclick: () => meant(word) }, shown(word));
    return h(
      "div",
      { className: "notice" },
      told.map((text) => h("p", {}, /[.!?]$/.test(text) ? text : `${text}.`)),
      suggestions.length
        ? h(
            "p",
            {},
            "Did you mean ",
            suggestions.flatMap((word, i) => (i ? [" ", chip(word)] : [chip(word)])),
            "?",
          )
        : null,
    );
  }

  function meanings(senses) {
    const id = fresh("senses");
    const row = ({ sense, part_of_speech: part, weight, synonyms, gloss }, i) =>
      h(
        "li",
        { className: now.sense === sense ? "chosen" : "" },
        h("span", { className: "sense-number" }, String(i + 1)),
        h(
          "div",
          {},
          h("p", {}, h("i", { className: "faint" }, `${part} `), gloss),
          synonyms.length ? h("p", { className: "small faint" }, `also ${synonyms.map(shown).join(", ")}`) : null,
        ),
        h("span", { className: "number", title: "how often it is meant so" }, senses.length > 1 ? percent(weight) : ""),
        senses.length > 1
          ? h(
              "button",
              {
                type: "button",
                className: "chip",
                "aria-pressed": String(now.sense === sense),
                ariaLabel: `Only sense ${i + 1}: ${gloss}`,
                onclick: () => become({ sense: now.sense === sense ? undefined : sense }),
              },
              now.sense === sense ? "all" : "only",
            )
          : null,
      );
    const rows = senses.map(row);
    return h(
      "section",
      { className: "senses", "aria-labelledby": id },
      h("h2", { id }, senses.length === 1 ? "It means" : "It means, and how often"),
      h("ol", {}, rows.slice(0, SENSES)),
      rows.length > SENSES
        ? h("details", {}, h("summary", {}, `${rows.length - SENSES} rarer senses`), h("ol", {}, rows.slice(SENSES)))
        : null,
    );
  }

  function rungs(card) {
    const likely = (found) => !calibrated || found.probability === null || found.probability >= LIKELY;
    const most = now.more ? MANY : SHOWN;
    const first = Object.fromEntries(
      ["above", "below"].map((side) => [side, card[side].filter(likely).slice(0, most)]),
    );
    const others = Object.fromEntries(
      ["above", "below"].map((side) => [side, card[side].filter((found) => !first[side].includes(found))]),
    );
    const left = others.above.length + others.below.length;
    const id = fresh("ladder");
    return h(
      "section",
      { "aria-labelledby": id },
      h("h2", { id }, "From general to specific"),
      ladder({ ...card, ...first }),
      left
        ? h("details", {}, h("summary", {}, `${left} less telling or less likely`), ladder({ ...card, ...others }))
        : null,
      h(
        "p",
        { className: "small faint" },
        calibrated
          ? "Bars: how many known things a word covers. Percentages: how surely the lower is a kind of the higher, if a quarter of the pairs that one asks about are; choose one to see why."
          : "This space is not calibrated: it has scores, and no probabilities.",
      ),
      h(
        "button",
        { type: "button", onclick: () => become({ more: now.more ? undefined : true }) },
        now.more ? "Show fewer" : "Show more",
      ),
    );
  }

  function proposed({ above }) {
    return above.slice(0, PROPOSED).map((found) => shown(found.word));
  }

  function like(words) {
    if (!words.length) return null;
    const link = (word) => h("a", { className: "specimen", href: address("word", { word }) }, shown(word));
    return h("section", {}, h("h2", {}, "Used like it"), h("p", { className: "word-like" }, words.map(link)));
  }

  function inContext() {
    const id = fresh("context");
    const input = h("input", {
      id,
      type: "text",
      value: now.context ?? "",
      maxLength: 2000,
      placeholder: `a sentence with ${shown(now.word)}`,
    });
    const submitted = (event) => {
      event.preventDefault();
      become({ context: input.value.trim() || undefined, sense: undefined });
    };
    return h(
      "form",
      { className: "word-context", onsubmit: submitted },
      h("label", { htmlFor: id }, "In a sentence, which tells the sense"),
      h("div", { className: "box-line" }, input, h("button", {}, "Read")),
    );
  }
}
