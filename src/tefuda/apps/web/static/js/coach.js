// The coach's advice, and the statistics of a session.
import { actionClass, mark } from "./actions.js";
import { card } from "./cards.js";
import { h, table } from "./dom.js";
import { actionName } from "./story.js";
import { number, percent, signed, t } from "./words.js";

// The mark of an action: a small card of hanafuda, or its colour and letter.
function chip(action, deck) {
  if (deck === "hanafuda" && action.cards.length) return card(action.cards[0], deck);
  return h("span", { class: `chip ${actionClass(action)}`, "aria-hidden": "true" }, mark(action));
}

// Shares and values of the actions at a decision, with the cost of the chosen one.
export function advicePanel(state) {
  const { advice } = state;
  if (!advice) return null;
  const deck = state.picture.deck;
  const rows = advice.actions.map((action) => [
    h("span", { class: "row" }, chip(action, deck),
      actionName(action, deck) + (action.index === advice.chosen ? ` ${t("coach.chosen")}` : "")),
    ...(deck === "hanafuda" ? [] : [percent(action.share)]), signed(action.value), action.good ? t("coach.good") : "",
  ]);
  const verdict = advice.hint ? t("coach.hint") : t(`coach.${advice.verdict}`, { cost: number(advice.cost, 3) });
  return h("section", { class: "panel", "data-role": "advice" },
    h("h2", {}, t("coach.title", { name: state.coach })), h("p", { class: `verdict ${advice.verdict ?? ""}` }, verdict),
    table([t("coach.action"), ...(deck === "hanafuda" ? [] : [t("coach.share")]), t("coach.value"), ""], rows, { "aria-label": t("coach.title", { name: state.coach }) }));
}

function interval(aivat) {
  return aivat ? `${signed(aivat.mean, 3)} (${signed(aivat.low, 3)} … ${signed(aivat.high, 3)})` : "–";
}

// The results of the session: hands played alone, and helped ones apart.
export function statistics(state) {
  const { own, helped } = state.statistics;
  const groups = helped.hands ? [own, helped] : [own];
  const row = (name, write) => [t(`stats.${name}`), ...groups.map(write)];
  const rows = [
    row("hands", (results) => number(results.hands)),
    row("won", (results) => signed(results.won)),
    row("mean", (results) => results.hands ? signed(results.won / results.hands, 3) : "–"),
    ...(groups.some((results) => results.aivat) ? [row("aivat", (results) => interval(results.aivat))] : []),
    ...(state.coach ? [row("cost", (results) => number(results.cost, 3)), row("mistakes", (results) => number(results.mistakes))] : []),
  ];
  return h("section", { class: "panel", "data-role": "statistics" }, h("h2", {}, t("stats.title")),
    table(["", ...["own", "helped"].slice(0, groups.length).map((key) => t(`stats.${key}`))], rows, { "aria-label": t("stats.title") }));
}
