// Moving and enlarging a drawing: by mouse, wheel, fingers and keys.

const LARGEST = 4;
const LARGEST_FIT = 1.3; // a few words are not blown up to fill everything
const STEP = 1.3; // of a button or key
const PUSH = 60; // pixels of an arrow key
const EDGE = 16; // pixels between the frame and what is moved into sight
const CLICK = 5; // pixels that a pointer may tremble

/**
 * Makes `content`, a group of width x height within `svg`, movable. It is never smaller than to be seen as a whole;
 * there, a wheel and a finger that want to move on move the page. `moved` is called after every change.
 */
export function panning(svg, content, { width, height }, { signal, moved = () => {} }) {
  const fingers = new Map();
  const view = { x: 0, y: 0, scale: 1 };
  let untouched = true;
  let dragged = false;

  const room = () => ({ width: svg.clientWidth, height: svg.clientHeight });
  const whole = () => Math.min(LARGEST_FIT, room().width / width, room().height / height);

  function show() {
    const { width: w, height: hgt } = room();
    // The middle of what is seen stays within the drawing.
    view.x = Math.min(w / 2, Math.max(w / 2 - width * view.scale, view.x));
    view.y = Math.min(hgt / 2, Math.max(hgt / 2 - height * view.scale, view.y));
    content.setAttribute(
      "transform",
      `translate(${view.x.toFixed(2)} ${view.y.toFixed(2)}) scale(${view.scale.toFixed(4)})`,
    );
    svg.style.touchAction = view.scale > whole() * 1.01 ? "none" : "pan-y";
    moved();
  }

  function fit() {
    const scale = whole();
    Object.assign(view, { scale, x: (room().width - width * scale) / 2, y: (room().height - height * scale) / 2 });
    untouched = true;
    show();
  }

  function push(dx, dy) {
    view.x += dx;
    view.y += dy;
    untouched = false;
    show();
  }

  /** Enlarge by a factor around a point of the screen, else around the middle; false if there is no more to it. */
  function zoom(factor, at) {
    const box = svg.getBoundingClientRect();
    const [x, y] = at ? [at.x - box.left, at.y - box.top] : [box.width / 2, box.height / 2];
    const scale = Math.min(Math.max(LARGEST, whole()), Math.max(whole(), view.scale * factor));
    if (Math.abs(scale / view.scale - 1) < 1e-3) return false;
    const ratio = scale / view.scale;
    Object.assign(view, { scale, x: x - (x - view.x) * ratio, y: y - (y - view.y) * ratio });
    untouched = false;
    show();
    return true;
  }

  /** Move so far that a box of the drawing, told by its middle and size, is to be seen. */
  function reveal(box) {
    const into = (from, length, most) => (from < 0 || length > most ? -from : Math.min(0, most - from - length));
    const dx = into(view.x + (box.x - box.width / 2) * view.scale, box.width * view.scale, room().width);
    const dy = into(view.y + (box.y - box.height / 2) * view.scale, box.height * view.scale, room().height);
    if (dx || dy) push(dx + EDGE * Math.sign(dx), dy + EDGE * Math.sign(dy));
  }

  function pressed(event) {
    if (event.pointerType === "mouse" && event.button !== 0) return;
    if (fingers.size === 0) dragged = false;
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }

  function drawnAlong(event) {
    const last = fingers.get(event.pointerId);
    if (!last) return;
    const now = { x: event.clientX, y: event.clientY };
    const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
    if (!dragged && !other && Math.hypot(now.x - last.x, now.y - last.y) < CLICK) return;
    if (!dragged) svg.setPointerCapture(event.pointerId);
    dragged = true;
    svg.classList.add("dragged");
    fingers.set(event.pointerId, now);
    if (!other) return push(now.x - last.x, now.y - last.y);
    push((now.x - last.x) / 2, (now.y - last.y) / 2); // the middle between two fingers moves half as far as one
    const apart = (one) => Math.max(10, Math.hypot(one.x - other.x, one.y - other.y));
    zoom(apart(now) / apart(last), { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
  }

  function released(event) {
    fingers.delete(event.pointerId);
    if (fingers.size === 0) svg.classList.remove("dragged");
  }

  function clicked(event) {
    if (!dragged) return;
    dragged = false;
    event.stopPropagation(); // the end of a drag is no click
    event.preventDefault();
  }

  function wheeled(event) {
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 20 : 1;
    const turned = Math.min(200, Math.max(-200, event.deltaY * lines));
    const changed = zoom(Math.exp(-turned * (event.ctrlKey ? 0.01 : 0.002)), { x: event.clientX, y: event.clientY });
    if (changed || event.ctrlKey || turned < 0) event.preventDefault();
  }

  function keyed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const pushes = { ArrowLeft: [PUSH, 0], ArrowRight: [-PUSH, 0], ArrowUp: [0, PUSH], ArrowDown: [0, -PUSH] };
    if (event.key in pushes) push(...pushes[event.key]);
    else if (event.key === "+" || event.key === "=") zoom(STEP);
    else if (event.key === "-") zoom(1 / STEP);
    else if (event.key === "0") fit();
    else return;
    event.preventDefault();
  }

  const listeners = {
    pointerdown: pressed,
    pointermove: drawnAlong,
    pointerup: released,
    pointercancel: released,
    keydown: keyed,
  };
  for (const [name, listener] of Object.entries(listeners)) svg.addEventListener(name, listener, { signal });
  svg.addEventListener("click", clicked, { signal, capture: true });
  const together = (event) => event.touches.length > 1 && event.preventDefault(); // else two fingers move the page, too
  svg.addEventListener("touchstart", together, { signal, passive: false });
  svg.addEventListener("wheel", wheeled, { signal, passive: false });
  const watching = new ResizeObserver(() => (untouched ? fit() : show()));
  watching.observe(svg);
  signal.addEventListener("abort", () => watching.disconnect());
  fit();

  return { fit, reveal, enlarge: () => zoom(STEP), reduce: () => zoom(1 / STEP), view };
}
