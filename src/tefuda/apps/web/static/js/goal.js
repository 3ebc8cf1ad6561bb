// The rules that stop a solve: their fields, and their words.
import { field } from "./fields.js";
import { number, t } from "./words.js";

const RULES = ["iterations", "until", "seconds"];

// Fields of the rules as labels, filled in from values by name.
export const goalFields = (values, onchange) => RULES.map((name) =>
  field(t(`solve.${name}`), { name, inputmode: "decimal", value: values[name] ?? "", onchange }));

// The goal that fields give.
export function goalOf(labels) {
  const given = labels.map(({ control }) => control).filter(({ value }) => value.trim());
  return Object.fromEntries(given.map(({ name, value }) => [name, Number(value)]));
}

// The rules that stop a run, in words.
export function goalText({ goal, evaluator, unit }) {
  const sign = evaluator?.lower_is_better === false ? "≥" : "≤";
  const parts = [
    goal?.iterations && t("goal.iterations", { n: number(goal.iterations), unit: t(unit) }),
    Number.isFinite(goal?.until) && `${t(evaluator?.title ?? "NashConv")} ${sign} ${number(goal.until)}`,
    goal?.seconds && t("goal.seconds", { n: number(goal.seconds) }),
  ];
  return parts.filter(Boolean).join(t("or")) || t("goal.default");
}
