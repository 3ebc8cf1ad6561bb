// Moves of Koi-Koi in pictures: the last move, and the opponent's turn in stages.
import { card } from "../cards.js";
import { h } from "../dom.js";
import { t } from "../words.js";
import { opponentName } from "./hand.js";

const DECK = "hanafuda";
const STAGE = 400; // milliseconds of a stage
let shown = null; // the turn whose stages are drawn
const isTurnedOver = ({ verb }) => verb.startsWith("draw");

// The events of the last turn of a player, with its draw.
function lastTurn(events) {
  const cards = events.filter(({ cards: codes }) => codes.length);
  const last = cards.at(-1);
  if (!last) return [];
  const before = cards.at(-2);
  return isTurnedOver(last) && before && !isTurnedOver(before) && before.player === last.player ? [before, last] : [last];
}

// The cards that the last turn moved.
export const freshCards = (events) => lastTurn(events).flatMap(({ cards }) => cards);

// The last move in pictures.
export function lastMove(table) {
  const turn = lastTurn(table.picture.events);
  const who = turn.length && (turn[0].player === table.seat ? t("koikoi.you") : opponentName(table));
  const row = ({ cards: [first, ...taken] }) => h("div", { class: "hana-move" }, card(first, DECK),
    h("span", {}, t(taken.length ? "koikoi.stage.takes" : "koikoi.stage.stays")), taken.map((code) => card(code, DECK)));
  return h("div", { class: turn.length ? "hana-last" : "hana-last empty", "aria-label": t("koikoi.last move"),
    role: "group" }, turn.length > 0 && h("b", {}, who), turn.map(row));
}

// The picture after an event: a card stays on the field, or takes cards into its player's pile.
function after(picture, { player, cards: [first, ...taken] }) {
  if (!first) return picture;
  const piles = picture.piles.map((pile, seat) => (taken.length && seat === player ? [...pile, first, ...taken] : pile));
  const table = taken.length ? picture.table.filter((code) => !taken.includes(code)) : [...picture.table, first];
  return { ...picture, piles, table, hand: picture.hand.filter((code) => code !== first) };
}

// The stages from one state to the next: [{picture, stage}], two for each card that the opponent moves.
export function stagesOf(before, next) {
  const known = before?.hand === next.hand ? before.picture.events.length : 0;
  const events = next.picture.events.slice(known);
  const from = events.findIndex(({ player }) => player !== next.seat && player >= 0);
  if (from < 0) return [];
  const until = events.findIndex((event, index) => index > from && event.player === next.seat);
  const theirs = events.slice(from, until < 0 ? undefined : until).filter(({ cards }) => cards.length);
  let picture = { ...before.picture, more: { ...before.picture.more, choice: null, shown: null, ending: null } };
  for (const event of events.slice(0, from)) picture = after(picture, event);
  const stages = [];
  for (const event of theirs) {
    const [first, ...taken] = event.cards;
    const index = isTurnedOver(event) ? 2 : 0;
    stages.push({ picture, stage: { index, moved: { card: first, over: taken[0] ?? null }, fresh: [] } });
    picture = after(picture, event);
    stages.push({ picture, stage: { index: index + 1, moved: null, fresh: event.cards } });
  }
  return stages;
}

// Draw stages; a key or a tap skips the rest. Return false if another turn has begun meanwhile.
export async function playStages(stages, draw) {
  const own = Symbol("turn");
  shown = own;
  const isReduced = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let skip;
  const skipped = new Promise((done) => { skip = done; });
  for (const each of isReduced ? [] : stages) {
    draw(each);
    const stop = () => { skip(true); };
    addEventListener("keydown", stop, { once: true, capture: true });
    addEventListener("pointerdown", stop, { once: true, capture: true });
    const isSkipped = await Promise.race([skipped, new Promise((done) => setTimeout(done, STAGE, false))]);
    removeEventListener("keydown", stop, { capture: true });
    removeEventListener("pointerdown", stop, { capture: true });
    if (shown !== own) return false;
    if (isSkipped) break;
  }
  return shown === own;
}
