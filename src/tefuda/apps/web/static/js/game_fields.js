// Fields of a game's parameters, made from its signature.
import { h } from "./dom.js";
import { t } from "./words.js";

const FOLDED = 8; // parameters that are shown at once
const KINDS = { whole: { type: "number", step: 1 }, number: { type: "number", step: "any" } };
// Names of an address that a parameter must not take.
const RESERVED = [
  "game", "form", "method", "iterations", "until", "seconds", "seed", "buckets", "textures", "runs", "lang",
];

// The name of a parameter in an address.
export const keyOf = (name) => (RESERVED.includes(name) ? `game.${name}` : name);

// A value as the text of a field.
export const textOf = (value) => (value === null ? "" : typeof value === "string" ? value : JSON.stringify(value));

function labelOf(name) {
  const text = t(`parameter.${name}`);
  return text === `parameter.${name}` ? name.replaceAll("_", " ") : text;
}

function field(parameter, query, changed) {
  const { name, kind, meaning } = parameter;
  const given = query.get(keyOf(name));
  const attributes = { name, "data-role": "parameter", title: meaning, onchange: changed };
  if (kind === "flag") {
    const checked = given === null ? parameter.default : given === "true";
    return h("label", { class: "check" }, h("input", { ...attributes, type: "checkbox", checked }), labelOf(name));
  }
  const wide = kind === "text" || kind === "value" ? "wide" : "";
  const input = h("input", { ...attributes, type: "text", ...KINDS[kind], value: given ?? textOf(parameter.default) });
  return h("label", { class: wide }, h("span", {}, labelOf(name)), input);
}

// The value of a field, or undefined for the default.
function valueOf(parameter, input) {
  if (parameter.kind === "flag") return input.checked === parameter.default ? undefined : input.checked;
  const text = input.value.trim();
  if (text === "" || text === textOf(parameter.default)) return undefined;
  if (parameter.kind === "text") return text;
  if (parameter.kind !== "value") return Number(text);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

// The fields of a game, filled in from the query of an address.
export class GameFields {
  constructor(game, query, changed) {
    this.game = game;
    const fields = game.parameters.map((parameter) => field(parameter, query, changed));
    const meanings = game.parameters.map((parameter) => [
      h("dt", {}, labelOf(parameter.name)), h("dd", {}, parameter.meaning || "–"),
    ]);
    const fold = (title, content) => h("details", {}, h("summary", {}, t(title)), content);
    const rest = fields.slice(FOLDED);
    this.element = h("div", { class: "fields" }, fields.slice(0, FOLDED),
      rest.length ? fold("solve.more", h("div", { class: "fields" }, rest)) : null,
      fold("solve.meanings", h("dl", { lang: "en" }, meanings)));
  }

  inputs() {
    return [...this.element.querySelectorAll("[data-role=parameter]")];
  }

  // The parameters that differ from their defaults; the limit of hold'em is always given.
  values() {
    const inputs = this.inputs();
    const pairs = this.game.parameters.map((parameter) => {
      const value = valueOf(parameter, inputs.find((input) => input.name === parameter.name));
      const needed = this.game.name === "holdem" && parameter.name === "limit";
      return [parameter.name, value ?? (needed ? parameter.default : undefined)];
    });
    return Object.fromEntries(pairs.filter(([, value]) => value !== undefined));
  }

  // Show the values of parameters whose default depends on others, such as the cards of Kuhn poker.
  resolve(parameters) {
    for (const input of this.inputs()) {
      const parameter = this.game.parameters.find((known) => known.name === input.name);
      const value = textOf(parameters[input.name] ?? null);
      if (parameter.kind === "flag" || valueOf(parameter, input) !== undefined) continue;
      if (value !== textOf(parameter.default)) [input.value, input.placeholder] = ["", value];
    }
  }
}
