// Making elements. Text is always text: nothing that a server or a person says is read as markup.
const SVG = "http://www.w3.org/2000/svg";

function filled(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, given] of Object.entries(value)) element.style.setProperty(key, given);
    else if (name in element && name !== "list" && !(element instanceof SVGElement)) element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

/** An element of the page: h("a", { href: "/" }, "text", child). Names that begin with `on` are listeners. */
export function h(tag, properties, ...children) {
  return filled(document.createElement(tag), properties, children);
}

/** An element of a drawing. */
export function s(tag, properties, ...children) {
  return filled(document.createElementNS(SVG, tag), properties, children);
}

let last;

/** Tell those who cannot see what has changed. */
export function say(text) {
  const place = document.getElementById("said");
  place.textContent = text === last ? `${text}\u00a0` : text; // the same text again would not be read again
  last = place.textContent;
}

let counted = 0;

/** An id that no other element has. */
export function fresh(name) {
  counted += 1;
  return `${name}-${counted}`;
}

/** Call a function once things have been quiet for a while. */
export function afterwards(wait, callback) {
  let timer;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => callback(...values), wait);
  };
}
