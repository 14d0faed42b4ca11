// “Copy as”: what is shown, as a link, a command, Python or curl.
//
// A view says how by `ways(state) -> { command, python, curl }`; each may be left out. The quoting is done here.
import { fresh, h, say } from "/lib/dom.js";

const NAMES = { link: "Link", command: "Command line", python: "Python", curl: "curl" };

/** A word of a command: in single quotes if a shell would read more into it. */
export function shell(text) {
  return /^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

export function command(...words) {
  return words.map((word) => shell(String(word))).join(" ");
}

/** A value as Python writes it. */
export function python(value) {
  if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`;
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  return JSON.stringify(value);
}

/** Code that asks the space that `entvec.load()` puts together. */
export function pythonOf(...lines) {
  return ["import entvec", "", "space = entvec.load()", ...lines].join("\n");
}

export function curlOf(path, body) {
  return `curl -s ${shell(location.origin + path)} -H 'Content-Type: application/json' -d ${shell(JSON.stringify(body))}`;
}

/** A button that opens the ways; `shown()` returns the view and the state that are copied. */
export function copying(shown) {
  const id = fresh("copying");
  const list = h("div", { className: "copying-ways" });
  const menu = h("div", { id, className: "menu copying", popover: "auto" }, h("h2", {}, "Copy this as"), list);
  const button = h("button", { type: "button", className: "tool", "aria-haspopup": "dialog" }, "Copy as");
  button.setAttribute("popovertarget", id);
  menu.addEventListener("beforetoggle", (event) => event.newState === "open" && fill());

  async function fill() {
    list.replaceChildren();
    const { view, state } = await shown();
    const found = { link: location.href, ...(view.ways?.(state) ?? {}) };
    list.replaceChildren(
      ...Object.keys(NAMES)
        .filter((name) => found[name])
        .map((name) => way(NAMES[name], found[name])),
    );
  }

  return h("div", { className: "tool-place" }, button, menu);
}

function way(name, text) {
  const code = h("pre", { tabIndex: 0, ariaLabel: name }, h("code", {}, text));
  const copy = h("button", { type: "button", ariaLabel: `Copy as ${name}`, onclick: copied }, "Copy");
  return h("div", { className: "way" }, h("div", { className: "way-name" }, h("strong", {}, name), copy), code);

  async function copied() {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      getSelection().selectAllChildren(code); // a page that is not served by this machine may not write there
      document.execCommand("copy");
    }
    copy.textContent = "Copied";
    say(`${name} copied.`);
    setTimeout(() => (copy.textContent = "Copy"), 1500);
  }
}
