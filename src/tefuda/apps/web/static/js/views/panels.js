// Panels beside a table: the advice of the coach, the events of the hand, the results of the session.
import { actionClass, mark } from "../actions.js";
import { card } from "../cards.js";
import { h, table } from "../dom.js";
import { number, percent, say, signed, t } from "../words.js";
import { actionText, endTexts, eventText } from "./hand.js";

const open = {}; // folds by name, while the page is open

// A fold that stays as it was left.
export function keptFold(name, title, isOpen, ...content) {
  const details = h("details", { "data-fold": name, open: open[name] ?? isOpen }, h("summary", {}, title), content);
  details.addEventListener("toggle", () => { open[name] = details.open; });
  return details;
}

// A small card, or the colour and letter of an action.
function actionSign(action, deck) {
  const code = deck === "hanafuda" && action.cards[0];
  return code ? card(code, deck) : h("span", { class: `chip ${actionClass(action)}`, "aria-hidden": "true" }, mark(action));
}

const hasShares = (actions, deck) => deck !== "hanafuda" && actions.every(({ share }) => share !== null);

// An action with bars of its share or value; a coach that searches and a review have no shares.
export function coachRow(action, { deck, chosen, width, more }) {
  const isShared = hasShares([action], deck);
  const isChosen = action.index === chosen;
  return h("li", { class: `advice-row${isChosen ? " chosen" : ""}` }, actionSign(action, deck),
    h("span", { class: action.good ? "good name" : "name" }, actionText(action, deck), action.good && " ✓",
      action.good && h("span", { class: "unseen" }, " ", t("coach.as good")),
      isChosen && h("span", { class: "unseen" }, " ", t("coach.chosen"))),
    h("span", { class: "advice-bar", "aria-hidden": "true" }, h("span", { class: action.good && "best",
      style: { width: `${width(action)}%` } })),
    isShared && h("span", { class: "share" }, percent(action.share, 2)), h("b", { class: action.good && "good" }, signed(action.value, 3)),
    more(action));
}

// How wide the bar of an action is, in per cent: its share, or its place between the values.
export function widthOf(actions, deck) {
  if (hasShares(actions, deck)) return ({ share }) => 100 * share;
  const values = actions.map(({ value }) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return ({ value }) => 8 + (92 * (value - low)) / (high - low || 1);
}

// Shares and values of the actions at a decision, and the cost of the chosen one; its height stays.
// `more(action)` makes the end of a row.
export function advicePanel(advice, coach, { deck }, { waits = "", more = () => null } = {}) {
  if (coach === null || (!advice && !waits)) return null;
  const head = h("div", { class: "panel-head" }, h("h2", {}, t("coach.name"), " ", h("small", { class: "quiet" }, coach)),
    h("small", { class: "quiet" }, t("coach.values")));
  if (!advice) return h("section", { class: "panel coach-box" }, head, h("p", { class: "quiet" }, t(`coach.wait.${waits}`)));
  const width = widthOf(advice.actions, deck);
  const rows = advice.actions.map((action) => coachRow(action, { deck, chosen: advice.chosen, width, more }));
  const verdict = t(`coach.${advice.hint ? "hint" : advice.verdict}`, { cost: number(advice.cost, 3) });
  return h("section", { class: "panel coach-box", "data-role": "advice" }, head,
    h("p", { class: `verdict ${advice.verdict ?? ""}` }, verdict),
    h("ul", { class: "list advice-list", tabindex: 0, "aria-label": t("coach.name") }, rows));
}

// The events of a hand, quiet after the first `past`, and the view in words if there is one.
export function logPanel(state, { past = Infinity, known = null } = {}) {
  const items = state.picture.events.map((event, place) =>
    h("li", { class: place >= past && "quiet" }, eventText(event, state)));
  const list = items.length ? h("ol", { tabindex: 0, "aria-label": t("log.log") }, items)
    : h("p", {}, t("log.begins"));
  return h("section", { class: "panel log" }, h("h2", {}, t("log.log")), list,
    known && keptFold("known", t("log.known"), false, h("p", {}, say(known))));
}

// The results of the session: hands played alone, and helped ones apart if there are any.
export function statisticsPanel({ statistics, coach, variation }) {
  if (variation) return null;
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
