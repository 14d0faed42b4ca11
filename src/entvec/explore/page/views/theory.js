// Theory: an essay on the paper, with five figures to play with, from a toy world to the reader's own two words.
import { ask, once } from "/lib/api.js";
import { afterwards, h, say } from "/lib/dom.js";
import { percent } from "/lib/numbers.js";
import { trouble } from "/lib/trouble.js";
import { formulas, operators, posterior } from "/views/theory/answer.js";
import { figure } from "/views/theory/blocks.js";
import { ownWords } from "/views/theory/own_words.js";
import { setsFigure } from "/views/theory/sets.js";
import { MOST, STRENGTH, surenessFigure } from "/views/theory/sureness.js";
import * as text from "/views/theory/text.js";

export { ways } from "/views/theory/ways.js";

const USUAL = { hypo: "dog", hyper: "animal", first: "violin", second: "instrument" };

export function read(params) {
  const given = ["hypo", "hyper", "y", "x", "first", "second"].filter((name) => params.get(name));
  return { kind: "theory", ...Object.fromEntries(given.map((name) => [name, params.get(name)])) };
}

export function write({ hypo, hyper, y, x, first, second }) {
  return { hypo, hyper, y, x, first, second };
}

export function title() {
  return "What entails what, and how a vector can say so";
}

export async function show(root, state, change, { signal }) {
  const world = await once("/api/theory/world");
  if (signal.aborted) return;
  const { words, features } = world;
  const problems = [];
  let now = situationOf(state);
  const sure = surenessFigure(world, { moved, choose, swap, reset });
  const own = ownWords(
    { first: state.first ?? USUAL.first, second: state.second ?? USUAL.second },
    { chosen: (first, second) => change({ first, second }), signal },
  );
  const [scored, follows, problem] = [h("div", { className: "results" }), h("div", { className: "results" }), h("div")];
  const tellLater = afterwards(700, (told) => signal.aborted || say(told));
  root.append(
    h(
      "article",
      { className: "essay" },
      text.opening(title()),
      text.sets(),
      setsFigure(world),
      text.sureness(),
      problems.map((each) => h("div", { className: "notice", role: "alert" }, h("p", {}, each))),
      problem,
      sure.element,
      text.scores(formulas()),
      figure(3, "What each feature adds to each score, for the two things of figure 2. A long bar breaks the entailment.", scored),
      text.inference(),
      figure(4, "What is believed of both things of figure 2 if the one below does entail the one above.", follows),
      text.words(),
      own.element,
      text.closing(),
    ),
  );
  let asking = false;
  let changed = false;
  sure.update(now);
  await Promise.all([refresh(), own.load(state.first ?? USUAL.first, state.second ?? USUAL.second)]);

  /** The two things and their log-odds; what makes no sense is told, and what is usual takes its place. */
  function situationOf(given) {
    const thing = (name) => {
      const word = given[name] ?? USUAL[name];
      if (words.includes(word)) return word;
      problems.push(`There is no “${word}” in the toy world, so ${USUAL[name]} is shown. It has ${words.join(", ")}.`);
      return USUAL[name];
    };
    const found = { hypo: thing("hypo"), hyper: thing("hyper") };
    return { ...found, y: logOdds("y", given.y, found.hypo), x: logOdds("x", given.x, found.hyper) };
  }

  function logOdds(letter, given, word) {
    if (typeof given !== "string") return usualOf(word);
    const values = given.split("_").map((each) => (each.trim() ? Number(each) : NaN));
    if (values.length === features.length && values.every((value) => Math.abs(value) <= MOST)) return values;
    problems.push(
      `The values of ${letter} in the address are not ${features.length} numbers from −${MOST} to ${MOST}, ` +
        "so those of the toy world are shown.",
    );
    return usualOf(word);
  }

  function usualOf(word) {
    return world.known[words.indexOf(word)].map((is) => (is ? STRENGTH : -STRENGTH));
  }

  function moved(patch) {
    now = { ...now, ...patch };
    const written = (values, word) => (String(values) === String(usualOf(word)) ? undefined : values.join("_"));
    sure.update(now);
    change({ hypo: now.hypo, hyper: now.hyper, y: written(now.y, now.hypo), x: written(now.x, now.hyper) });
    refresh();
  }

  function choose(side, word) {
    moved({ [side]: word, [side === "hypo" ? "y" : "x"]: usualOf(word) });
  }

  function swap() {
    moved({ hypo: now.hyper, hyper: now.hypo, y: now.x, x: now.y });
  }

  function reset() {
    moved({ y: usualOf(now.hypo), x: usualOf(now.hyper) });
  }

  /** Ask for what the sliders say now; while an answer is awaited, changes wait too, and only the last is asked. */
  async function refresh() {
    changed = true;
    if (asking) return;
    asking = true;
    while (changed) {
      changed = false;
      try {
        draw(await ask("/api/theory", { hypo: now.y, hyper: now.x }, signal));
      } catch (error) {
        if (signal.aborted) return;
        problem.replaceChildren(trouble(error));
      }
    }
    asking = false;
  }

  function draw(found) {
    const unfolded = scored.querySelector("details")?.open ?? false;
    problem.replaceChildren();
    sure.answered(found);
    scored.replaceChildren(...operators(found.operators, features));
    scored.querySelector("details").open = unfolded;
    follows.replaceChildren(...posterior(found, now, features));
    tellLater(`y entails x: ${percent(found.probability)}, the reverse: ${percent(found.reversed_probability)}`);
  }
}
