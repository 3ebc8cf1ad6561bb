// Words of the page in English and Japanese, and numbers as the language writes them.
import { get, holds } from "./api.js";

const words = {};
const loaded = new Set();

function initial() {
  const asked = new URLSearchParams(location.search).get("lang") ?? localStorage.getItem("lang") ?? navigator.language;
  return asked.startsWith("ja") ? "ja" : "en";
}

export const language = initial();

let asked = null; // names of files that are asked for in this turn, and the promise of their words

// Load the words of pages, each a file in static/words: one request for all that are asked for in a turn.
export function loadWords(...names) {
  asked ??= { names: new Set(), words: Promise.resolve().then(answer) };
  for (const name of names) asked.names.add(name);
  return asked.words;
}

async function answer() {
  const missing = [...asked.names].filter((name) => !loaded.has(name));
  asked = null;
  const joined = `/static/words/${missing.join("+")}.json`;
  const files = holds(joined) ? [joined] : missing.map((name) => `/static/words/${name}.json`);
  Object.assign(words, ...(missing.length ? await Promise.all(files.map(get)) : []));
  for (const name of missing) loaded.add(name);
}

// The text of a key, with {name} replaced by values; {n|one|other} chooses by the number n.
export function t(key, values = {}) {
  const text = words[key]?.[language] ?? words[key]?.en ?? key;
  return text.replace(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (whole, name, one, other) => {
    if (one === undefined) return values[name] ?? whole;
    const isOne = new Intl.PluralRules(language).select(values[name]) === "one";
    return (isOne ? one : other).replace("#", number(values[name]));
  });
}

// The text of a key, or another text if the key has none.
export const written = (key, otherwise, values = {}) => (key in words ? t(key, values) : otherwise);

// A value of a message: words in both languages, a number, an interval, or a text.
export function say(value, digits = 4) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "number") return number(value, digits);
  if (value.low !== undefined) return `${signed(value.mean, 3)} (${signed(value.low, 3)} … ${signed(value.high, 3)})`;
  return value[language] ?? value;
}

// A number with at most `digits` significant digits.
export function number(value, digits = 6) {
  if (value === null || value === undefined) return "–";
  if (Object.is(value, -0)) return number(0);
  const size = Math.abs(value);
  const isPlain = value === 0 || (size >= 1e-5 && size < 1e9);
  const text = isPlain ? new Intl.NumberFormat(language, { maximumSignificantDigits: digits }).format(value)
    : value.toExponential(Math.min(digits, 4) - 1);
  return text.replace(/-/g, "−");
}

// A number with its sign.
export function signed(value, digits = 4) {
  if (value === null || value === undefined) return "–";
  return `${value > 0 ? "+" : ""}${number(value, digits)}`;
}

// A probability in per cent, "<0.1 %" if it is small but not zero.
export function percent(value, digits = 3) {
  if (value === null || value === undefined) return "–";
  if (value > 0 && value < 0.001) return "<0.1 %";
  return `${number(value * 100, digits)} %`;
}
