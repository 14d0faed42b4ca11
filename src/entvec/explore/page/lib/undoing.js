// Undo and redo: buttons, and the keys that people know.
import { h, say } from "/lib/dom.js";

export function undoing(store) {
  const undo = tool("Undo", "↶", () => does("undo", "Undone."));
  const redo = tool("Redo", "↷", () => does("redo", "Done again."));

  function does(verb, told) {
    store[verb]();
    say(told);
  }

  function tool(name, sign, onclick) {
    return h("button", { type: "button", className: "tool", title: name, ariaLabel: name, onclick }, sign);
  }

  function tell() {
    [undo.hidden, redo.hidden] = [!store.canUndo && !store.canRedo, !store.canUndo && !store.canRedo];
    [undo.disabled, redo.disabled] = [!store.canUndo, !store.canRedo];
  }

  document.addEventListener("keydown", (event) => {
    const key = event.key.toLowerCase();
    const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
    if (typing || event.altKey || !(event.ctrlKey || event.metaKey) || !["z", "y"].includes(key)) return;
    const again = key === "y" || event.shiftKey;
    if (again ? !store.canRedo : !store.canUndo) return;
    event.preventDefault();
    does(again ? "redo" : "undo", again ? "Done again." : "Undone.");
  });
  store.subscribe(tell);
  tell();
  return [undo, redo];
}
