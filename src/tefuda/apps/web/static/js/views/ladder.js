// The ladder of liar's dice: a cell for each bid, counts downwards and faces to the right.
import { card, cardName } from "../cards.js";
import { h } from "../dom.js";
import { t } from "../words.js";

const FACES = "123456789abcdef";

// The bids: lower ones are disabled, the standing bid carries the mark.
export function ladder({ picture, actions, advice }) {
  const { more, events } = picture;
  const faces = [...FACES.slice(0, FACES.indexOf(more.wild) + 1)];
  const bids = events.filter(({ verb }) => verb === "bid");
  const standing = bids.at(-1);
  const find = (list, count, face) => list.find(({ verb, amount, cards }) => verb === "bid" && amount === count && cards[0] === face);
  const cell = (count, face) => {
    const action = find(actions, count, face);
    const marks = ["bid", standing && find([standing], count, face) && "mark",
      advice && find(advice.actions, count, face)?.good && "good"].filter(Boolean);
    const name = t("action.bid", { amount: count, cards: cardName(face, "dice") });
    return h("td", {}, h("button", { class: marks.join(" "), "data-action": action?.index, disabled: !action, "aria-label": name,
      "data-key": action && action.index < 9 ? action.index + 1 : null }, card(face, "dice")));
  };
  const row = (count) => h("tr", {}, h("th", { scope: "row" }, `${count} ×`), faces.map((face) => cell(count, face)));
  const counts = Array.from({ length: more.dice }, (_, place) => place + 1);
  const above = standing ? [t("board.above", { amount: standing.amount, cards: standing.cards[0] })] : [];
  const about = [...above, t("board.wild", { face: more.wild, dice: more.dice })].join(" · ");
  return h("div", { class: "ladder-part" },
    h("p", {}, h("b", {}, t("board.your bid")), " ", h("span", { class: "quiet" }, about)),
    h("table", { class: "ladder", "aria-label": t("board.ladder") }, h("tbody", {}, counts.map(row))));
}
