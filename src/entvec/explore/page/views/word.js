// Word: what a word entails, and what entails it.
import { ask, space } from "/lib/api.js";
import { address, go, settle } from "/lib/address.js";
import { afterwards, fresh, h, say } from "/lib/dom.js";
import { percent, signed, specificityOf } from "/lib/numbers.js";
import { joined } from "/lib/several.js";
import { trouble } from "/lib/trouble.js";
import { arrows, bar, shortened, shown, wordField } from "/lib/words.js";

const EXAMPLES = ["guitar", "dog", "vehicle", "wine", "physician", "virus"];
const FEW = 12;
const MANY = 40;
const LIKELY = 0.5; // less likely answers are folded away
const STEPS = 20; // of the slider, on each side of what the space does by itself

function kOf(params) {
  return params.get("k") === String(MANY) ? MANY : FEW;
}

export function title(params) {
  return params.get("word") ? shortened(params.get("word")) : "Word";
}

export async function show(root, params, signal) {
  const word = params.get("word") ?? "";
  const { field, input, miss } = wordField({
    label: "A word",
    value: word,
    placeholder: "guitar",
    chosen: (found) => go("word", { ...kept(), word: found }),
  });
  const context = params.get("context") ?? "";
  const sentence = h("input", { id: fresh("context"), type: "text", value: context, maxLength: 2000 });
  const kept = () => {
    const now = new URLSearchParams(location.search);
    return { specificity: specificityOf(now), k: kOf(now) === FEW ? null : MANY, context: sentence.value.trim() || null };
  };
  const form = h(
    "form",
    { className: "asking", role: "search", onsubmit: asked },
    field,
    word
      ? h("div", { className: "field" }, h("label", { htmlFor: sentence.id }, "In a sentence, optional"), sentence)
      : "",
    h("button", { className: "main" }, "Show"),
  );
  root.append(form);

  function asked(event) {
    event.preventDefault();
    if (input.value.trim()) go("word", { ...kept(), word: input.value.trim() });
    else miss();
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
  let k = kOf(params);
  let loading;
  const weighed = info.calibrated && info.knowledge !== null; // else the vectors alone decide
  const columns = h("div", { className: "word-columns" });
  root.append(h("h1", {}, shortened(word)), usual ? slider() : "", columns);
  await load();

  function slider() {
    const [id, hint] = [fresh("generality"), fresh("hint")];
    const told = h("output", { htmlFor: id });
    const tell = () => {
      const ratio = specificity / usual;
      const text =
        ratio === 1
          ? "as usual"
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
        settled();
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
    const asking = { words: [word], k, specificity, group: true, context: weighed && context ? context : null };
    let found;
    try {
      found = await Promise.all([ask("/api/hypernyms", asking, both), ask("/api/hyponyms", asking, both)]);
    } catch (error) {
      if (!both.aborted) columns.replaceChildren(trouble(error, (meant) => go("word", { ...kept(), word: meant })));
      return false;
    }
    const [up, down] = found.map((answer) => answer.words[0].matches);
    columns.replaceChildren(
      column(
        h("h2", {}, h("strong", {}, shown(word)), " entails"),
        up,
        "general",
        "What it is a kind of, most likely.",
        (other) => ({
          hypo: word,
          hyper: other,
        }),
      ),
      column(
        h("h2", {}, "What entails ", h("strong", {}, shown(word))),
        down,
        "specific",
        "What is a kind of it, most likely.",
        (other) => ({ hypo: other, hyper: word }),
      ),
      h(
        "p",
        { className: "word-more" },
        k === MANY
          ? h("button", { type: "button", onclick: () => number(FEW) }, `Show ${FEW} on each side`)
          : up.length === FEW
            ? h("button", { type: "button", onclick: () => number(MANY) }, `Show ${MANY} on each side`)
            : null,
        h("a", { className: "button", href: address("map", { words: joined([word]) }) }, "See them as a map"),
        h(
          "span",
          { className: "faint small" },
          info.calibrated
            ? weighed
              ? "Probabilities weigh all evidence: facts, similar words and vectors. The order is that of their sum."
              : "Probabilities rest on the vectors alone, if half of the pairs one asks about are true."
            : "This space is not calibrated, so it has scores and no probabilities; bars compare them within a column.",
        ),
      ),
    );
    return true;
  }

  function settled() {
    settle("word", {
      word,
      specificity: specificity === usual ? null : specificity,
      k: k === FEW ? null : k,
      context: context || null,
    });
  }

  async function number(next) {
    k = next;
    settled();
    if (await load()) columns.querySelector("a")?.focus();
  }

  /** By what a column is sorted, which its bars alone do not tell. */
  function orderOf(kind) {
    if (weighed) return `Best first, by all evidence${specificity ? "; general words lose" : ""}.`;
    const best = info.calibrated ? "the most probable" : "the highest scores";
    if (!specificity) return `Best first: ${best}.`;
    const probable = info.calibrated ? "probable" : "a high score";
    return kind === "general"
      ? `Best first: ${probable}, and not too general.`
      : `Best first: ${probable}, and not a word that entails nearly everything.`;
  }

  function column(heading, matches, kind, hint, pairOf) {
    const id = fresh("column");
    heading.id = id;
    const scores = matches.map((match) => match.score);
    const [least, most] = [Math.min(...scores), Math.max(...scores)];
    const rows = matches.map((match) => {
      const share = match.probability ?? (most > least ? 0.1 + (0.9 * (match.score - least)) / (most - least) : 1);
      const scored = match.probability === null && match.score !== null;
      const number = scored ? match.score.toFixed(1) : percent(match.probability);
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
        match.reason === null
          ? null
          : h(
              "span",
              { className: "reason" },
              `${arrows(match.reason)} · `,
              h("span", { className: "evidence" }, `evidence ${signed(match.evidence)}`),
            ),
      );
    });
    const isLikely = (_, i) => !weighed || matches[i].probability >= LIKELY;
    const [likely, others] = [rows.filter(isLikely), rows.filter((row, i) => !isLikely(row, i))];
    return h(
      "section",
      { className: "card", "aria-labelledby": id },
      heading,
      h("p", { className: "faint small" }, `${hint} ${orderOf(kind)}`),
      likely.length
        ? h("ol", { className: "matches" }, likely)
        : h("p", {}, others.length ? "Nothing is more likely than not." : "Nothing was found."),
      others.length
        ? h(
            "details",
            {},
            h("summary", {}, `${others.length} less likely`),
            h("ol", { className: "matches", start: likely.length + 1 }, others),
          )
        : null,
    );
  }
}
