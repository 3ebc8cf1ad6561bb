// Panels beside a table: the advice of the coach, the events of the hand, the results of the session.
import { actionClass, mark } from "../actions.js";
import { card } from "../cards.js";
import { h, table } from "../dom.js";
import { number, percent, say, signed, t } from "../words.js";
import { actionText, endTexts, eventText } from "./hand.js";

const open = { own: innerWidth >= 900 }; // folds by name, while the page is open

// A fold that stays as it was left.
export function keptFold(name, title, ...content) {
  const details = h("details", { "data-fold": name, open: open[name] }, h("summary", {}, title), content);
  details.addEventListener("toggle", () => { open[name] = details.open; });
  return details;
}

// The name of an action after a small card, or its colour and letter.
function actionCell(action, isChosen, deck) {
  const sign = deck === "hanafuda" && action.cards.length ? card(action.cards[0], deck)
    : h("span", { class: `chip ${actionClass(action)}`, "aria-hidden": "true" }, mark(action));
  const own = isChosen && [" ", t("coach.chosen")];
  return h("span", { class: "row" }, sign, h("span", {}, actionText(action, deck), own));
}

// Shares and values of the actions at a decision, and the cost of the chosen one. A coach that searches has no shares.
export function advicePanel(advice, coach, { deck }) {
  if (!advice) return null;
  const isShared = deck !== "hanafuda";
  const rows = advice.actions.map((action) => [
    actionCell(action, action.index === advice.chosen, deck), ...(isShared ? [percent(action.share)] : []),
    signed(action.value), action.good ? t("coach.as good") : ""]);
  const head = [t("coach.action"), ...(isShared ? [t("coach.share")] : []), t("coach.value"), ""];
  const verdict = t(`coach.${advice.hint ? "hint" : advice.verdict}`, { cost: number(advice.cost, 3) });
  return h("section", { class: "panel", "data-role": "advice" }, h("h2", {}, t("coach.title", { name: coach })),
    h("p", { class: `verdict ${advice.verdict ?? ""}` }, verdict), table(head, rows));
}

// The events of a hand, quiet after the first `past`, and the view in words if there is one.
export function logPanel(state, { past = Infinity, known = null } = {}) {
  const items = state.picture.events.map((event, place) =>
    h("li", { class: place >= past && "quiet" }, eventText(event, state)));
  const list = items.length ? h("ol", { tabindex: 0, "aria-label": t("log.log") }, items)
    : h("p", {}, t("log.begins"));
  return h("section", { class: "panel log" }, h("h2", {}, t("log.log")), list,
    known && keptFold("known", t("log.known"), h("p", {}, say(known))));
}

// The results of the session: hands played alone, and helped ones apart if there are any.
export function statisticsPanel({ statistics, coach }) {
  const groups = Object.entries(statistics).filter(([name, { hands }]) => name === "own" || hands);
  const row = (key, write) => [t(`statistics.${key}`), ...groups.map(([, each]) => write(each))];
  const rows = [
    row("hands", ({ hands }) => number(hands)), row("won", ({ won }) => signed(won)),
    row("mean", ({ hands, won }) => signed(hands ? won / hands : null, 3)),
    groups.some(([, each]) => each.aivat) && row("aivat", ({ aivat }) => say(aivat)),
    coach && row("cost", ({ cost }) => number(cost, 3)), coach && row("mistakes", ({ mistakes }) => number(mistakes)),
  ].filter(Boolean);
  return h("section", { class: "panel", "data-role": "statistics" }, h("h2", {}, t("statistics.title")),
    table(["", ...groups.map(([name]) => t(`statistics.${name}`))], rows));
}

// The result of a reviewed hand: sentences, payoff, cost, and luck and skill if they are known.
export function resultParts(review) {
  const known = ["payoff", "luck", "skill"].filter((name) => review[name] !== null);
  const figures = [...known.map((name) => [name, signed(review[name])]), ["cost", number(review.cost, 4)]];
  return [h("h2", {}, t("result.result")), endTexts(review).map((text) => h("p", {}, text)),
    h("dl", { class: "figures" },
      figures.map(([name, text]) => [h("dt", {}, t(`result.${name}`)), h("dd", {}, text)]))];
}
