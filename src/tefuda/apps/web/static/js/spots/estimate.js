// The size of a spot before it is solved.
import { get } from "../api.js";
import { h } from "../dom.js";
import { number, t } from "../words.js";

const ROUNDS = 100; // iterations whose time is shown

// Ask for the size of a spot; nothing is built.
export const sizeOf = (parameters) => get(`/api/solve/size?${new URLSearchParams({ game: "spot", fields: "{}",
  parameters: JSON.stringify(parameters) })}`);

// Decisions, memory and time.
export function sizeFacts({ decisions, boards, megabytes, seconds_per_iteration: seconds }) {
  const fact = (name, content) => h("div", {}, h("small", {}, t(`spot.fact.${name}`)), h("b", {}, content));
  return [fact("size", t("spot.decisions", { n: number(decisions), boards: number(boards) })),
    fact("memory", `${number(megabytes, 2)} MB`), fact("time", t("spot.seconds", { n: number(ROUNDS * seconds, 2) }))];
}
