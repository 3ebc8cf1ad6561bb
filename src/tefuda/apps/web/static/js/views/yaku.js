// The yaku of Koi-Koi: how far a pile is, and the sum of its points.
import { card, cardName } from "../cards.js";
import { h, table } from "../dom.js";
import { language, say, t } from "../words.js";
import { keptFold } from "./panels.js";

const DECK = "hanafuda";
const LISTED = 6; // maximum number of cards of a yaku that are drawn

export const pointsText = (n) => t("koikoi.points", { n });

// Why points are multiplied; player: the reader's seat.
function reasonOf({ reason, limit, caller }, player) {
  return t(`koikoi.${reason === "opponent_called" && caller === player ? "you called" : reason}`, { limit });
}

// Points with their sum line by line, for the player of a seat.
export function sumTable({ yaku, base, bonus, factors, points }, player) {
  const rows = yaku.map((each) => [say(each.name), each.points]);
  if (rows.length > 1) rows.push([t("koikoi.sum"), base]);
  if (bonus !== base) rows.push([t("koikoi.bonus"), bonus]);
  let product = bonus;
  for (const each of factors) {
    product *= each.factor;
    rows.push([t("koikoi.factor", { factor: each.factor, reason: reasonOf(each, player) }), product]);
  }
  return table([t("koikoi.yaku"), t("koikoi.points head")], [...rows, [t("koikoi.total"), points]]);
}

// A yaku: its name, its cards if they are few, and how far it is; pile: the cards that it has.
function yakuRow({ name, value, status, points, have, need, missing }, codes, pile = null) {
  const kind = (code) => pile && (pile.includes(code) ? "have" : missing.includes(code) ? "missing" : "gone");
  const small = (code) => h("li", { class: kind(code), title: cardName(code, DECK) }, card(code, DECK));
  return h("li", { class: `yaku ${status}` },
    h("span", {}, h("span", { class: "name" }, say(name)),
      h("small", { lang: "ja" }, language === "ja" ? "" : ` ${name.ja}`), h("small", {}, " ", pointsText(value))),
    codes.length <= LISTED && h("ul", { class: "hana-row list" }, codes.map(small)),
    h("span", { class: "yaku-count" }, status === "complete" ? pointsText(points) : `${have}/${need}`,
      h("span", { class: "unseen" }, " ", t(`koikoi.status.${status}`))));
}

// The yaku of a side that lack few cards.
export const nearYaku = ({ progress }) =>
  progress.filter((step) => step.near).map((step) => yakuRow(step, step.missing));

// The progress of a pile to each yaku.
export const yakuList = ({ progress, pile }, title, name) => keptFold(name, h("h2", {}, title),
  h("ol", { class: "list" }, progress.map((step) => yakuRow(step, step.cards, pile))));
