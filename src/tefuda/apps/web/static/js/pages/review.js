// The review of a finished hand: a strip of decisions by cost, and at each the person's cards, choice and advice.
import { get } from "../api.js";
import { announce, fold, h } from "../dom.js";
import { field } from "../fields.js";
import { addKeys } from "../keys.js";
import { go, setAddress } from "../main.js";
import { gameName, loadHand } from "../views/hand.js";
import { advicePanel, logPanel, resultParts } from "../views/panels.js";
import { tableOf } from "../views/table.js";
import { number, say, t } from "../words.js";

const isMistake = ({ advice }) => ["slip", "blunder"].includes(advice.verdict);

// The title, with links to the table and to the hands before and after.
function head({ id, hand, hands, game, helped }) {
  const link = (key, href) => h("a", { class: "button", href }, t(`review.${key}`));
  const handAt = (place) => `/tables/${id}/hands/${place}`;
  return [h("h1", {}, t("review.title", { game: gameName(game), hand: number(hand + 1) })),
    h("p", { class: "row" }, link("table", `/tables/${id}`), hand > 0 && link("before", handAt(hand - 1)),
      hand + 1 < hands && link("after", handAt(hand + 1))),
    helped && h("p", { class: "quiet" }, t("review.helped"))].filter(Boolean);
}

// The result of the hand, apart from luck, and the costs from which on a decision is a mistake.
function summary(review, address) {
  const costs = Object.entries(review.thresholds).map(([name, value]) =>
    field(t(`review.${name} from`), { name, type: "number", min: 0, step: "any", value, required: true }));
  const submit = (event) => {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(event.target));
    localStorage.setItem("thresholds", JSON.stringify(given));
    go(address(given));
  };
  return h("section", { class: "panel", "data-role": "result" }, resultParts(review),
    fold(t("review.thresholds"), {},
      h("form", { class: "row thresholds", onsubmit: submit }, costs, h("button", {}, t("review.apply")))));
}

export async function show(root, address) {
  const [, , id, , hand] = address.pathname.split("/");
  const saved = JSON.parse(localStorage.getItem("thresholds") ?? "{}");
  const cost = (name) => address.searchParams.get(name) ?? saved[name] ?? "";
  const query = new URLSearchParams({ slip: cost("slip"), blunder: cost("blunder") });
  const [review] = await Promise.all([get(`/api/tables/${id}/hands/${hand}?${query}`), loadHand()]);
  const { decisions } = review;
  const last = decisions.length - 1;
  const asked = Number(address.searchParams.get("at") ?? Math.max(decisions.findIndex(isMistake), 0) + 1) - 1;
  let at = Math.min(Math.max(Number.isInteger(asked) ? asked : 0, 0), last);

  const addressOf = (values) => {
    const given = { ...Object.fromEntries(address.searchParams), at: at + 1, ...values };
    return `${address.pathname}?${new URLSearchParams(given)}`;
  };
  const step = ({ advice }, place) => h("li", {}, h("a", {
    class: `step ${advice.verdict}`, href: addressOf({ at: place + 1 }), "aria-current": place === at ? "step" : null,
    onclick: (event) => {
      event.preventDefault();
      choose(place);
    },
  }, `${place + 1} ${t(`review.${advice.verdict}`, { cost: say(advice.cost, 3) })}`));

  function update() {
    const state = decisions[at] && { ...review, end: null, actions: [], ...decisions[at] };
    const log = state ? { past: state.picture.events.length } : {};
    root.replaceChildren(
      ...head(review), h("h2", {}, t("review.decisions")),
      state ? h("ol", { class: "strip list" }, decisions.map(step)) : h("p", {}, t("review.none")),
      h("div", { class: "table-grid" },
        h("div", { class: "stack" },
          state && [h("h2", {}, t("review.decision", { n: at + 1, of: decisions.length })), tableOf(state)]),
        h("div", { class: "stack side" }, state && advicePanel(state.advice, review.coach, state.picture),
          summary(review, addressOf), logPanel(review, log))));
    root.dataset.at = at;
  }

  // Show a decision by its place; keep the address in step.
  function choose(place) {
    if (!decisions[place]) return;
    at = place;
    setAddress(addressOf({}));
    update();
    root.querySelector(".strip [aria-current]").focus();
    announce(root.querySelector(".verdict").textContent);
  }

  // Go to the next mistake in a direction, 1 or -1.
  function mistake(direction) {
    let place = at + direction;
    while (decisions[place] && !isMistake(decisions[place])) place += direction;
    choose(place);
  }

  update();
  addKeys({
    j: [t("key.next mistake"), () => mistake(1)], k: [t("key.last mistake"), () => mistake(-1)],
    ArrowRight: [t("key.next decision"), () => choose(at + 1)],
    ArrowLeft: [t("key.last decision"), () => choose(at - 1)],
  });
}
