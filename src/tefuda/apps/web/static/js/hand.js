// A hand of any game: what its pages load, its events, and the coach's advice at a decision.
import { actionClass, mark } from "./actions.js";
import { card, loadCards } from "./cards.js";
import { h, style, table } from "./dom.js";
import { loadWords, percent, say, signed, t } from "./words.js";

export const loadHand = () => Promise.all([loadCards(), loadWords("table"), style("table"), style("koikoi")]);

// The events of a hand; those after the first `past` are quiet.
export function log(state, past = Infinity, ...below) {
  const item = (event, place) => h("li", { class: place >= past && "quiet" }, say(event.text));
  const { events } = state.picture;
  return h("section", { class: "panel log" }, h("h2", {}, t("table.log")),
    events.length
      ? h("ol", { tabindex: 0, "aria-label": t("table.log") }, events.map(item))
      : h("p", {}, t("table.begins")),
    below);
}

// The sign of an action: a small card of hanafuda, or its colour and letter.
function sign(action, deck) {
  if (deck === "hanafuda" && action.cards.length) return card(action.cards[0], deck);
  return h("span", { class: `chip ${actionClass(action)}`, "aria-hidden": "true" }, mark(action));
}

// Shares and values of the actions at a decision, with the cost of the chosen one.
export function advicePanel({ advice, coach, picture: { deck } }) {
  if (!advice) return null;
  const columns = ["action", ...(deck === "hanafuda" ? [] : ["share"]), "value", "good"]; // Koi-Koi has no shares
  const name = (action) => say(action.text) + (action.index === advice.chosen ? ` ${t("coach.chosen")}` : "");
  const cells = {
    action: (action) => h("span", { class: "row" }, sign(action, deck), name(action)),
    share: (action) => percent(action.share),
    value: (action) => signed(action.value),
    good: (action) => (action.good ? t("coach.as good") : ""),
  };
  const verdict = t(`coach.${advice.hint ? "hint" : advice.verdict}`, { cost: say(advice.cost, 3) });
  return h("section", { class: "panel", "data-role": "advice" }, h("h2", {}, t("coach.title", { name: coach })),
    h("p", { class: `verdict ${advice.verdict ?? ""}` }, verdict),
    table(columns.map((column) => (column === "good" ? "" : t(`coach.${column}`))),
      advice.actions.map((action) => columns.map((column) => cells[column](action)))));
}
