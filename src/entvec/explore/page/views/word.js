// Word: what a word entails, and what entails it.
import { ask, space } from "/lib/api.js";
import { address, go, settle } from "/lib/address.js";
import { afterwards, fresh, h, say } from "/lib/dom.js";
import { percent, specificityOf } from "/lib/numbers.js";
import { joined } from "/lib/several.js";
import { trouble } from "/lib/trouble.js";
import { bar, shown, wordField } from "/lib/words.js";

const EXAMPLES = ["guitar", "dog", "vehicle", "wine", "physician", "virus"];
const FEW = 12;
const MANY = 40;
const STEPS = 20; // of the slider, on each side of what the space does by itself

export function title(params) {
  return params.get("word") ? shown(params.get("word")) : "Word";
}

export async function show(root, params, signal) {
  const word = params.get("word") ?? "";
  const { field, input } = wordField({
    label: "A word",
    value: word,
    placeholder: "guitar",
    chosen: (found) => go("word", { ...kept(), word: found }),
  });
  const kept = () => ({ specificity: specificityOf(new URLSearchParams(location.search)) });
  const form = h(
    "form",
    { className: "asking", role: "search", onsubmit: asked },
    field,
    h("button", { className: "main" }, "Show"),
  );
  root.append(form);

  function asked(event) {
    event.preventDefault();
    if (input.value.trim()) go("word", { ...kept(), word: input.value.trim() });
    else input.focus();
  }

  if (!word) {
    root.prepend(h("h1", {}, "What does a word entail?"));
    root.append(
      h(
        "p",
        {},
        "A guitar is an instrument: whatever is true of instruments is true of guitars. So ",
        h("em", {}, "guitar"),
        " entails ",
        h("em", {}, "instrument"),
        ", and not the other way round. Type a word to see what it entails and what entails it.",
      ),
      h(
        "p",
        { className: "chips" },
        "Try ",
        EXAMPLES.map((each) => h("a", { className: "button chip", href: address("word", { word: each }) }, each)),
      ),
    );
    input.focus();
    return;
  }

  const info = await space();
  const usual = info.specificity.hypernyms;
  let specificity = specificityOf(params) ?? usual;
  let k = FEW;
  let loading;
  const columns = h("div", { className: "word-columns" });
  root.append(h("h1", {}, shown(word)), usual ? slider() : "", columns);
  await load();

  function slider() {
    const [id, hint] = [fresh("generality"), fresh("hint")];
    const told = h("output", { htmlFor: id });
    const tell = () => {
      const ratio = specificity / usual;
      const text =
        ratio === 1
          ? "as the space does by itself"
          : ratio === 0
            ? "the surest first, however general"
            : ratio < 1
              ? "more general words"
              : "more specific words";
      told.textContent = text;
      range.ariaValueText = text;
    };
    const changed = afterwards(60, async () => (await load()) && say(told.textContent));
    const range = h("input", {
      id,
      type: "range",
      min: -STEPS,
      max: STEPS,
      step: 1,
      "aria-describedby": hint,
      oninput: () => {
        specificity = Number((usual * (1 - Number(range.value) / STEPS)).toFixed(3));
        settle("word", { word, specificity: specificity === usual ? null : specificity });
        tell();
        changed();
      },
    });
    range.value = String(Math.round((1 - specificity / usual) * STEPS));
    tell();
    return h(
      "div",
      { className: "generality" },
      h("label", { htmlFor: id }, "Generality"),
      h("span", { className: "ends", id: hint }, h("span", {}, "specific"), range, h("span", {}, "general")),
      told,
    );
  }

  /** Ask for both columns, in the place of what is still asked for. Whether they are there now. */
  async function load() {
    loading?.abort();
    loading = new AbortController();
    const both = AbortSignal.any([signal, loading.signal]);
    const asking = { words: [word], k, specificity, group: true };
    let found;
    try {
      found = await Promise.all([ask("/api/hypernyms", asking, both), ask("/api/hyponyms", asking, both)]);
    } catch (error) {
      if (!both.aborted) columns.replaceChildren(trouble(error, (meant) => go("word", { ...kept(), word: meant })));
      return false;
    }
    const [up, down] = found.map((answer) => answer.words[0].matches);
    columns.replaceChildren(
      column(h("h2", {}, h("strong", {}, shown(word)), " entails"), up, "general", "It is one of these.", (other) => ({
        hypo: word,
        hyper: other,
      })),
      column(
        h("h2", {}, "What entails ", h("strong", {}, shown(word))),
        down,
        "specific",
        "These are such.",
        (other) => ({ hypo: other, hyper: word }),
      ),
      h(
        "p",
        { className: "word-more" },
        k === FEW && up.length === FEW
          ? h("button", { type: "button", onclick: more }, `Show ${MANY} on each side`)
          : null,
        h("a", { className: "button", href: address("map", { words: joined([word]) }) }, "See them as a map"),
        h(
          "span",
          { className: "faint small" },
          info.calibrated
            ? "The bars are probabilities; they take for granted that half of the pairs one asks about are entailments."
            : "This space is not calibrated, so it has scores and no probabilities; bars compare them within a column.",
        ),
      ),
    );
    return true;
  }

  async function more() {
    k = MANY;
    if (await load()) columns.querySelector("a")?.focus();
  }

  function column(heading, matches, kind, hint, pairOf) {
    const id = fresh("column");
    heading.id = id;
    const scores = matches.map((match) => match.score);
    const [least, most] = [Math.min(...scores), Math.max(...scores)];
    const rows = matches.map((match) => {
      const share = match.probability ?? (most > least ? 0.1 + (0.9 * (match.score - least)) / (most - least) : 1);
      const number = match.probability === null ? match.score.toFixed(1) : percent(match.probability);
      const pair = pairOf(match.word);
      const why = `Does ${shown(pair.hypo)} entail ${shown(pair.hyper)}, and why?`;
      return h(
        "li",
        {},
        h(
          "a",
          {
            className: "to",
            href: address("word", { ...kept(), word: match.word }),
            title: match.variants.length ? `also ${match.variants.map(shown).join(", ")}` : null,
          },
          shown(match.word),
        ),
        bar(share, kind),
        h("span", { className: "number" }, number),
        h("a", { className: "why", href: address("pair", pair), title: why, ariaLabel: why }, "why?"),
      );
    });
    return h(
      "section",
      { className: "card", "aria-labelledby": id },
      heading,
      h("p", { className: "faint small" }, hint),
      matches.length ? h("ol", { className: "matches" }, rows) : h("p", {}, "Nothing was found."),
    );
  }
}
