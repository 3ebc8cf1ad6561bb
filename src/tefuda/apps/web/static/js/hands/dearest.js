// The dearest decisions of the newest hands, and the pricing of those that are not priced yet.
import { get, pause, post } from "../api.js";
import { cardsText } from "../cards.js";
import { attempt, h } from "../dom.js";
import { intervalText, playedText, trustWord } from "../views/price.js";
import { number, signed, t } from "../words.js";
import { handAddress } from "./address.js";

const POLL = 400; // milliseconds between two questions how far the review is

const cardsOf = (text) => text.match(/../g) ?? [];

function item({ decision, place, ...name }, query) {
  const { cards, position, board, cost, step } = decision;
  return h("li", {}, h("span", {}, cardsText(cardsOf(cards))), h("span", { class: "pill" }, position),
    h("a", { href: handAddress(name, query, place, { at: step + 1 }) }, h("span", {}, playedText(decision)), board && h("small", {}, cardsText(cardsOf(board)))),
    h("span", { class: "cost" }, h("b", { class: "wrong" }, t("price.bb", { cost: signed(-cost, 2) })),
      h("small", { class: "quiet" }, [intervalText(decision), trustWord(decision)].filter(Boolean).join(" · "))));
}

// Seconds in words, "1 s" or "41 min".
const duration = (seconds) => (seconds < 120 ? t("price.seconds", { n: number(Math.max(1, Math.round(seconds))) })
  : t("price.minutes", { n: number(Math.round(seconds / 60)) }));

// The buttons that price what is not priced yet, and the progress; changed() is called at the end.
export function pricing(query, changed) {
  const place = h("p", { class: "row pricing", role: "status" });
  const error = h("p", { class: "error", role: "alert" });
  const asked = new URLSearchParams(["where", "player"].map((name) => [name, query.get(name) ?? ""]));
  async function follow(state) {
    while (state.active && place.isConnected) {
      const { done, of } = state;
      place.replaceChildren(h("progress", { max: of || 1, value: done, "aria-label": t("price.pricing") }), h("span", {},
        of ? t("price.progress", { done, of }) : t("preparing.short")), h("button", { onclick: () => post("/api/hands/review/stop", {}) }, t("stop")));
      await pause(POLL);
      state = await get("/api/hands/review");
    }
    if (state.error) error.replaceChildren(h("span", { lang: "en" }, state.error));
    await changed();
  }
  const button = (turns, { spots, seconds }) => spots > 0 && h("button", { class: "plain", "data-role": turns ? "turns" : "rivers",
    onclick: () => attempt(error, async () => follow(await post(`/api/hands/review?${asked}`, { turns }))) },
  t(turns ? "price.turns" : "price.rivers", { n: spots, time: duration(seconds) }));
  const load = async () => {
    const state = await get("/api/hands/review");
    if (state.active) return follow(state);
    const { rivers, turns } = await get(`/api/hands/offer?${asked}`);
    place.replaceChildren(...[button(false, rivers), button(true, turns)].filter(Boolean));
  };
  setTimeout(() => attempt(error, load)); // when the page stands
  return [place, error];
}

// The panel of the dearest decisions.
export function dearestPanel({ dearest, priced: [priced, all] }, query, changed) {
  return h("section", { class: "panel dearest-list" }, h("h2", {}, t("price.dearest")), h("p", { class: "quiet" },
    all ? t("price.share", { priced: number(priced), all: number(all) }) : t("price.none")),
  h("ol", { class: "list" }, dearest.map((each) => item(each, query))), pricing(query, changed));
}
