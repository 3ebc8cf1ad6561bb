// The parts of a table's page around the felt: its head, the row of actions, the end of the session.
import { actionClass } from "../actions.js";
import { h } from "../dom.js";
import { fillHere, hereTitle } from "../head.js";
import { icon } from "../icons.js";
import { showSheet } from "../visits.js";
import { number, percent, signed, t } from "../words.js";
import { actionText, gameName, reviewLink, tableMark } from "./hand.js";

const KEYS = 9; // actions that a digit presses
const SHOWN = 4; // actions of a phone's bar; all others are behind "More"

// Whether a game has a ladder of bids.
export const hasLadder = ({ deck, more }) => deck === "dice" && "wild" in more;

// A button, with the key that presses it too.
const button = (text, key, attributes) =>
  h("button", attributes, key && h("kbd", { "aria-hidden": "true" }, key), h("span", {}, text));

// The title of a table, which the head shows with what was won so far.
export function tableHead(state) {
  const { game, hand, hands, match, helped, statistics } = state;
  const all = match?.rounds ?? hands; // 0: any number
  const title = t("table.title", { game: gameName(game), hand: number(hand + 1) }) + (all > 0 ? ` / ${all}` : "");
  const won = statistics.own.won + statistics.helped.won;
  fillHere(hereTitle(title), h("b", { class: "here-hand" }, title), tableMark(state),
    h("span", { class: "pill score" }, h("span", { class: "here-hand" }, t("player.you"), " "),
      signed(won)), ...(helped ? [h("span", { class: "pill here-hand" }, t("table.helped"))] : []));
  return h("h1", { class: "unseen" }, title);
}

// The field for amounts, where a game has too many for buttons; bet(amount) is called.
function amountsForm({ amounts }, bet, name) {
  if (!amounts) return null;
  const { low, high } = amounts;
  const field = h("input", { type: "number", min: low, max: high, value: low, step: "any", required: true,
    "aria-label": t("table.amount") });
  const part = ({ part: share, amount }) => h("button", { type: "button", onclick: () => {
    field.value = amount;
    field.focus();
  } }, t("table.part", { part: percent(share, 2) }));
  const submit = (event) => {
    event.preventDefault();
    bet(Number(field.value));
  };
  return h("form", { class: name, onsubmit: submit }, h("div", { class: "row" }, field,
    h("button", { class: "main" }, t(`table.${amounts.verb}`))), h("div", { class: "row parts" }, amounts.fractions.map(part)));
}

// The amounts on the felt of a desktop.
export const feltAmounts = (state, bet) => amountsForm(state, bet, "amounts on-felt");

// The sheet of a phone with the actions that its bar has no place for. `act(data)` takes the action of a button.
function openMore(state, buttons, { act, bet }) {
  const close = (then) => {
    dialog.close();
    then();
  };
  const dialog = h("dialog", { class: "bottom-sheet more-sheet", "aria-label": t("table.more"), onclick: (event) => {
    const chosen = event.target.closest("[data-action]");
    if (chosen) close(() => act(chosen.dataset));
  } });
  dialog.append(h("div", { class: "row" }, h("b", {}, t("table.actions")),
    h("button", { class: "plain", "aria-label": t("close"), onclick: () => dialog.close() }, icon("close"))),
  h("div", { class: "more-list" }, buttons),
  amountsForm(state, (amount) => close(() => bet(amount)), "amounts") ?? "");
  showSheet(dialog);
}

// The row below the felt; where bids are a ladder, it has the other actions only.
export function controls(state, { act, bet }) {
  const { picture, actions, end, closed, mode, amounts, coach, variation } = state;
  const isLadder = hasLadder(picture);
  const listed = isLadder ? actions.filter(({ verb }) => verb !== "bid") : actions;
  const one = (action, place) => {
    const key = isLadder ? "0" : place < KEYS ? `${place + 1}` : "";
    return button(actionText(action, picture.deck), key, { class: `act ${actionClass(action)}`, "data-action": action.index,
      "data-key": key });
  };
  const send = (name, key, attributes) =>
    button(t(`table.${name}`), key, { ...attributes, "data-role": name, "data-send": name });
  const rest = () => listed.slice(SHOWN).map((action, place) => one(action, SHOWN + place));
  const more = (listed.length > SHOWN || amounts) && h("button", { class: "more", type: "button",
    onclick: () => openMore(state, rest(), { act, bet }) }, t("table.more"));
  return h("div", { class: "controls", role: "group", "aria-label": t("table.actions") }, listed.map(one), more,
    end && !closed && !variation && send("next", "⏎", { class: "main" }),
    end && coach !== null && reviewLink(state),
    mode !== "off" && actions.length > 0 && h("button", { class: "hint", "data-role": "hint", "data-send": "hint" },
      icon("coach"), h("span", {}, t("table.hint")), h("kbd", { "aria-hidden": "true" }, "h")));
}

// The button that ends a session; after its end the seed, the file and the way back.
export function closingPanel(state) {
  const { id, seed, variation } = state;
  if (variation) return !state.end && h("section", { class: "panel row" }, reviewLink(state));
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
