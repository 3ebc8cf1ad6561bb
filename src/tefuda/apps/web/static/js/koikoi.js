// A table of Koi-Koi: opponent, field, own cards. A hand card lights the cards that it takes.
import { get } from "./api.js";
import { h, style } from "./dom.js";
import { hanafuda, hanafudaName, hanafudaRow } from "./hanafuda.js";
import { callSheet, ending, yakuList } from "./koikoiscore.js";
import { element } from "./nodes.js";
import { language, loadWords, number, t } from "./words.js";

const KINDS = ["B", "A", "R", "C"];
const yakuName = (yaku) => (language === "ja" ? yaku.japanese : yaku.name);

// Load what tables of Koi-Koi need: words, names of cards, and the style sheet.
export const load = () => Promise.all([loadWords("koikoi", "hanafuda", "cards"), style("koikoi")]);
const names = (codes) => new Intl.ListFormat(language, { type: "unit" }).format(codes.map(hanafudaName));

// The effect of a card in words, for one of its captures or both.
function effect(captures) {
  if (!captures[0].takes.length) return t("koikoi.stays");
  const taken = captures.map((capture) => names(capture.takes)).join(t("koikoi.or"));
  const gains = captures.flatMap((capture) => capture.completes.map((yaku) => `${yakuName(yaku)} ${yaku.points}`));
  return t("koikoi.takes", { cards: taken }) + (gains.length ? t("koikoi.completes", { yaku: [...new Set(gains)].join(", ") }) : "");
}

// The captured cards of a player by kind, with counts.
function pile(codes, label) {
  const groups = KINDS.map((kind) => {
    const cards = codes.filter((code) => code.includes(kind));
    return h("div", { class: "hana-group" }, h("span", { class: "hana-count" }, `${t(`koikoi.kind.${kind}`)} ${cards.length}`), hanafudaRow(cards));
  });
  return h("div", { class: "hana-pile", role: "group", "aria-label": label }, groups);
}

// The marks of field cards while a card is looked at: taken cards, and cards that complete a yaku.
function light(field, say, code, captures) {
  for (const item of field.querySelectorAll("[data-card]")) {
    const capture = captures?.find((each) => each.takes.includes(item.dataset.card));
    item.classList.toggle("takes", Boolean(capture));
    item.classList.toggle("completes", Boolean(capture?.completes.length));
  }
  say.textContent = captures ? `${hanafudaName(code)} ${effect(captures)}` : "";
}

// A card as a button. On touch screens the first tap looks and the second one plays.
function cardButton(code, captures, action, look, act) {
  const completes = captures.some((capture) => capture.completes.length);
  const kind = completes ? "completes" : captures[0].takes.length ? "takes" : "";
  let looked = false;
  const button = h("button", {
    class: `hana-card ${kind}`, "data-action": action.index, "aria-label": `${hanafudaName(code)}: ${effect(captures)}`,
    onpointerenter: (event) => event.pointerType === "mouse" && look(code, captures),
    onpointerleave: (event) => event.pointerType === "mouse" && look(code, null), onfocus: () => look(code, captures),
    onblur: () => { looked = false; look(code, null); },
    onclick: (event) => {
      if (event.pointerType === "touch" && !looked) {
        looked = true;
        return look(code, captures);
      }
      act(action.index);
    },
  }, hanafuda(code, { "aria-hidden": true }), completes && h("span", { class: "hana-note" }, yakuName(captures.flatMap((each) => each.completes)[0])));
  return h("li", {}, button);
}

// The line above the table: round, points, dealer.
function head({ match, hand, end }) {
  if (!match) return null;
  const values = { round: hand + 1, rounds: match.rounds, you: number(match.points[0]), opponent: number(match.points[1]) };
  return h("p", { class: "hana-match" }, t(match.over ? "koikoi.over" : "koikoi.match", values), !match.over && t(`koikoi.${end ? "next " : ""}${match.deals ? "deal" : "dealt"}`));
}

// The page of rules, loaded when it is opened.
function rules({ game, parameters }) {
  const query = new URLSearchParams({ game, language });
  for (const [name, setting] of Object.entries(parameters)) query.set(name, typeof setting === "string" ? setting : JSON.stringify(setting));
  const details = h("details", { class: "hana-rules", ontoggle: async () => {
    if (!details.open || details.dataset.loaded) return;
    details.dataset.loaded = true;
    const { nodes } = await get(`/api/play/guide?${query}`);
    details.append(...nodes.slice(1).map((node) => element(node)));
  } }, h("summary", {}, t("koikoi.rules")));
  return details;
}

// What stands beside the table: the progress to each yaku, and the rules.
export const side = (message) => h("section", { class: "panel koikoi" }, yakuList(message.picture.more), message.match && rules(message));

// The table of a message; act(index) takes an action.
export function draw(message, act) {
  const { picture, actions, seat } = message;
  const { more } = picture;
  const taking = actions.length > 0 && actions[0].verb === "take";
  const calling = actions.some((action) => action.verb === "koi-koi");
  const say = h("p", { class: "hana-say" });
  const action = (code) => actions.find((each) => each.label === code);
  const columns = { gridTemplateColumns: `repeat(${Math.max(4, Math.ceil((picture.table.length + 1) / 2))}, minmax(0, 6rem))` };
  const field = h("ul", { class: "hana-field", style: columns, "aria-label": t("koikoi.field") }, picture.table.map((code) => {
    const capture = taking && more.captures[more.shown].find((each) => each.takes.includes(code));
    if (capture) return cardButton(code, [capture], action(code), () => {}, act);
    return h("li", { "data-card": code, class: "hana-card" }, hanafuda(code));
  }));
  const look = (code, captures) => light(field, say, code, captures);
  const stock = h("li", { class: "hana-card hana-stock" }, hanafuda(null), h("span", { class: "hana-badge" }, more.stock),
    h("span", { class: "unseen" }, t("koikoi.stock")));
  field.append(stock);
  const hand = h("ul", { class: "hana-hand", "aria-label": t("koikoi.hand") }, picture.hand.map((code) => {
    const own = !taking && !calling && action(code);
    if (own) return cardButton(code, more.captures[code], own, look, act);
    return h("li", { class: "hana-card" }, hanafuda(code));
  }));
  const question = h("p", { class: "hana-say row" }, hanafuda(more.shown, { class: "hana card-face" }), t("koikoi.which", { card: hanafudaName(more.shown ?? "") }));
  const backs = h("div", { class: "hana-backs", "aria-label": t("koikoi.cards", { n: more.opponent.hand }), role: "img" },
    Array.from({ length: more.opponent.hand }, () => hanafuda(null)));
  const table = h("section", { class: "hana-table", "aria-label": t("koikoi.table") },
    h("div", { class: "hana-side" }, h("h2", {}, t("koikoi.opponent"), h("small", {}, ` ${t("koikoi.cards", { n: more.opponent.hand })}`)),
      h("div", { class: "hana-top" }, pile(picture.piles[1 - seat], t("koikoi.opponent pile")), backs)),
    h("div", { class: "hana-middle" }, field, taking && question, more.ending ? ending(more) : calling && callSheet(more, actions, act)),
    h("div", { class: "hana-side" }, h("h2", {}, t("koikoi.you"), h("small", {}, ` ${t("koikoi.turn", { turn: more.turn, turns: more.of_turns })}`)),
      pile(picture.piles[seat], t("koikoi.own pile")), hand, say));
  return h("div", { class: "koikoi" }, head(message), table);
}
