// The events of a hand in sentences, and the names of players and actions.
import { cardName } from "./cards.js";
import { language, number, t } from "./words.js";

const written = (key) => t(key) !== key;

// The name of the player in a seat.
export function playerName(state, seat) {
  if (seat === state.seat) return t("you");
  const agent = state.seating[seat] - 1;
  const same = state.opponents.filter((name) => name === state.opponents[agent]).length > 1;
  return same ? `${state.opponents[agent]} ${agent + 1}` : state.opponents[agent];
}

function values(event, picture) {
  const cards = event.cards.map((code) => picture.deck === "dice" ? code : cardName(code, picture.deck));
  const list = (names) => new Intl.ListFormat(language, { type: "unit" }).format(names);
  return { amount: number(event.amount), cards: list(cards), card: cards[0], captured: list(cards.slice(1)) };
}

// An event as a sentence: "You bet 2."
export function sentence(event, state) {
  const side = event.player < 0 ? "" : event.player === state.seat ? ".you" : ".other";
  const key = `say.${event.verb}${side}`;
  const who = event.player < 0 ? "" : playerName(state, event.player);
  const words = { who, ...values(event, state.picture) };
  return written(key) ? t(key, words) : t("say", { ...words, verb: event.verb });
}

// The name of an action's button: "Raise to 8".
export function actionName(action, deck = "suits") {
  const key = `act.${action.verb}`;
  return written(key) ? t(key, values(action, { deck })) : action.name;
}

// The result of a finished hand, and the cards that others showed, as sentences.
export function result(state) {
  const won = state.end.payoffs[state.seat];
  const key = won > 0 ? "end.won" : won < 0 ? "end.lost" : "end.even";
  const shown = state.end.shown.filter((entry) => entry.hand.length).map((entry) => t("end.shows", {
    who: playerName(state, entry.seat), cards: entry.hand.map((code) => cardName(code, state.picture.deck)).join(", "),
  }));
  return [...shown, t(key, { amount: number(Math.abs(won)) })];
}
