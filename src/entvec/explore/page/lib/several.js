// Several words in one value of an address: separated by commas; a comma of a word itself has a backslash before it.

export function joined(words) {
  return words.map((word) => word.replaceAll(/[\\,]/g, "\\$&")).join(",");
}

export function separated(text) {
  const words = [...text.matchAll(/(?:\\.|[^,\\]|\\$)+/gsu)].map(([word]) => word.replaceAll(/\\(.)/gsu, "$1").trim());
  return [...new Set(words.filter(Boolean))];
}

/** “piano, drum and flute”. */
export function enumerated(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
