// Export: a taxonomy as a file or on the clipboard, in any format that the server writes.
import { Refused } from "/lib/api.js";
import { fresh, h, say } from "/lib/dom.js";
import { counted } from "/lib/numbers.js";
import { saveText } from "/lib/saving.js";
import { enumerated } from "/lib/several.js";
import { trouble } from "/lib/trouble.js";

const QUICK = { tsv: "TSV", skos: "SKOS", mermaid: "Mermaid" };

/**
 * A card with buttons; `converted(format)` promises the text as the server writes it, `formats` are names and titles.
 */
export function exporting(converted, formats, signal) {
  const [id, heading] = [fresh("format"), fresh("export")];
  const told = h("div", { className: "small" });
  const chosen = h(
    "select",
    { id },
    Object.entries(formats).map(([name, title]) => h("option", { value: name }, title)),
  );
  chosen.value = "json";

  async function deliver(format, hand) {
    told.replaceChildren();
    try {
      const found = await converted(format);
      const done = await hand(found);
      const text = [done, lost(found.left_out, formats[format])].filter(Boolean).join(" ");
      told.replaceChildren(h("p", {}, text));
      say(text);
    } catch (error) {
      if (!signal.aborted) told.replaceChildren(trouble(error));
    }
  }

  const button = (text, action) => h("button", { type: "button", onclick: action }, text);
  return h(
    "section",
    { className: "card tax-export", "aria-labelledby": heading },
    h("h2", { id: heading }, "Export"),
    h(
      "p",
      { className: "chips" },
      Object.entries(QUICK).map(([format, name]) => button(name, () => deliver(format, saved))),
    ),
    h("label", { htmlFor: id }, "All formats"),
    chosen,
    h(
      "div",
      { className: "tax-line" },
      button("Save", () => deliver(chosen.value, saved)),
      button("Copy", () => deliver(chosen.value, copied)),
    ),
    told,
    h("p", { className: "small faint" }, "The browser keeps what you do here; a file is yours to keep."),
  );
}

function saved({ text, file_name, media_type }) {
  saveText(text, file_name, media_type);
  return `Saved as ${file_name}.`;
}

async function copied({ text }) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    throw new Refused({
      kind: "clipboard",
      message: "The browser does not let this page use the clipboard. Save the file instead.",
    });
  }
  return `Copied: ${counted(text.split("\n").filter(Boolean).length, "line")}.`;
}

function lost(leftOut, title) {
  const are = Object.values(leftOut).reduce((sum, n) => sum + n, 0) === 1 ? "is" : "are";
  const parts = Object.entries(leftOut).map(([what, n]) => counted(n, singular(what), what));
  return parts.length ? `The format (${title}) has no place for ${enumerated(parts)}, which ${are} left out.` : "";
}

function singular(what) {
  return what.replace(/ies$/, "y").replace(/s$/, "");
}
