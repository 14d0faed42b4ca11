// A drawing as a file that looks the same outside of the page.
import { Refused } from "/lib/api.js";
import { s } from "/lib/dom.js";
import { save, saveText } from "/lib/saving.js";

const STYLES = [
  "fill",
  "stroke",
  "stroke-width",
  "stroke-linecap",
  "stroke-linejoin",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
];
const DRAWN = new Set(["x", "y", "width", "height", "rx", "d", "transform"]);
const SHARP = 2; // pixels of a PNG to one of the drawing
const LONGEST = 8192; // pixels of a side: browsers have no larger canvases

/** The text of an SVG file of a group of width x height, in the colours that it has now. */
export function svgText(group, { width, height, title, description, ground }) {
  const drawing = s(
    "svg",
    { width: Math.ceil(width), height: Math.ceil(height), viewBox: `0 0 ${Math.ceil(width)} ${Math.ceil(height)}` },
    s("title", {}, plain(title)),
    s("desc", {}, plain(description)),
    s("rect", { width: "100%", height: "100%", fill: ground }),
    copied(group, true),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(drawing)}\n`;
}

function copied(element, outermost = false) {
  const copy = document.createElementNS(element.namespaceURI, element.localName);
  for (const { name, value } of element.attributes)
    if (DRAWN.has(name) && !(outermost && name === "transform")) copy.setAttribute(name, value);
  if (element.localName !== "g" && element.localName !== "title") {
    const style = getComputedStyle(element);
    for (const name of STYLES)
      if (element.localName === "text" || !/^(font|text)-/.test(name))
        copy.setAttribute(name, style.getPropertyValue(name));
  }
  for (const child of element.childNodes)
    copy.append(child.nodeType === Node.TEXT_NODE ? plain(child.data) : copied(child));
  return copy;
}

/** Without characters that XML has no place for. */
function plain(text) {
  return text.replaceAll(/[\p{Cc}\uFFFE\uFFFF]/gu, "\uFFFD");
}

export function saveSvg(text, name) {
  saveText(text, `${name}.svg`, "image/svg+xml");
}

/** The same as pixels. */
export async function savePng(text, { width, height }, name) {
  const scale = Math.min(SHARP, LONGEST / Math.max(width, height));
  const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  try {
    const image = await loaded(url);
    const canvas = document.createElement("canvas");
    Object.assign(canvas, { width: Math.ceil(width * scale), height: Math.ceil(height * scale) });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
    if (!blob)
      throw new Refused({
        kind: "picture",
        message: "The browser cannot make a picture as large as this. Save it as SVG.",
      });
    save(blob, `${name}.png`);
  } finally {
    URL.revokeObjectURL(url);
  }
}

function loaded(url) {
  const image = new Image();
  return new Promise((done, failed) => {
    image.onload = () => done(image);
    image.onerror = () =>
      failed(new Refused({ kind: "picture", message: "The browser cannot read its own drawing. Save it as SVG." }));
    image.src = url;
  });
}
