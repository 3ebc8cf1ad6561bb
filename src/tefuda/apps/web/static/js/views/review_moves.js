// All moves of a hand in two columns, and the dearest decisions.
import { card } from "../cards.js";
import { h } from "../dom.js";
import { signed, t, written } from "../words.js";
import { actionText, eventText, playerName, valuesOf } from "./hand.js";
import { isMistake } from "./review_graph.js";

const MOST = 3; // dearest decisions

// The events that a move made: those until the next move.
const eventsOf = (steps, place, all) =>
  all.slice(steps[place].picture.events.length, steps[place + 1]?.picture.events.length ?? all.length);

// The sentence of a move.
export function moveText(review, steps, place) {
  const step = steps[place];
  if (step.end) return t("review.end");
  const own = step.advice?.actions[step.advice.chosen];
  const texts = eventsOf(steps, place, review.picture.events).map((event) => eventText(event, review));
  return texts.join(" ") || (own ? actionText(own, review.picture.deck) : playerName(review, step.player));
}

// A move in short: small cards, or the act.
function shortMove(review, steps, place) {
  const step = steps[place];
  const { deck } = review.picture;
  const events = eventsOf(steps, place, review.picture.events).filter(({ player }) => player === step.player);
  const cards = deck === "hanafuda" ? events.filter((event) => event.cards.length) : [];
  if (cards.length) return cards.map((event) => h("span", { class: "move-cards" }, event.cards.map((code) => card(code, deck))));
  const own = step.advice?.actions[step.advice.chosen];
  const [event] = events;
  if (!event && own) return actionText(own, deck);
  return event ? written(`act.${event.verb}`, eventText(event, review), valuesOf(event, deck)) : "…";
}

// All moves: the person's at the left, those of the others at the right. choose(place) is called.
export function movesPanel(review, steps, at, choose) {
  const rows = [];
  const others = review.seats.length > 2;
  steps.slice(0, -1).forEach((step, place) => {
    const column = step.player === review.seat ? 0 : 1;
    const name = others && column ? `${playerName(review, step.player)}: ` : "";
    const cell = h("button", { class: "move", "data-place": place, "aria-current": place === at ? "step" : null,
      "aria-label": `${place + 1}: ${moveText(review, steps, place)}`, onclick: () => choose(place) },
    h("span", {}, name, shortMove(review, steps, place)),
    isMistake(step) && h("b", { class: step.advice.verdict }, signed(-step.advice.cost, 3)));
    if (!rows.length || column === 0 || rows.at(-1)[1]) rows.push([null, null]);
    rows.at(-1)[column] = cell;
  });
  const heads = [t("review.yours"), others ? t("review.others") : playerName(review, 1 - review.seat)];
  return h("section", { class: "panel" }, h("h2", {}, t("review.all moves")), h("div", { class: "moves-grid" },
    h("span", {}), heads.map((text) => h("small", { class: "quiet" }, text)),
    rows.map((cells, row) => [h("small", { class: "quiet" }, row + 1), cells.map((cell) => cell ?? h("span", {}))])));
}

// The decisions that cost most.
export function dearestPanel(review, steps, choose) {
  const all = steps.map((step, place) => [step, place]).filter(([step]) => isMistake(step));
  if (!all.length) return null;
  const dearest = all.sort(([a], [b]) => b.advice.cost - a.advice.cost).slice(0, MOST);
  return h("section", { class: "panel dearest" }, h("h2", {}, t("review.dearest")), dearest.map(([step, place]) =>
    h("button", { class: "move", onclick: () => choose(place) }, h("span", {}, `${place + 1}: ${moveText(review, steps, place)}`),
      h("b", { class: step.advice.verdict }, signed(-step.advice.cost, 3)))));
}
