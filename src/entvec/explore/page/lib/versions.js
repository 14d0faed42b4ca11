// Versions: the document under names that the person gives, what has changed since, and the document as a file.
import { difference, parsed } from "/lib/document.js";
import { fresh, h, say } from "/lib/dom.js";
import { counted } from "/lib/numbers.js";
import { saveText } from "/lib/saving.js";

const FILE = "entvec-document.json";

/** A button that opens the versions of a store. */
export function versions(store) {
  const id = fresh("versions");
  const [name, told, list] = [h("input", { type: "text", maxLength: 80, id: fresh("name") }), h("p", {}), h("ul", {})];
  const file = h("input", { type: "file", hidden: true, accept: ".json", onchange: opened });
  const menu = h(
    "div",
    { id, className: "menu versions", popover: "auto" },
    h("h2", {}, "Versions of this document"),
    h(
      "p",
      { className: "small faint" },
      "The browser keeps all that you do here. A version has a name, and you can go back to it.",
    ),
    h(
      "form",
      { onsubmit: kept },
      h("label", { htmlFor: name.id }, "Name"),
      h("div", { className: "box-line" }, name, h("button", { className: "main" }, "Keep")),
    ),
    told,
    list,
    h(
      "p",
      { className: "menu-ways" },
      h(
        "button",
        { type: "button", onclick: () => saveText(JSON.stringify(store.document), FILE, "application/json") },
        "Save as a file",
      ),
      h("button", { type: "button", onclick: () => file.click() }, "Open a file"),
      file,
    ),
  );
  const button = h("button", { type: "button", className: "tool", "aria-haspopup": "dialog" }, "Versions");
  button.setAttribute("popovertarget", id);
  menu.addEventListener("beforetoggle", (event) => event.newState === "open" && fill());
  store.subscribe(
    (_, why) => why === "saved" && store.full && tell("The browser has no room left: save the document as a file."),
  );

  function tell(text) {
    told.textContent = text;
    button.classList.toggle("full", store.full);
    say(text);
  }

  function kept(event) {
    event.preventDefault();
    const given = name.value.trim() || new Date().toLocaleString("en", { dateStyle: "medium", timeStyle: "short" });
    tell(
      store.keepVersion(given) ? `Kept as “${given}”.` : "The browser has no room left: save the document as a file.",
    );
    name.value = "";
    fill();
  }

  async function opened() {
    const found = file.files[0] && parsed(await file.files[0].text());
    file.value = "";
    if (!found) return tell("This file is not a document of this page.");
    restore(found, "The file is open.");
  }

  function restore(document, text) {
    menu.hidePopover();
    store.restore(document);
    say(text);
  }

  function fill() {
    list.replaceChildren(...store.versions.map(row));
  }

  function row(version) {
    return h(
      "li",
      {},
      h(
        "div",
        {},
        h("strong", {}, version.name),
        h(
          "span",
          { className: "small faint" },
          new Date(version.time).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" }),
        ),
        h("span", { className: "small" }, changes(version.document, store.document)),
      ),
      h(
        "button",
        {
          type: "button",
          ariaLabel: `Go back to ${version.name}`,
          onclick: () => restore(version.document, `Back to ${version.name}.`),
        },
        "Go back",
      ),
      h(
        "button",
        {
          type: "button",
          ariaLabel: `Delete ${version.name}`,
          onclick: () => (store.dropVersion(version.name), fill()),
        },
        "Delete",
      ),
    );
  }

  return h("div", { className: "tool-place" }, button, menu);
}

/** What has changed in lists and hierarchies from one document to another: “List: you moved 2, the model moved 0.” */
export function changes(before, after) {
  const told = ["list", "hierarchy"]
    .filter((kind) => before.states[kind] || after.states[kind])
    .map((kind) => ({ kind, found: difference(before.states[kind], after.states[kind]) }))
    .filter(({ found }) => Object.values(found).some((words) => words.length))
    .map(({ kind, found }) => {
      const words = [
        found.added.length ? `${counted(found.added.length, "word")} more` : null,
        found.removed.length ? `${counted(found.removed.length, "word")} fewer` : null,
      ];
      const moved = `you moved ${found.byYou.length}, the model moved ${found.byModel.length}`;
      return `${kind === "list" ? "List" : "Hierarchy"}: ${[moved, ...words].filter(Boolean).join(", ")}.`;
    });
  return told.length ? `Since then: ${told.join(" ")}` : "Nothing has changed in lists since then.";
}
