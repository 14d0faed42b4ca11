// The form of a list: its words, and how they are made a hierarchy.
import { afterwards, fresh, h } from "/lib/dom.js";
import { counted, percent } from "/lib/numbers.js";
import { LEAST } from "/views/taxonomy/built.js";
import { problemOf, wordsOf } from "/views/taxonomy/listing.js";

export const EXAMPLES = {
  Animals: "animal, bird, eagle, owl, dog, poodle, cat, tiger, whale, fish, salmon, trout, insect, ant, bee",
  Vehicles: "vehicle, car, sedan, truck, bicycle, boat, sailboat, yacht, ship, aircraft, airplane, helicopter",
  "Food and drink":
    "food, produce, apple, banana, cherry, lemon, vegetable, onion, cheese, meat, beef, pork, beverage, coffee, tea, " +
    "wine, beer, champagne",
  People:
    "person, artist, painter, musician, pianist, guitarist, violinist, drummer, writer, novelist, poet, athlete, " +
    "swimmer, runner, physician, surgeon, dentist",
};

/** What a list is for, for someone who has none yet. */
export function introduction() {
  const word = (text) => h("em", {}, text);
  return [
    "Give a list of words. Each finds its place under the word that it is a kind of: ",
    word("poodle"),
    " under ",
    word("dog"),
    ", and that under ",
    word("animal"),
    ". A first draft has mistakes: drag a word onto another, and the rest is worked out again.",
  ];
}

/**
 * The form of a state. `build(words)` is called when a list is there to be built, `changed(options)` when an option
 * changes. `update(state)` shows another state.
 */
export function listForm({ build, changed }) {
  const [id, note, wrong] = [fresh("words"), fresh("note"), fresh("wrong")];
  let state = { words: [] };
  let written = "";
  const area = h("textarea", {
    id,
    spellcheck: false,
    autocapitalize: "off",
    placeholder: "dog\ncat\nanimal",
    "aria-describedby": `${note} ${wrong}`,
    oninput: count,
    onkeydown: (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && asked(event),
  });
  const told = h("p", { id: note, className: "faint small" });
  const problem = h("p", { id: wrong, className: "tax-wrong", role: "alert" });
  const choices = options(changed);

  // A name may have a comma in it: a list that nobody has touched stays as it is.
  const words = () => (area.value === written ? state.words : wordsOf(area.value));

  function count() {
    told.textContent = `${counted(words().length, "word")}; new lines, commas, semicolons and tabs divide them.`;
    if (area.ariaInvalid === "true") tell(problemOf(words()));
  }

  function tell(text) {
    problem.textContent = text;
    area.ariaInvalid = String(Boolean(text));
  }

  function asked(event) {
    event.preventDefault();
    const text = problemOf(words());
    tell(text);
    if (text) area.focus();
    else build(words());
  }

  function update(next) {
    state = next;
    written = state.words.join(state.words.some((word) => word.includes(",")) ? "\n" : ", ");
    area.value = written;
    area.rows = state.words.length ? 4 : 7;
    tell(state.words.length ? problemOf(state.words) : "");
    choices.update(state);
    count();
  }

  const examples = h(
    "p",
    { className: "chips" },
    "or try ",
    Object.entries(EXAMPLES).map(([name, list]) =>
      h("button", { type: "button", className: "chip", onclick: () => build(wordsOf(list)) }, name),
    ),
  );
  const element = h(
    "form",
    { className: "tax-form", onsubmit: asked },
    h("div", {}, h("label", { htmlFor: id }, "Words"), area, told, problem),
    choices.element,
    h("div", { className: "chips" }, h("button", { className: "main" }, "Make a taxonomy"), examples),
  );
  return { element, update };
}

/** What can be chosen about the shape; a value that is usual is undefined in a state. */
function options(changed) {
  const [least, root, name] = [fresh("least"), fresh("root"), fresh("shape")];
  const radio = (value) =>
    h("input", { type: "radio", name, value, onchange: () => changed({ shape: value === "dag" ? value : undefined }) });
  const [one, several] = [radio("tree"), radio("dag")];
  const add = h("input", { type: "checkbox", onchange: () => changed({ add: add.checked || undefined }) });
  const told = h("output", { htmlFor: least });
  const probability = () => Number(range.value) / 100;
  const later = afterwards(200, () => changed({ least: probability() === LEAST ? undefined : probability() }));
  const tell = () => {
    told.textContent = range.value === "0" ? "any" : percent(probability());
    range.ariaValueText = told.textContent;
  };
  const range = h("input", { id: least, type: "range", min: 0, max: 95, step: 5, oninput: () => (tell(), later()) });
  const top = h("input", {
    id: root,
    type: "text",
    maxLength: 200,
    placeholder: "thing",
    autocomplete: "off",
    onchange: () => changed({ root: top.value.trim() || undefined }),
  });

  function update(state) {
    (state.shape === "dag" ? several : one).checked = true;
    add.checked = state.add ?? false;
    range.value = String(Math.round((state.least ?? LEAST) * 100));
    top.value = state.root ?? "";
    tell();
  }

  const element = h(
    "div",
    { className: "tax-options" },
    h(
      "fieldset",
      {},
      h("legend", { className: "label" }, "A word has"),
      h("label", {}, one, "one parent"),
      h("label", {}, several, "several parents"),
    ),
    h("label", {}, add, "Add concepts that are missing"),
    h("div", { className: "tax-least" }, h("label", { htmlFor: least }, "Least probability of a parent"), range, told),
    h("div", { className: "tax-root" }, h("label", { htmlFor: root }, "One root above all (optional)"), top),
  );
  return { element, update };
}
