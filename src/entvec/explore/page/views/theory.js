// Theory: the toy world with sliders on its log-odds, for teaching.
import { ask, once } from "/lib/api.js";
import { address, go, settle } from "/lib/address.js";
import { afterwards, fresh, h, say } from "/lib/dom.js";
import { known, percent, signed } from "/lib/numbers.js";
import { PAPER } from "/lib/operators.js";
import { trouble } from "/lib/trouble.js";
import { shown } from "/lib/words.js";
import { baselines, breaking, directions, operators, posterior } from "/views/theory/answer.js";

const STRENGTH = 4; // log-odds of what the toy world knows
const MOST = 6;
const STEP = 0.25;
const [FIRST, SECOND] = ["dog", "animal"];
const SITUATIONS = [
  ["dog entails animal", { hypo: "dog", hyper: "animal" }],
  ["one feature breaks it", { hypo: "animal", hyper: "dog" }],
  ["a poodle that may bark or not", { hypo: "poodle", hyper: "dog", y: "4_0_4_-4_-4" }],
  ["nothing is decided", { hypo: "dog", hyper: "animal", y: "0_0_0_0_0", x: "0_0_0_0_0" }],
];

let returnTo = null; // the name of the field to be on after a move

export function title(params) {
  return `Theory: ${params.get("hypo") ?? FIRST} and ${params.get("hyper") ?? SECOND}`;
}

export async function show(root, params, signal) {
  const world = await once("/api/theory/world");
  if (signal.aborted) return;
  const { features } = world;
  const problems = [];
  const things = { hypo: thing("hypo", FIRST), hyper: thing("hyper", SECOND) };
  const sliders = { hypo: column("hypo", "y"), hyper: column("hyper", "x") };
  const tellLater = afterwards(700, (text) => signal.aborted || say(text));
  const live = h("div", { className: "live" });
  const reason = h("p", { className: "reason" });
  const results = h("div", { className: "results" });
  const compared = h("div");
  const folded = h("details", { className: "card" }, h("summary", {}, "Other operators, to compare"), compared);
  root.append(
    h("h1", {}, "Entailment with five features"),
    h(
      "p",
      {},
      "A thing is what is known of it: of a dog that it is alive and barks, of an animal that it is alive. ",
      h("strong", {}, "y entails x if all that is known of x is known of y"),
      ", so dog entails animal. Log-odds tell how sure it is that a feature is known: ",
      "0 is fifty-fifty, +4 is 98%, −4 is 2%. ",
      "Move the sliders, and see what becomes of the entailment.",
    ),
    ...problems.map((problem) => h("div", { className: "notice", role: "alert" }, h("p", {}, problem))),
    form(),
    h(
      "p",
      { className: "chips" },
      "Situations ",
      SITUATIONS.map(([name, there]) => h("a", { className: "button chip", href: address("theory", there) }, name)),
    ),
    table(),
    results,
  );
  if (returnTo) root.querySelector(`[name="${returnTo}"]`).focus();
  returnTo = null;

  let asking = false;
  let changed = false;
  await refresh();

  function thing(name, usual) {
    const given = params.get(name) ?? usual;
    if (world.words.includes(given)) return given;
    problems.push(
      `There is no “${shown(given)}” in the toy world, so ${usual} is shown. ` +
        `It has ${world.words.join(", ")}: choose one of these.`,
    );
    return usual;
  }

  function usualOf(word) {
    return world.known[world.words.indexOf(word)].map((is) => (is ? STRENGTH : -STRENGTH));
  }

  function column(side, letter) {
    const usual = usualOf(things[side]);
    const given = params.has(letter)
      ? params
          .get(letter)
          .split("_")
          .map((text) => (text.trim() ? Number(text) : NaN))
      : usual;
    const fine = given.length === features.length && given.every((value) => Math.abs(value) <= MOST);
    if (!fine) {
      const what = `The values of ${letter} in the address are not ${features.length} numbers from −${MOST} to ${MOST}`;
      problems.push(`${what}, so those of the toy world are shown. Move the sliders, and the address follows.`);
    }
    return features.map((feature, i) =>
      slider(`${feature}, ${letter}: ${things[side]}`, (fine ? given : usual)[i], moved),
    );
  }

  function values(side) {
    return sliders[side].map(({ range }) => Number(range.value));
  }

  /** What the address has: values only where they are not those of the toy world. */
  function situation() {
    const written = (side) => (String(values(side)) === String(usualOf(things[side])) ? null : values(side).join("_"));
    return { ...things, y: written("hypo"), x: written("hyper") };
  }

  function moved() {
    settle("theory", situation());
    refresh();
  }

  function form() {
    const choice = (side, letter, label) => {
      const id = fresh("thing");
      const what = (i) => features.filter((_, k) => world.known[i][k]).join(", ") || "nothing is known";
      const select = h(
        "select",
        {
          id,
          name: side,
          onchange: () => ((returnTo = side), go("theory", { ...situation(), [side]: select.value, [letter]: null })),
        },
        world.words.map((word, i) =>
          h("option", { value: word, selected: word === things[side] }, `${word}: ${what(i)}`),
        ),
      );
      return h("div", { className: "field" }, h("label", { htmlFor: id }, label), select);
    };
    const swap = h(
      "button",
      {
        type: "button",
        name: "swap",
        ariaLabel: "Swap the two things",
        title: "Swap the two things",
        className: "swap",
        onclick: swapped,
      },
      "⇄",
    );
    const reset = h("button", { type: "button", onclick: putBack }, "Reset the sliders");
    return h(
      "form",
      { className: "asking theory", onsubmit: (event) => event.preventDefault() },
      choice("hypo", "y", "Does y"),
      swap,
      choice("hyper", "x", "entail x?"),
      reset,
    );
  }

  function swapped() {
    const { hypo, hyper, y, x } = situation();
    returnTo = "swap";
    go("theory", { hypo: hyper, hyper: hypo, y: x, x: y });
  }

  function putBack() {
    for (const side of ["hypo", "hyper"]) usualOf(things[side]).forEach((value, i) => sliders[side][i].put(value));
    moved();
  }

  function table() {
    const [y, x] = [`y: ${things.hypo}`, `x: ${things.hyper}`];
    const cell = (side, name, i) =>
      h(
        "div",
        { className: `knob ${side}` },
        h("span", { className: "label" }, name),
        sliders[side][i].range,
        sliders[side][i].told,
      );
    const rows = features.map((feature, i) =>
      h(
        "div",
        { className: "knobs", role: "group", ariaLabel: feature },
        h("strong", {}, feature),
        cell("hypo", y, i),
        cell("hyper", x, i),
      ),
    );
    const head = h(
      "div",
      { className: "knobs head", "aria-hidden": "true" },
      h("span"),
      h("span", {}, y),
      h("span", {}, x),
    );
    return h(
      "section",
      { className: "card sliders", ariaLabel: "What is known" },
      h("div", {}, live, head, rows),
      reason,
    );
  }

  /** Ask for what the sliders say now; while an answer is awaited, changes wait too, and only the last is asked. */
  async function refresh() {
    changed = true;
    if (asking) return;
    asking = true;
    while (changed) {
      changed = false;
      try {
        draw(await ask("/api/theory", { hypo: values("hypo"), hyper: values("hyper") }, signal));
      } catch (error) {
        if (signal.aborted) return;
        for (const stale of [live, reason]) stale.replaceChildren();
        results.replaceChildren(trouble(error));
      }
    }
    asking = false;
  }

  function draw(found) {
    const paper = found.operators.filter((row) => PAPER.includes(row.operator));
    const others = found.operators.filter((row) => !PAPER.includes(row.operator));
    live.replaceChildren(...directions(found, things));
    reason.replaceChildren(...breaking(found, things, features));
    compared.replaceChildren(...baselines(others, features));
    results.replaceChildren(operators(paper, features), posterior(found, things, features), folded);
    tellLater(`y entails x: ${percent(found.probability)}, the reverse: ${percent(found.reversed_probability)}`);
  }
}

/** A slider on log-odds, and what it says; `moved()` is called when a person has moved it. */
function slider(label, value, moved) {
  const told = h("output", {});
  const range = h("input", {
    type: "range",
    min: -MOST,
    max: MOST,
    step: STEP,
    ariaLabel: label,
    oninput: () => (tell(), moved()),
  });
  const tell = () => {
    const number = Number(range.value);
    told.replaceChildren(h("span", {}, signed(number)), h("span", { className: "faint" }, percent(known(number))));
    range.ariaValueText = `log-odds ${signed(number)}, known with ${percent(known(number))}`;
  };
  const put = (number) => {
    range.value = String(number);
    tell();
  };
  put(value);
  return { range, told, put };
}
