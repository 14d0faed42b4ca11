// The form of a hierarchy: a text that is pasted, or a file that is chosen or dropped. Files are read here, in the browser.
import { fresh, h } from "/lib/dom.js";
import { counted } from "/lib/numbers.js";
import { sentence } from "/lib/trouble.js";

const EXAMPLE = `animal
  mammal
    dog
      poodle
    cat
    car
  fish
    animal
    salmon
vehicle
  boat
    sailboat
  truck
eagle
  bird
`;
const PICTURES = ["mermaid", "dot"]; // formats that are only written
const BYTES = 1_000_000;
const TERMS = 2_000;
const BULLET = /^\s*(?:[-*+•]\s+)?/;
const NEXT = "the command entvec taxonomy audit takes a million edges";

/** Of the formats of the server, those that are also read. */
export function readable(formats) {
  return Object.fromEntries(Object.entries(formats).filter(([name]) => !PICTURES.includes(name)));
}

/**
 * The form; `audit({ text, format, missing })` is called when there is something to look through, `update(state)` shows
 * another state.
 */
export function hierarchyForm(formats, audit) {
  const [id, note, wrong, format] = [fresh("text"), fresh("note"), fresh("wrong"), fresh("format")];
  const area = h("textarea", {
    id,
    spellcheck: false,
    autocapitalize: "off",
    wrap: "off",
    placeholder: EXAMPLE,
    "aria-describedby": `${note} ${wrong}`,
    oninput: count,
    ondragover: over,
    ondragleave: () => area.classList.remove("target"),
    ondrop: dropped,
  });
  const told = h("p", { id: note, className: "faint small" });
  const wrongly = h("p", { id: wrong, className: "tax-wrong", role: "alert" });
  const chosen = h(
    "select",
    { id: format },
    h("option", { value: "" }, "detect"),
    Object.entries(formats).map(([name, title]) => h("option", { value: name }, title)),
  );
  const missing = h("input", { type: "checkbox" });
  const file = h("input", {
    type: "file",
    id: fresh("file"),
    className: "unseen",
    onchange: () => file.files[0] && take(file.files[0]),
  });

  function count() {
    const lines = area.value.split("\n").filter((line) => line.trim()).length;
    told.replaceChildren(
      `${counted(lines, "line")}; at most ${counted(TERMS, "term")}.`,
      h("span", { className: "with-keys" }, " A file can be dropped here."),
    );
    if (area.ariaInvalid === "true") tell(problem());
  }

  function tell(text) {
    const line = Number(/^text, line (\d+)/.exec(text)?.[1] ?? 0);
    wrongly.textContent = text && sentence(text.replace(/^text(?:, |: )/, "")); // the server calls what was pasted so
    area.ariaInvalid = String(Boolean(text));
    if (line) point(line);
  }

  function point(line) {
    const lines = area.value.split("\n");
    const start = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    area.focus();
    area.setSelectionRange(start, start + (lines[line - 1] ?? "").length);
  }

  /** What is wrong before anything is sent; an empty text if nothing is. */
  function problem() {
    const text = area.value;
    if (!text.trim()) return "There is nothing yet. Paste a hierarchy, choose a file, or take the example.";
    if (new Blob([text]).size > BYTES)
      return `The text has more than ${BYTES.toLocaleString("en")} bytes. Paste a part of it; ${NEXT}.`;
    const n = termsOf(text, chosen.value);
    if (n <= TERMS) return "";
    const most = TERMS.toLocaleString("en");
    return `These are ${counted(n, "term")}, and this page takes ${most}. Paste a part of them; ${NEXT}.`;
  }

  function asked(event) {
    event.preventDefault();
    const text = problem();
    tell(text);
    if (text) area.focus();
    else audit({ text: area.value, format: chosen.value || undefined, missing: missing.checked ? undefined : false });
  }

  async function take(given) {
    if (given.size > BYTES)
      return tell(
        `${given.name} has ${counted(given.size, "byte")}, and this page takes ${BYTES.toLocaleString("en")}; ${NEXT}.`,
      );
    try {
      area.value = await given.text();
    } catch {
      return tell(`${given.name} cannot be read. Open it in an editor, and paste its text here.`);
    }
    tell("");
    count();
    area.focus();
  }

  function over(event) {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    area.classList.add("target");
  }

  function dropped(event) {
    area.classList.remove("target");
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    take(event.dataTransfer.files[0]);
  }

  function update(state) {
    area.value = state.text;
    area.rows = state.text ? 7 : 9;
    chosen.value = state.format ?? "";
    missing.checked = state.missing !== false;
    count();
  }

  const element = h(
    "form",
    { className: "tax-form", onsubmit: asked },
    h("div", {}, h("label", { htmlFor: id }, "Hierarchy"), area, told, wrongly),
    h(
      "div",
      { className: "tax-options" },
      h("div", { className: "tax-format" }, h("label", { htmlFor: format }, "Format"), chosen),
      h("label", {}, missing, "Also suggest what is missing"),
      h("div", { className: "tax-file" }, file, h("label", { htmlFor: file.id, className: "button" }, "Choose a file")),
    ),
    h(
      "p",
      { className: "chips" },
      h("button", { className: "main" }, "Check it"),
      "or try ",
      h("button", { type: "button", className: "chip", onclick: () => audit({ text: EXAMPLE }) }, "an example with mistakes"),
    ),
  );
  return { element, update, problem, tell, format: () => chosen.value };
}

/** How many terms a text has, as far as lines and columns tell; 0 for formats that must be parsed. */
function termsOf(text, format) {
  if (
    !["", "outline", "tsv", "csv"].includes(format) ||
    (!format && /^\s*(?:[{<@[]|format-version|prefix)/i.test(text))
  )
    return 0;
  const lines = text.split("\n").filter((line) => line.trim());
  const inner = lines.map((line) => line.replace(BULLET, ""));
  const divider = format === "csv" ? "," : format === "tsv" || inner.some((line) => line.includes("\t")) ? "\t" : null;
  return new Set(
    inner.flatMap((line) => (divider ? line.split(divider).slice(0, 2) : [line])).map((term) => term.trim()),
  ).size;
}
