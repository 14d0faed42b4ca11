// What a person meant by what was typed or pasted into the one box: a pure function from text to a state.
import { separated } from "/lib/several.js";

const ARTICLE = /^(?:an?|the|some|any)\s+/i;
const SENTENCES = [
  // Questions and statements about two terms, and the relation that each asks about; none for what only compares.
  { form: /^(?:is|are|was|were)\s+(.+?)\s+(?:an?\s+)?parts?\s+of\s+(.+)$/i, relation: "part" },
  {
    form: /^(?:is|are|was|were)\s+(.+?)\s+(?:an?\s+|the\s+)?(?:kinds?|types?|sorts?)\s+of\s+(.+)$/i,
    relation: "narrower",
  },
  {
    form: /^(?:is|are|was|were)\s+(.+?)\s+(?:the\s+same(?:\s+thing)?\s+as|a\s+synonym\s+of)\s+(.+)$/i,
    relation: "same",
  },
  { form: /^(?:do|does)\s+(.+?)\s+(?:entail|imply|mean)\s+(.+)$/i, relation: "narrower" },
  { form: /^(?:do|does)\s+(.+?)\s+have\s+(.+)$/i, relation: "whole" },
  { form: /^(?:is|are|was|were)\s+((?:an?|the|some|any)\s+.+?)\s+(?:an?|the|some)\s+(.+)$/i, relation: "narrower" },
  { form: /^(?:is|are|was|were)\s+(.+?)\s+(?:an?|the|some)\s+(.+)$/i, relation: "narrower" },
  { form: /^(?:is|are|was|were)\s+(\S+)\s+(\S+)$/i, relation: "narrower" },
  { form: /^(.+?)\s+(?:is|are)\s+(?:an?\s+)?parts?\s+of\s+(.+)$/i, relation: "part" },
  { form: /^(.+?)\s+(?:is|are)\s+(?:an?\s+)?(?:kinds?|types?|sorts?)\s+of\s+(.+)$/i, relation: "narrower" },
  { form: /^((?!what|who).+?)\s+is\s+an?\s+(.+)$/i, relation: "narrower" },
  { form: /^what\s+is\s+(.+?)\s+to\s+(.+)$/i },
  { form: /^(?:what\s+is\s+the\s+)?(?:relation|difference)\s+(?:between|of)\s+(.+?)\s+(?:and|to)\s+(.+)$/i },
];
const ABOUT = /^(?:what(?:'s|’s|\s+is|\s+are)|who\s+is|define)\s+(.+)$/i;
const ARROW = /\s*(?:->|→|=>|⇒|>)\s*/;
const BACK = /\s*(?:<-|←|<)\s*/;
const VERSUS = /\s+(?:vs\.?|versus)\s+/i;
const BULLET = /^\s*(?:[-*+•–]|\d+[.)])\s+/;
const MARKUP = /^\s*(?:[{[<]|@prefix|@base|PREFIX\s|format-version:|graph\s|flowchart\s|digraph\s)/;

/**
 * The state that a text asks for; null for an empty one.
 *
 *   "tomato" -> a word          "is a tomato a fruit?", "dog, animal", "wheel : car" -> a pair
 *   "tomato: fruit | herb" -> a word and its candidates       "a, b, c" or lines -> a list
 *   lines with indents, arrows, tabs or the markup of a file -> a hierarchy
 */
export function understood(text) {
  const whole = text
    .replaceAll("\r\n", "\n")
    .replace(/\s+$/, "")
    .replace(/^(?:[ \t]*\n)+/, "");
  if (!whole.trim()) return null;
  return whole.includes("\n") || MARKUP.test(whole) ? ofLines(whole) : ofLine(whole.trim());
}

function ofLine(line) {
  const plain = line.replace(/[?!.]+$/, "").trim();
  return candidates(plain) ?? chain(plain) ?? question(plain) ?? listed(plain) ?? word(plain || line);
}

/** “tomato: fruit | vegetable”, “wheel : car”. */
function candidates(line) {
  const [head, ...rest] = line.split(/\s*:\s*/);
  if (rest.length !== 1 || !head || !rest[0]) return null;
  const among = items(rest[0]);
  return among.length === 1 ? pair(head, among[0]) : { kind: "word", word: bare(head), against: among };
}

function chain(line) {
  for (const [between, turned] of [
    [ARROW, false],
    [BACK, true],
    [VERSUS, false],
  ]) {
    const terms = line.split(between).filter(Boolean);
    if (terms.length < 2) continue;
    if (turned) terms.reverse();
    if (terms.length === 2) return pair(...terms);
    return { kind: "hierarchy", text: edges(terms.slice(1).map((term, i) => [terms[i], term])) };
  }
  return null;
}

function question(line) {
  for (const { form, relation } of SENTENCES) {
    const found = form.exec(line);
    if (found) return { ...pair(found[1], found[2]), ...(relation ? { asked: relation } : {}) };
  }
  const about = ABOUT.exec(line);
  return about ? word(about[1]) : null;
}

function listed(line) {
  const terms = items(line);
  if (terms.length < 2) return null;
  return terms.length === 2 && !line.includes("|") ? pair(...terms) : { kind: "list", words: terms };
}

function items(text) {
  return /[|;]/.test(text) ? [...new Set(text.split(/\s*[|;]\s*/).filter(Boolean))] : separated(text);
}

function ofLines(text) {
  const lines = text.split("\n").filter((line) => line.trim());
  if (MARKUP.test(text) || lines.some((line) => line.includes("\t") && line.trim().includes("\t")))
    return hierarchy(text);
  const bare = lines.map((line) => line.replace(BULLET, (bullet) => /^\s*/.exec(bullet)[0]));
  if (bare.some((line) => /^\s/.test(line))) return hierarchy(text);
  const pairs = bare.map((line) => line.split(ARROW));
  if (pairs.every((terms) => terms.length === 2 && terms.every(Boolean))) return hierarchy(edges(pairs));
  if (/^(?:hypo|child|narrower|term|source)\s*[,;]/i.test(lines[0])) return hierarchy(text);
  const words = [...new Set(bare.flatMap((line) => items(line.trim())))];
  if (words.length === 1) return ofLine(words[0]);
  return { kind: "list", words };
}

function hierarchy(text) {
  return { kind: "hierarchy", text };
}

function edges(pairs) {
  return `${pairs.map((terms) => terms.map((term) => term.trim()).join("\t")).join("\n")}\n`;
}

function pair(first, second) {
  return { kind: "pair", first: bare(first), second: bare(second) };
}

function word(text) {
  return { kind: "word", word: bare(text) };
}

/** A term without the article of a sentence. */
function bare(text) {
  const term = text.trim().replace(ARTICLE, "");
  return term || text.trim();
}

const NAMES = {
  word: ({ word, against }) => (against ? `which of ${against.length} is ${word}?` : "a word"),
  pair: ({ first, second, asked }) =>
    asked ? `a question about ${first} and ${second}` : `what is ${first} to ${second}?`,
  list: ({ words }) => `a list of ${words.length} words: make a taxonomy`,
  hierarchy: ({ text }) => `a hierarchy of ${text.trim().split("\n").length} lines: check it`,
};

/** What was understood, in a few words. */
export function inWords(state) {
  return state ? NAMES[state.kind](state) : "";
}
