// The parts of a table's page around the table: title, end of the hand, buttons, end of the session.
import { actionClass } from "../actions.js";
import { h } from "../dom.js";
import { number, percent, t } from "../words.js";
import { actionText, endTexts, gameName } from "./hand.js";
import { isKoikoi } from "./koikoi.js";

const KEYS = 9; // actions that a digit presses

// A button, with the key that presses it too.
const button = (text, key, attributes) =>
  h("button", attributes, key && h("kbd", { "aria-hidden": "true" }, key), text);

// The title of a table, and its opponents.
export function tableHead({ game, hand, hands, match, opponents, helped }) {
  const all = match?.rounds ?? hands; // 0: any number
  return [
    h("h1", {}, t("table.title", { game: gameName(game), hand: number(hand + 1) }), all > 0 && ` / ${all}`),
    h("p", { class: "quiet" }, t("table.against", { who: [...new Set(opponents)].join(", ") }),
      helped && [" · ", t("table.helped")]),
  ];
}

// The result of a hand, with a link to its review if there is one.
export function endPanel(state) {
  const { id, hand, end, coach } = state;
  if (!end) return null;
  return h("section", { class: "ending", "data-role": "end" }, endTexts(state).map((text) => h("p", {}, text)),
    coach !== null && h("a", { class: "button", href: `/tables/${id}/hands/${hand}` }, t("table.review")));
}

// The buttons below a table; where cards are buttons, actions have none.
export function controls({ picture, actions, end, closed, mode }) {
  const act = (action, place) => button(actionText(action, picture.deck), place < KEYS ? `${place + 1}` : "", {
    class: `act ${actionClass(action)}`, "data-action": action.index });
  const send = (name, key, attributes) =>
    button(t(`table.${name}`), key, { ...attributes, "data-role": name, "data-send": name });
  return h("div", { class: "row controls", role: "group", "aria-label": t("table.actions") },
    !isKoikoi(picture) && actions.map(act), end && !closed && send("next", "", { class: "main" }),
    mode !== "off" && actions.length > 0 && send("hint", "h"));
}

// The field for amounts, where a game has too many for buttons; bet(amount) is called.
export function amountsForm({ amounts }, bet) {
  if (!amounts) return null;
  const range = { type: "number", min: amounts.low, max: amounts.high, value: amounts.low, required: true };
  const field = h("input", { ...range, "aria-label": t("table.amount") });
  const part = ({ part: share, amount }) => h("button", { type: "button", onclick: () => {
    field.value = amount;
    field.focus();
  } }, t("table.part", { part: percent(share, 2) }));
  const submit = (event) => {
    event.preventDefault();
    bet(Number(field.value));
  };
  return h("form", { class: "row", onsubmit: submit }, field, amounts.fractions.map(part),
    h("button", { class: "main" }, t(`table.${amounts.verb}`)));
}

// The button that ends a session; after its end the seed, the file and the way back.
export function closingPanel({ id, seed }) {
  if (seed === null) {
    const attributes = { "data-role": "leave", "data-send": "leave" };
    return h("section", { class: "panel row" }, button(t("table.leave"), "", attributes));
  }
  return h("section", { class: "panel", "data-role": "closed" }, h("h2", {}, t("table.closed")),
    h("p", {}, t("table.seed", { seed })),
    h("p", { class: "row" },
      h("a", { class: "button", href: `/api/tables/${id}/file`, download: true }, t("table.file")),
      h("a", { class: "button", href: "/play" }, t("table.again"))));
}
