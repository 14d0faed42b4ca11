// The form of Build: a list of words and how they are made a hierarchy.
import { address } from "/lib/address.js";
import { afterwards, fresh, h } from "/lib/dom.js";
import { counted, percent } from "/lib/numbers.js";
import { problemOf, wordsOf } from "/views/taxonomy/listing.js";

const EXAMPLES = {
  Animals: "animal, bird, eagle, owl, dog, poodle, cat, tiger, whale, fish, salmon, trout, insect, ant, bee",
  Vehicles: "vehicle, car, sedan, truck, bicycle, boat, sailboat, yacht, ship, aircraft, airplane, helicopter",
  "Food and drink":
    "food, produce, apple, banana, cherry, lemon, vegetable, onion, cheese, meat, beef, pork, beverage, coffee, tea, " +
    "wine, beer, champagne",
  People:
    "person, artist, painter, musician, pianist, guitarist, violinist, drummer, writer, novelist, poet, athlete, " +
    "swimmer, runner, physician, surgeon, dentist",
};

/**
 * The form. `build(words)` is called when a list is there to be built, `changed(options)` when an option of a built one
 * changes.
 */
export function buildForm(state, { build, changed }) {
  const [id, note, wrong] = [fresh("words"), fresh("note"), fresh("wrong")];
  const written = state.words.join(state.words.some((word) => word.includes(",")) ? "\n" : ", ");
  const area = h("textarea", {
    id,
    rows: state.words.length ? 3 : 5,
    value: written,
    spellcheck: false,
    autocapitalize: "off",
    placeholder: "dog\ncat\nanimal",
    "aria-describedby": `${note} ${wrong}`,
    oninput: count,
    onkeydown: pressed,
  });
  const told = h("p", { id: note, className: "faint small" });
  const problem = h("p", { id: wrong, className: "tax-wrong", role: "alert" });

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
    event?.preventDefault();
    const text = problemOf(words());
    tell(text);
    if (text) area.focus();
    else build(words());
  }

  function pressed(event) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) asked(event);
  }

  count();
  return h(
    "form",
    { className: "card tax-form", onsubmit: asked },
    h("div", {}, h("label", { htmlFor: id }, "Words"), area, told, problem),
    h(
      "details",
      { open: matchMedia("(min-width: 48.01rem)").matches },
      h("summary", {}, "Options"),
      options(state, changed),
    ),
    h(
      "p",
      { className: "chips" },
      h("button", { className: "main" }, "Build"),
      "or try ",
      Object.entries(EXAMPLES).map(([name, list]) =>
        h("a", { className: "button chip", href: address("taxonomy", { words: list }) }, name),
      ),
    ),
  );
}

function options(state, changed) {
  const [least, root] = [fresh("least"), fresh("root")];
  const name = fresh("shape");
  const radio = (value, text) =>
    h(
      "label",
      {},
      h("input", {
        type: "radio",
        name,
        value,
        checked: state.shape === value,
        onchange: () => changed({ shape: value }),
      }),
      text,
    );
  const told = h("output", { htmlFor: least });
  const later = afterwards(200, () => changed({ least: Number(range.value) / 100 }));
  const tell = () => {
    told.textContent = range.value === "0" ? "any" : percent(Number(range.value) / 100);
    range.ariaValueText = told.textContent;
  };
  const range = h("input", { id: least, type: "range", min: 0, max: 95, step: 5, oninput: () => (tell(), later()) });
  range.value = String(Math.round(state.least * 100));
  tell();
  const top = h("input", {
    id: root,
    type: "text",
    value: state.root,
    maxLength: 200,
    placeholder: "thing",
    autocomplete: "off",
    onchange: () => changed({ root: top.value.trim() }),
  });
  return h(
    "div",
    { className: "tax-options" },
    h(
      "fieldset",
      {},
      h("legend", { className: "label" }, "A word has"),
      radio("tree", "one parent"),
      radio("dag", "several parents"),
    ),
    h(
      "label",
      {},
      h("input", { type: "checkbox", checked: state.add, onchange: (event) => changed({ add: event.target.checked }) }),
      "Add concepts that are missing",
    ),
    h("div", { className: "tax-least" }, h("label", { htmlFor: least }, "Least probability of an edge"), range, told),
    h("div", { className: "tax-root" }, h("label", { htmlFor: root }, "One root above all (optional)"), top),
  );
}
