// All actions of a recorded hand under their streets; the cost of those that were mistakes.
import { cardsText } from "../cards.js";
import { h } from "../dom.js";
import { signed, t } from "../words.js";
import { eventText } from "./hand.js";
import { isMistake } from "./review_graph.js";

const STREETS = { 0: "preflop", 3: "flop", 4: "turn", 5: "river" }; // by number of cards on the board

// The name of the street on which a step stands.
export const streetName = ({ picture: { table } }) => t(`street.${STREETS[table.length]}`);

// The panel of a hand; choose(place) is called.
export function actionsPanel(replay, steps, at, choose) {
  const heading = (codes, count) => h("h3", {}, t(`street.${STREETS[count]}`), " ", codes.length > 0 && cardsText(codes));
  const rows = [heading([], 0)];
  let count = 0;
  replay.picture.events.forEach((event, number) => {
    if (event.player < 0) {
      count += event.cards.length;
      return rows.push(heading(event.cards, count));
    }
    const place = steps.findIndex(({ events }) => events === number);
    rows.push(h("button", { class: "move", "data-place": place, "aria-current": place === at ? "step" : null,
      onclick: () => choose(place) }, h("span", {}, eventText(event, replay)),
    isMistake(steps[place]) && h("b", { class: steps[place].advice.verdict }, signed(-steps[place].advice.cost, 3))));
  });
  rows.push(h("button", { class: "move", "data-place": steps.length - 1, "aria-current": at === steps.length - 1 ? "step" : null,
    onclick: () => choose(steps.length - 1) }, t("review.end")));
  return h("section", { class: "panel hand-actions" }, h("h2", {}, t("replay.actions")), h("div", {}, rows));
}
