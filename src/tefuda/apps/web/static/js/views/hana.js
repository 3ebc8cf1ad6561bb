// Cards of Koi-Koi that are played: their buttons, marks and effects, the field, the sentence below it; and moves in
// pictures: the last one, and the opponent's turn in stages.
import { card, cardName } from "../cards.js";
import { h } from "../dom.js";
import { say, signed, t } from "../words.js";
import { opponentName } from "./hand.js";

const DECK = "hanafuda";
const STAGE = 400; // milliseconds of a stage
let shown = null; // the turn whose stages are drawn
const name = (code) => cardName(code, DECK);

// What a card takes, and the yaku that it completes or improves, in words.
function effectOf(code, ways) {
  const takes = ways.filter((way) => way.takes.length).map((way) => way.takes.map(name).join(", "));
  const effect = takes.length ? t("koikoi.takes", { cards: takes.join(t("koikoi.or")) }) : t("koikoi.stays");
  const yaku = new Set(ways.flatMap((way) => way.completes).map((each) => `${say(each.name)} ${each.points}`));
  const text = `${name(code)}: ${effect}`;
  return yaku.size ? t("koikoi.completes", { effect: text, yaku: [...yaku].join(", ") }) : text;
}

// A control of an action; without an action, a picture.
export function control(label, actions, attributes, ...content) {
  const action = actions.find((each) => each.label === label);
  const chosen = action ? { "data-action": action.index } : { role: "img" };
  return h(action ? "button" : "div", { ...attributes, ...chosen }, content);
}

// The coach's value under a card, if it is shown before the decision.
function valueOf(code, { advice, actions }) {
  if (!advice?.hint) return null;
  const action = advice.actions.find((each) => each.label === code);
  return action && h("span", { class: action.good ? "hana-value good" : "hana-value" },
    action.good && "✓ ", signed(action.value, 2), action.good && h("span", { class: "unseen" }, " ", t("coach.as good")));
}

// A card of the hand or the field: a button if it can be chosen.
export function place(code, verb, table) {
  const { picture: { more }, actions } = table;
  const face = card(code, DECK);
  const ways = more.choice === verb && more.captures[code];
  if (!ways) return h("li", {}, h("div", { class: `hana-card${table.marks?.[code] ?? ""}` }, face));
  const taken = (some) => some.flatMap((way) => way.takes).join(" ");
  const best = ways.filter((way) => way.completes.length);
  const mark = best.length ? " completes" : taken(ways) ? " takes" : "";
  const attributes = {
    class: `hana-card${mark}${table.marks?.[code] ?? ""}`, "data-takes": taken(ways), "data-completes": taken(best),
    "aria-label": effectOf(more.shown ?? code, ways),
  };
  const note = best.length > 0 && h("span", { class: "hana-note" }, say(best[0].completes[0].name));
  return h("li", {}, control(code, actions, attributes, face, note), valueOf(code, table));
}

// The field in some rows of cards; a moved card lies over its partner.
export function fieldOf(table, stage, rows = 2) {
  const { table: codes } = table.picture;
  const moved = stage?.moved;
  const over = (code) => moved?.over === code && h("div", { class: "hana-moved" }, card(moved.card, DECK));
  const cell = (code) => (moved?.over === code
    ? h("li", { class: "under" }, h("div", { class: "hana-card" }, card(code, DECK)), over(code)) : place(code, "take", table));
  const lone = moved && !moved.over && h("li", { class: "under" }, h("div", { class: "hana-card hana-lone" },
    card(moved.card, DECK)));
  const columns = Math.ceil((codes.length + (lone ? 1 : 0)) / rows);
  return h("ul", { class: "hana-field list", "data-columns": columns, "data-many": columns > 5 ? columns : null,
    style: { "--columns": columns }, "aria-label": t("koikoi.field") }, codes.map(cell), lone);
}

// The sentence below the field.
export function sentence(table) {
  const { picture: { more }, actions } = table;
  if (more.ending) return "";
  if (more.shown) return t("koikoi.which", { card: name(more.shown) });
  if (more.choice === "koi-koi") return t("koikoi.choice");
  return actions.length ? t("koikoi.your turn") : "";
}

const DOTS = ["plays", "takes", "turns over", "takes"];

// The opponent's turn in stages: a dot for each, the present one filled.
export function stageText(table, stage) {
  return [h("b", {}, t("koikoi.turn of", { who: opponentName(table) })),
    DOTS.map((each, index) => h("span", { class: index === stage.index ? "dot now" : index < stage.index ? "dot done" : "dot" },
      t(`koikoi.stage.${each}`))), h("small", {}, t("koikoi.any key"))];
}

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
