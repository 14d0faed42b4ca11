// Files that the page makes, given to the person to keep.

export function saveText(text, name, type = "text/plain") {
  save(new Blob([text], { type: `${type};charset=utf-8` }), name);
}

export function save(blob, name) {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  Object.assign(link, { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000); // the browser may still be reading it
}
