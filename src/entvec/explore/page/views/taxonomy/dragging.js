// Dragging a row onto another, with a mouse, a pen or a finger.
import { h } from "/lib/dom.js";

const SLACK = 5; // pixels that a click may slip
const EDGE = 60; // pixels from the edge of the window, within which it scrolls
const SPEED = 12;

/**
 * Let rows be dragged onto others, and onto places with `data-drop`. `told(row, target)` is what is shown on the way, null
 * where nothing can be dropped; `drop(row, target)` ends it. A finger drags by the grip alone: elsewhere it scrolls.
 */
export function draggable(list, { told, drop }) {
  list.addEventListener("pointerdown", (event) => {
    const row = event.target.closest("[data-row]");
    const byGrip = event.target.closest(".grip");
    const onButton = event.target.closest("button:not(.tray-name), a");
    if (!row || event.button !== 0 || onButton || (event.pointerType !== "mouse" && !byGrip)) return;
    follow(row, event);
  });

  function follow(row, start) {
    const ending = new AbortController();
    const { signal } = ending;
    let ghost = null;
    let target = null;
    let at = start;
    let frame = 0;

    function begin() {
      ghost = h("div", { className: "tax-ghost", "aria-hidden": "true" });
      document.body.append(ghost);
      document.body.classList.add("tax-dragging");
      row.classList.add("dragged");
      frame = requestAnimationFrame(scroll);
    }

    function scroll() {
      const by = at.clientY < EDGE ? -SPEED : at.clientY > innerHeight - EDGE ? SPEED : 0;
      frame = requestAnimationFrame(scroll);
      if (!by) return;
      scrollBy(0, by);
      aim();
    }

    function aim() {
      const point = document.elementFromPoint(at.clientX, at.clientY);
      const under = point?.closest("[data-drop]") ?? point?.closest("[data-row]");
      const next = under && list.contains(under) && told(row, under) !== null ? under : null;
      if (next !== target) {
        target?.classList.remove("target");
        next?.classList.add("target");
        target = next;
      }
      const text = told(row, target);
      if (text === null) return end(); // an answer has come meanwhile in which there is no such row
      ghost.textContent = text;
      ghost.style.translate = `${at.clientX + 14}px ${at.clientY + 12}px`;
    }

    function end() {
      ending.abort();
      cancelAnimationFrame(frame);
      ghost?.remove();
      document.body.classList.remove("tax-dragging");
      row.classList.remove("dragged");
      target?.classList.remove("target");
    }

    const own = (listener) => (event) => event.pointerId === start.pointerId && listener(event);
    addEventListener(
      "pointermove",
      own((event) => {
        at = event;
        if (!ghost && Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) > SLACK) begin();
        if (ghost) aim();
      }),
      { signal },
    );
    addEventListener(
      "pointerup",
      own(() => {
        const found = ghost && target;
        end();
        if (found) drop(row, found);
      }),
      { signal },
    );
    addEventListener("pointercancel", own(end), { signal });
    addEventListener("blur", end, { signal });
    addEventListener("keydown", (event) => event.key === "Escape" && end(), { signal });
  }
}
