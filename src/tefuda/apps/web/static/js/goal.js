// The rules that stop a solve: their fields.
import { field } from "./fields.js";
import { t } from "./words.js";

const RULES = ["iterations", "until", "seconds"];

// Fields of the rules as labels, filled in from values by name.
export const goalFields = (values, onchange) => RULES.map((name) =>
  field(t(`solve.${name}`), { name, inputmode: "decimal", value: values[name] ?? "", onchange }));

// The goal that fields give.
export function goalOf(labels) {
  const given = labels.map(({ control }) => control).filter(({ value }) => value.trim());
  return Object.fromEntries(given.map(({ name, value }) => [name, Number(value)]));
}
