// The first lesson of Koi-Koi: three guided turns of a prepared deal, with a sentence and a mark on what to do and why.
import { post } from "../api.js";
import { cardName } from "../cards.js";
import { h } from "../dom.js";
import { go } from "../main.js";
import { say, t } from "../words.js";

const TURNS = 3;
const WORTH = { B: 20, A: 10, R: 5, C: 1 }; // of a card by the letter of its kind
const COMPLETES = 100; // as much as any yaku is worth more than a card

const worth = (code) => WORTH[code.match(/[BARC]/)[0]];
const sum = (values) => values.reduce((one, other) => one + other, 0);
const named = (code) => cardName(code, "hanafuda");

// Offer the lesson until it was begun or a round is over.
export const isNew = () => !localStorage.getItem("lesson");
export const endOffer = () => localStorage.setItem("lesson", "known");

export const lessonButton = (attributes) => h("button", { type: "button", "data-role": "lesson", ...attributes, onclick: async () => {
  endOffer();
  await go(`/tables/${(await post("/api/home/hand", {})).id}?lesson=1`);
} }, t("koikoi.lesson"));

// The card to play with what it takes: the most valuable catch, or else the least valuable card.
function bestOf(captures) {
  const ways = Object.entries(captures).flatMap(([card, all]) => all.map((way) => ({ card, ...way })));
  const value = ({ card, takes, completes }) =>
    (takes.length ? worth(card) + sum(takes.map(worth)) : -worth(card)) + COMPLETES * completes.length;
  return ways.toSorted((one, other) => value(other) - value(one))[0];
}

// The yaku that a catch brings nearest to its end; null without one.
function nearest({ progress }, caught) {
  const gain = ({ cards, have, need }) => (have + cards.filter((code) => caught.includes(code)).length) / need;
  const open = progress.filter(({ status, cards }) => status === "open" && cards.some((code) => caught.includes(code)));
  return open.toSorted((one, other) => gain(other) - gain(one))[0] ?? null;
}

// What the table of a lesson shows besides at the person's decision: `said`, and marks of cards.
export function guide({ picture: { more }, actions }) {
  const turn = Math.ceil(more.turn / 2);
  if (!actions.length || turn > TURNS + 1) return {};
  if (more.choice === "koi-koi") return { said: t("koikoi.lesson.choice") };
  if (turn > TURNS) return { said: t("koikoi.lesson.over") };
  const { card, takes } = bestOf(more.captures);
  if (more.choice === "take") return { said: t("koikoi.lesson.take", { card: named(card) }), marks: { [card]: " best" } };
  const yaku = takes.length > 0 && nearest(more.own, [card, ...takes]);
  const what = t(`koikoi.lesson.${yaku ? "yaku" : takes.length ? "catch" : "give"}`,
    { card: named(card), yaku: yaku && say(yaku.name) });
  return { said: t(`koikoi.lesson.${turn}`, { what }),
    marks: Object.fromEntries([card, ...takes].map((code) => [code, " best"])) };
}
