// The review of a finished hand: a strip of decisions by cost, and at each the person's cards, choice and advice.
import { get } from "../api.js";
import { advicePanel } from "../coach.js";
import { announce, h, style } from "../dom.js";
import { addKeys } from "../keys.js";
import { go, setAddress } from "../main.js";
import { result, sentence } from "../story.js";
import { loadWords, number, signed, t } from "../words.js";
import { artist } from "./table.js";

const MISTAKES = ["slip", "blunder"];

class Review {
  constructor(root, review, draw, address) {
    Object.assign(this, { root, review, draw, address });
    const first = review.decisions.findIndex(({ advice }) => MISTAKES.includes(advice.verdict));
    const asked = Number(address.searchParams.get("at") ?? Math.max(first, 0) + 1) - 1;
    this.show(Math.min(Math.max(Number.isInteger(asked) ? asked : 0, 0), review.decisions.length - 1));
  }

  addressOf(at) {
    const query = new URLSearchParams(this.address.search);
    query.set("at", at + 1);
    return `${this.address.pathname}?${query}`;
  }

  // Show a decision by its place; keep the address in step.
  choose(at) {
    if (at < 0 || at >= this.review.decisions.length) return;
    setAddress(this.addressOf(at));
    this.show(at);
    this.root.querySelector(".strip [aria-current]").focus();
    announce(this.root.querySelector(".verdict").textContent);
  }

  // Go to the next mistake in a direction, 1 or -1.
  mistake(step) {
    for (let at = this.at + step; at in this.review.decisions; at += step) {
      if (MISTAKES.includes(this.review.decisions[at].advice.verdict)) return this.choose(at);
    }
  }

  show(at) {
    const { review } = this;
    this.at = at;
    const state = review.decisions[at];
    const others = [[review.hand - 1, "before"], [review.hand + 1, "after"]];
    const links = others.filter(([hand]) => hand >= 0 && hand < review.hands);
    const address = (hand) => `/tables/${review.id}/hands/${hand}`;
    this.root.replaceChildren(
      h("h1", {}, t("review.title", { game: t(`game.${review.game}`), hand: number(review.hand + 1) })),
      h("p", { class: "row" }, h("a", { class: "button", href: `/tables/${review.id}` }, t("review.table")),
        links.map(([hand, name]) => h("a", { class: "button", href: address(hand) }, t(`review.${name}`)))),
      review.helped ? h("p", { class: "quiet" }, t("review.helped")) : "",
      h("h2", {}, t("review.decisions")), state ? this.strip() : h("p", {}, t("review.none")),
      h("div", { class: "table-grid" },
        h("div", { class: "play" }, state && this.seen(state)),
        h("div", { class: "side" }, state && advicePanel(state), this.summary(), this.story(state))));
    this.root.dataset.at = at;
  }

  // The cards that the person saw at a decision.
  seen(state) {
    const title = t("review.decision", { n: this.at + 1, of: this.review.decisions.length });
    return [h("h2", {}, title), this.draw(state, () => {})];
  }

  strip() {
    const items = this.review.decisions.map(({ advice }, place) => h("li", {}, h("a", {
      class: `step ${advice.verdict}`, href: this.addressOf(place), "aria-current": place === this.at ? "step" : null,
      onclick: (event) => { event.preventDefault(); this.choose(place); },
    }, `${place + 1} ${t(`review.${advice.verdict}`, { cost: number(advice.cost, 3) })}`)));
    return h("ol", { class: "strip" }, items);
  }

  summary() {
    const { review } = this;
    const written = (name) => (name === "cost" ? number(review.cost, 4) : signed(review[name], 4));
    const figures = ["payoff", "luck", "skill", "cost"].map((name) =>
      [h("dt", {}, t(`review.${name}`)), h("dd", {}, written(name))]);
    const fields = Object.entries(review.thresholds).map(([name, value]) =>
      h("label", {}, h("span", {}, t(`review.${name} from`)),
        h("input", { name, type: "number", min: 0, step: "any", value, required: true })));
    const submit = (event) => {
      event.preventDefault();
      const given = Object.fromEntries(new FormData(event.target));
      localStorage.setItem("thresholds", JSON.stringify(given));
      go(`${this.address.pathname}?${new URLSearchParams({ ...given, at: this.at + 1 })}`);
    };
    return h("section", { class: "panel", "data-role": "result" },
      h("h2", {}, t("review.result")), result(review).map((text) => h("p", {}, text)),
      h("dl", { class: "figures" }, figures),
      h("details", {}, h("summary", {}, t("review.thresholds")),
        h("form", { class: "row thresholds", onsubmit: submit }, fields, h("button", {}, t("review.apply")))));
  }

  story(state) {
    const past = state ? state.picture.events.length : 0;
    const lines = this.review.picture.events.map((event, place) =>
      h("li", { class: place < past ? null : "quiet" }, sentence(event, this.review)));
    return h("section", { class: "panel log" }, h("h2", {}, t("table.log")), h("ol", {}, lines));
  }
}

export async function show(root, address) {
  const [, , id, , hand] = address.pathname.split("/");
  const saved = JSON.parse(localStorage.getItem("thresholds") ?? "{}");
  const cost = (name) => address.searchParams.get(name) ?? saved[name] ?? "";
  const query = new URLSearchParams({ slip: cost("slip"), blunder: cost("blunder") });
  const [review] = await Promise.all([get(`/api/tables/${id}/hands/${hand}?${query}`),
    style("table"), style("review"), loadWords("games", "table")]);
  const page = new Review(root, review, (await artist(review)).draw, address);
  addKeys({
    j: [t("key.next mistake"), () => page.mistake(1)], k: [t("key.last mistake"), () => page.mistake(-1)],
    ArrowRight: [t("key.next decision"), () => page.choose(page.at + 1)],
    ArrowLeft: [t("key.last decision"), () => page.choose(page.at - 1)],
  });
}
