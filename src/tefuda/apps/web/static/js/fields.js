// Fields of forms: controls with labels, and the parameters of a game.
import { fold, h } from "./dom.js";
import { t, written } from "./words.js";

const SHOWN = 4; // parameters that are shown at once
const NUMBER = { type: "number" };
const KINDS = { flag: { type: "checkbox" }, whole: { ...NUMBER, step: 1 }, number: { ...NUMBER, step: "any" } };
// Names of an address that a parameter must not take.
const RESERVED = [
  "game", "form", "method", "iterations", "until", "seconds", "seed", "buckets", "textures", "runs", "lang",
];

// The name of a parameter in an address.
export const keyOf = (name) => (RESERVED.includes(name) ? `game.${name}` : name);

// A value as the text of a field or an address, and back.
export const textOf = (value) => (value === null ? "" : typeof value === "string" ? value : JSON.stringify(value));

export function valueOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

// The options of a select; pairs are [value, text], or [value] alone.
export const options = (pairs, chosen) =>
  pairs.map(([value, text = value]) => h("option", { value, selected: `${value}` === `${chosen}` }, text));

// A labelled control: a select if it has pairs of options, else an input; a box stands before its label.
export function field(label, { class: name, value, ...attributes }, pairs = null) {
  const control = pairs ? h("select", attributes, options(pairs, value)) : h("input", { value, ...attributes });
  const isBox = ["checkbox", "radio"].includes(attributes.type);
  return h("label", { class: name ?? (isBox && "check") }, isBox ? [control, label] : [h("span", {}, label), control]);
}

const labelOf = (name) => written(`parameter.${name}`, name.replaceAll("_", " "));

function parameterField({ name, kind, meaning, default: usual }, query, changed) {
  const text = query.get(keyOf(name)) ?? textOf(usual);
  const shown = kind === "flag" ? { checked: text === "true" } : { value: text, class: !KINDS[kind] && "wide" };
  return field(labelOf(name), { name, title: meaning, onchange: changed, ...KINDS[kind], ...shown });
}

// The value of a parameter; undefined for the default, unless the parameter is needed.
function given({ kind, default: usual, needed }, input) {
  const text = kind === "flag" ? `${input.checked}` : input.value.trim();
  if (text === "" || (text === textOf(usual) && !needed)) return undefined;
  return kind === "text" ? text : valueOf(text);
}

// The fields of a game, filled in from the query of an address.
export class GameFields {
  constructor(game, query, changed) {
    this.parameters = game.parameters;
    this.labels = game.parameters.map((parameter) => parameterField(parameter, query, changed));
    const meanings = game.parameters.map(({ name, meaning }) =>
      [h("dt", {}, labelOf(name)), h("dd", {}, meaning || "–")]);
    const rest = this.labels.slice(SHOWN);
    const open = game.parameters.slice(SHOWN).some(({ name, needed }) => needed || query.has(keyOf(name)));
    this.element = h("div", { class: "fields" }, this.labels.slice(0, SHOWN),
      rest.length > 0 && fold(t("solve.more"), { open }, h("div", { class: "fields" }, rest)),
      game.parameters.length > 0 && fold(t("solve.meanings"), {}, h("dl", { lang: "en" }, meanings)));
  }

  // The parameters that differ from their defaults, and those that are needed.
  values() {
    const value = (parameter, index) => given(parameter, this.labels[index].control);
    const pairs = this.parameters.map((parameter, index) => [parameter.name, value(parameter, index)]);
    return Object.fromEntries(pairs.filter(([, value]) => value !== undefined));
  }

  // Show the values of parameters whose default depends on others, such as the cards of Kuhn poker.
  resolve(values) {
    this.parameters.forEach((parameter, index) => {
      const { control } = this.labels[index];
      const text = textOf(values[parameter.name] ?? null);
      if (parameter.kind === "flag" || given(parameter, control) !== undefined) return;
      if (text !== textOf(parameter.default)) [control.value, control.placeholder] = ["", text];
    });
  }
}

const RULES = ["iterations", "until", "seconds"]; // that stop a solve

// Fields of the rules that stop a solve as labels, filled in from values by name.
export const goalFields = (values, onchange) => RULES.map((name) =>
  field(t(`solve.${name}`), { name, inputmode: "decimal", value: values[name] ?? "", onchange }));

// The goal that fields give.
export function goalOf(labels) {
  const given = labels.map(({ control }) => control).filter(({ value }) => value.trim());
  return Object.fromEntries(given.map(({ name, value }) => [name, Number(value)]));
}
