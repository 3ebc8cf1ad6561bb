// A table of Koi-Koi: opponent, field, own cards, and the yaku. A hand card lights the cards that it takes.
import { get } from "./api.js";
import { back, card, cardName, loadCards } from "./cards.js";
import { fold, h, lazyFold, style, table } from "./dom.js";
import { element } from "./nodes.js";
import { settingBox } from "./settings.js";
import { language, loadWords, number, say, t } from "./words.js";

const KINDS = ["B", "A", "R", "C"];
const LISTED = 6; // most cards of a yaku whose pictures are shown
const DECK = "hanafuda";
const unfolded = { own: innerWidth >= 900, opponent: false }; // while the page is open

// Load what tables of Koi-Koi need.
export const load = () => Promise.all([loadCards(), loadWords("koikoi"), style("koikoi")]);

const points = (count) => t("koikoi.points", { n: count });

// Small cards in a row.
const small = (codes, kind = () => null) => h("ul", { class: "hana-row list" },
  codes.map((code) => h("li", { class: kind(code), title: cardName(code, DECK) }, card(code, DECK))));

// The captured cards of a player by kind, with counts.
function pile(codes, label) {
  const groups = KINDS.map((kind) => [kind, codes.filter((code) => code.includes(kind))]);
  return h("div", { class: "hana-pile", role: "group", "aria-label": label }, groups.map(([kind, cards]) =>
    h("div", {}, h("span", { class: "hana-count" }, `${t(`koikoi.kind.${kind}`)} ${cards.length}`), small(cards))));
}

// Light the field cards that captures take, and say their effect.
function light(place, captures = [], effect = null) {
  for (const face of place.querySelectorAll(".hana-field [data-card]")) {
    const capture = captures.find((each) => each.takes.includes(face.dataset.card));
    face.classList.toggle("takes", Boolean(capture));
    face.classList.toggle("completes", Boolean(capture?.completes.length));
  }
  place.querySelector(".hana-say").textContent = effect ? say(effect) : "";
}

// A card as a button. On touch screens the first tap looks and the second one plays.
function cardButton(action, { captures, effects }, act) {
  const ways = captures[action.label];
  const [gain] = ways.flatMap((each) => each.completes);
  const effect = effects[action.label];
  const place = (event) => event.currentTarget.closest(".hana-table");
  let looked = false;
  const on = (event) => light(place(event), ways, effect);
  const off = (event) => {
    looked = false;
    light(place(event));
  };
  const mouse = (look) => (event) => event.pointerType === "mouse" && look(event);
  const click = (event) => {
    if (event.pointerType !== "touch" || looked) return act(action.index);
    looked = true;
    on(event);
  };
  return h("button", {
    class: `hana-card ${gain ? "completes" : ways[0].takes.length ? "takes" : ""}`, "data-action": action.index,
    "aria-label": say(effect), onpointerenter: mouse(on), onpointerleave: mouse(off), onfocus: on, onblur: off,
    onclick: click,
  }, card(action.label, DECK), gain && h("span", { class: "hana-note" }, say(gain.name)));
}

// A yaku: its name, some of its cards, and how far it is.
function yakuRow(step, codes, kind) {
  const japanese = language === "en" && h("small", { lang: "ja" }, ` ${step.name.ja}`);
  const count = step.status === "complete" ? points(step.points) : `${step.have}/${step.need}`;
  return h("li", { class: `yaku ${step.status}` },
    h("span", {}, h("span", { class: "name" }, say(step.name)), japanese, h("small", {}, ` ${points(step.value)}`)),
    codes.length <= LISTED && small(codes, kind),
    h("span", { class: "yaku-count" }, count, h("span", { class: "unseen" }, ` ${t(`koikoi.${step.status}`)}`)));
}

function yakuList(more, name) {
  const { pile: own, progress } = more[name];
  const kind = ({ missing }) => (code) => (own.includes(code) ? "have" : missing.includes(code) ? "missing" : "gone");
  const rows = progress.map((step) => yakuRow(step, step.cards, kind(step)));
  const toggle = (event) => { unfolded[name] = event.target.open; };
  return fold(h("h2", {}, t(`koikoi.${name} yaku`)), { open: unfolded[name], ontoggle: toggle },
    h("ol", { class: "list" }, rows));
}

// The page of rules, loaded when it is opened.
function rules({ game, parameters }) {
  const texts = Object.entries(parameters).map(([name, value]) =>
    [name, typeof value === "string" ? value : JSON.stringify(value)]);
  const query = new URLSearchParams({ game, language, ...Object.fromEntries(texts) });
  const read = async () => (await get(`/api/play/guide?${query}`)).nodes.slice(1).map((node) => element(node));
  return lazyFold(t("koikoi.rules"), { class: "hana-rules" }, read);
}

// What stands beside the table: the progress to each yaku, the rules, and the switch of the light.
export const side = (message) => h("section", { class: "panel koikoi" }, yakuList(message.picture.more, "own"),
  yakuList(message.picture.more, "opponent"), message.match && rules(message),
  settingBox("lit", ["on", "off"], t("koikoi.lit")));

const sum = (score) => table([t("koikoi.yaku"), t("koikoi.points head")],
  score.lines.map(([text, value]) => [say(text), number(value)]), { class: "hana-score" });

// The end of a round, with its sum line by line.
function ending({ ending: { reason, winner, score, points: won }, player }) {
  const result = winner === null ? "none" : winner === player ? "won" : "lost";
  return h("section", { class: "hana-sheet", "data-role": "ending" }, h("h2", {}, t(`koikoi.${result}`, { n: won })),
    h("p", {}, t(`koikoi.reason.${reason}`)), score && sum(score));
}

// The choice between stop and koi-koi: points now, multipliers that may come, near yaku of both players.
function callSheet(more, actions, act) {
  const { score } = more.own;
  const stop = t("koikoi.stop", { points: points(score.points) });
  const button = ({ label, index, text }) => h("button", {
    class: label === "stop" && "main", "data-action": index, onclick: () => act(index),
  }, label === "stop" ? stop : say(text));
  const part = (title, items) =>
    items.length > 0 && h("div", {}, h("h3", {}, title), h("ul", { class: "list" }, items));
  const near = ({ progress }) => progress.filter((step) => step.near).map((step) => yakuRow(step, step.missing));
  return h("section", { class: "hana-sheet", "aria-label": t("koikoi.choice") }, h("h2", {}, t("koikoi.choice")),
    h("div", { class: "row" }, actions.map(button)),
    h("div", { class: "hana-parts" },
      h("div", {}, sum(score), part(t("koikoi.doubles"), more.doubles.map((text) => h("li", {}, say(text))))),
      part(t("koikoi.near"), near(more.own)), part(t("koikoi.opponent near"), near(more.opponent))));
}

// The line above the table: round, points, dealer.
function head({ match, hand, end }) {
  if (!match) return null;
  const [you, opponent] = match.points.map((value) => number(value));
  const values = { round: hand + 1, rounds: match.rounds, you, opponent };
  const deals = !match.over && t(`koikoi.${end ? "next " : ""}${match.deals ? "deal" : "dealt"}`);
  return h("p", { class: "hana-match" }, t(match.over ? "koikoi.over" : "koikoi.match", values), deals);
}

// The table of a message; act(index) takes an action.
export function draw(message, act) {
  const { picture: { table: field, hand, piles, more }, actions, seat } = message;
  const calling = actions.some((action) => action.verb === "koi-koi");
  const place = (code, verb) => {
    const action = actions.find((each) => each.label === code && each.verb === verb);
    return h("li", {}, action ? cardButton(action, more, act) : h("div", { class: "hana-card" }, card(code, DECK)));
  };
  const held = t("koikoi.cards", { n: more.opponent.hand });
  const columns = `repeat(${Math.max(4, Math.ceil((field.length + 1) / 2))}, minmax(0, 6rem))`;
  const grid = { class: "hana-field list", style: { gridTemplateColumns: columns }, "aria-label": t("koikoi.field") };
  const title = (name, text) => h("h2", {}, t(`koikoi.${name}`), h("small", {}, ` ${text}`));
  const shown = more.shown && h("p", { class: "hana-say row" }, card(more.shown, DECK),
    t("koikoi.which", { card: cardName(more.shown, DECK) }));
  const backs = h("div", { class: "hana-backs", "aria-label": held, role: "img" },
    Array.from({ length: more.opponent.hand }, () => back(DECK)));
  const stock = h("li", {}, h("div", { class: "hana-card" }, back(DECK), h("span", { class: "hana-badge" }, more.stock),
    h("span", { class: "unseen" }, t("koikoi.stock"))));
  const parts = [
    h("div", {}, title("opponent", held),
      h("div", { class: "hana-top" }, pile(piles[1 - seat], t("koikoi.opponent pile")), backs)),
    h("div", { class: "hana-middle" }, h("ul", grid, field.map((code) => place(code, "take")), stock),
      shown, more.ending ? ending(more) : calling && callSheet(more, actions, act)),
    h("div", {}, title("you", t("koikoi.turn", { turn: more.turn, turns: more.of_turns })),
      pile(piles[seat], t("koikoi.own pile")),
      h("ul", { class: "hana-hand list", "aria-label": t("koikoi.hand") }, hand.map((code) => place(code, "lay"))),
      h("p", { class: "hana-say" })),
  ];
  const section = h("section", { class: "hana-table", "aria-label": t("koikoi.table") }, parts);
  return h("div", { class: "koikoi" }, head(message), section);
}
