// Hands in words: names of games and players, events, actions, and ends.
import { cardName, loadCards } from "../cards.js";
import { h, style } from "../dom.js";
import { loadWords, number, t, written } from "../words.js";

// Load what the drawings of hands need; the words and the style of Koi-Koi for its deck only.
export const loadHand = (deck = "hanafuda") => Promise.all([loadCards(), loadWords("games", "table", "rules"), style("table"),
  ...(deck === "hanafuda" ? [loadWords("hana", "koikoi"), style("hana"), style("koikoi")] : [])]);

// Whether a picture has the facts of a round of Koi-Koi.
export const isKoikoi = ({ deck, more }) => deck === "hanafuda" && "captures" in more;

export const gameName = (game) => written(`game.${game}`, game.replace(/^own:/, ""));

// The name of the player of a seat; seats are names, and the person's own seat has none.
const isOwn = ({ seat, seats }, player) => player === seat && !seats[player];
export const playerName = (table, player) =>
  (isOwn(table, player) ? t("player.you") : agentName(table.seats[player], table.picture.deck));

// Agents of Koi-Koi are named for plants of the months, all others by their own names.
const agentName = (agent, deck) => (deck === "hanafuda" ? written(`opponent.${agent}`, agent) : agent);
const opponentOf = ({ seats, seat }) => seats.find((_, player) => player !== seat);

// The opponent of a game of two, and its strength if it is known.
export const opponentName = (table) => agentName(opponentOf(table), table.picture.deck);
export const opponentLevel = (table) => written(`level.${opponentOf(table)}`, "");

// The way to the review; a variation goes back to the move from which it went on, and has no other way.
export function reviewLink({ id, hand, variation }) {
  if (!variation) return h("a", { class: "button", href: `/tables/${id}/hands/${hand}` }, t("table.review"));
  return h("a", { class: "button main", href: variation.address }, t("table.to review"));
}

// The mark of a variation, or of hands that all begin at one node.
export const tableMark = ({ variation, line }) =>
  (variation || line ? h("span", { class: "pill" }, t(variation ? "table.variation" : "table.drilled")) : "");

// An amount of chips or points; "" for none.
export const amountText = (amount) => ((amount ?? null) === null ? "" : number(amount));

const listed = (codes, deck) => codes.map((code) => cardName(code, deck)).join(t("list.between"));

// The values of an event's sentence; of several cards the first one takes the others.
export function valuesOf({ verb, amount, cards }, deck) {
  const list = (codes) => (deck === "dice" ? codes.join(t("list.between")) : listed(codes, deck));
  const [card, captured] = [list(cards.slice(0, 1)), list(cards.slice(1))];
  return { verb, amount: amountText(amount), cards: list(cards), card, captured };
}

// An event as a sentence: "You bet 2."
export function eventText(event, table) {
  const isChance = event.player < 0;
  const who = isChance ? "" : playerName(table, event.player);
  const side = isChance ? "" : isOwn(table, event.player) ? ".you" : ".other";
  const values = { who, ...valuesOf(event, table.picture.deck) };
  return written(`event.${event.verb}${side}`, `${who} ${event.verb} ${values.amount} ${values.cards}`, values);
}

// The name of an action's button: "Raise to 8".
export const actionText = (action, deck) => written(`action.${action.verb}`, action.name, valuesOf(action, deck));

// The cards that other players showed, and the person's result, as sentences.
export function endTexts({ end, ...table }) {
  const shown = end.shown.filter(({ hand, text }) => hand.length || text).map(({ seat, hand, text }) =>
    t("end.shows", { who: playerName(table, seat), cards: listed(hand, table.picture.deck) || text }));
  const won = end.payoffs[table.seat];
  const result = won > 0 ? "won" : won < 0 ? "lost" : "even";
  return [...shown, t(`end.${result}`, { amount: amountText(Math.abs(won)) })];
}
