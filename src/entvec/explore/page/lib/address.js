// Addresses: whatever is shown has one, so that it can be shared, reloaded and gone back to.
let moved = () => {};

/** The address of a view: address("word", { word: "dog" }). Empty values are left out. */
export function address(view, params = {}) {
  const given = Object.entries(params).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return `/${view}${query ? `?${query}` : ""}`;
}

function goTo(there) {
  if (there !== location.pathname + location.search) history.pushState(null, "", there);
  moved({ moved: true });
}

/** Go there, as by a click on a link. */
export function go(view, params = {}) {
  goTo(address(view, params));
}

/** Show what is at this address anew, as after an error. */
export function again() {
  moved({ moved: true });
}

/** Change the address without going anywhere: the view has changed by itself, as by a slider. */
export function settle(view, params = {}) {
  history.replaceState(null, "", address(view, params));
}

/** Call this when the address changes, by links, buttons, back or forward. */
export function onMove(callback) {
  moved = callback;
  addEventListener("popstate", () => moved({ moved: true }));
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    const plain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    if (!link || !plain || event.defaultPrevented || link.target || link.hasAttribute("download")) return;
    const here = link.origin === location.origin && !link.pathname.startsWith("/api/");
    if (!here) return;
    event.preventDefault();
    goTo(link.pathname + link.search);
  });
}
