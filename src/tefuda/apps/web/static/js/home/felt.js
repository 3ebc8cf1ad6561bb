// The hand on Home: an open table of Koi-Koi, or a prepared deal whose table is made by its first card.
import { post } from "../api.js";
import { card, cardName } from "../cards.js";
import { h, moving } from "../dom.js";
import { icon } from "../icons.js";
import { follow } from "../lighting.js";
import { go } from "../main.js";
import { fieldOf, freshCards, place, playStages, sentence, stageText, stagesOf } from "../views/hana.js";
import { gameName, opponentLevel, opponentName } from "../views/hand.js";
import { showSheet } from "../visits.js";
import { loadWords, t } from "../words.js";

const DECK = "hanafuda";
const RULES = [1, 2, 3, 4, 5];

const addressOf = ({ id }) => `/tables/${encodeURIComponent(id)}`;

// Show a table with the focus on its first action.
export async function goToTable(state) {
  await go(addressOf(state));
  document.querySelector("#main :is(.hana-field, .hana-hand) [data-action]")?.focus({ preventScroll: true });
}

// The rules in five sentences.
async function openRules() {
  await loadWords("rules");
  const title = `${gameName("koikoi")}: ${t("home.rules")}`;
  const dialog = h("dialog", { class: "bottom-sheet", "aria-label": title });
  dialog.append(h("div", { class: "row" }, h("b", {}, title), h("button", { class: "plain", "aria-label": t("close"),
    onclick: () => dialog.close() }, icon("close"))), h("ol", {}, RULES.map((each) => h("li", {}, t(`rules.koikoi.${each}`)))));
  showSheet(dialog);
}

// A player with captured cards in one row, new ones last; `more` stands before them.
function row(who, about, codes, label, fresh, more = null) {
  const isFresh = (code) => fresh.includes(code);
  const sorted = codes.toSorted((one, other) => isFresh(one) - isFresh(other));
  return h("div", { class: "home-who" }, more, h("span", {}, h("b", {}, who), about && h("small", {}, ` · ${about}`)),
    h("ul", { class: "hana-row list", "aria-label": label }, sorted.map((code) =>
      h("li", { title: cardName(code, DECK), class: isFresh(code) && "fresh" }, card(code, DECK)))));
}

export class Felt {
  constructor(state) {
    this.element = h("section", { class: "koikoi home-felt", "aria-label": t("koikoi.table") });
    this.state = state;
    this.isBusy = false;
    follow(this.element, ({ action }) => this.act(Number(action)));
    this.draw();
  }

  // Play a card; the first one of a prepared deal makes its table.
  async act(action) {
    if (this.isBusy) return;
    this.isBusy = true;
    const { id, version } = this.state;
    const wait = setTimeout(() => this.say(t("home.preparing")), 100);
    this.element.setAttribute("aria-busy", "true");
    try {
      await this.show(await (id ? post(`/api/tables/${id}/act`, { version, action }) : post("/api/home/hand", { action })));
    } catch (error) {
      if (error.content?.state) await this.show(error.content.state);
      this.say(error.content?.state ? t("home.changed") : error.message);
    } finally {
      clearTimeout(wait);
      this.isBusy = false;
      this.element.removeAttribute("aria-busy");
    }
  }

  // Say something instead of the usual sentence, until the felt is drawn again.
  say(text) {
    const place = this.element.querySelector(".hana-say");
    place.dataset.usual = text;
    place.replaceChildren(text);
  }

  // Show the opponent's turn in stages, then the next state; choices and ends stand at the table.
  async show(next) {
    const stages = stagesOf(this.state, next);
    this.state = next;
    const isLast = await playStages(stages, (each) => this.draw(each));
    if (!isLast || !this.element.isConnected) return;
    this.draw();
    if (this.isElsewhere) await goToTable(next);
    else this.element.querySelector("[data-action]")?.focus({ preventScroll: true });
  }

  get isElsewhere() {
    const { choice, ending } = this.state.picture.more;
    return Boolean(ending) || choice === "koi-koi";
  }

  draw(moment = {}) {
    moving(this.element, () => this.element.replaceChildren(...this.parts(moment)));
    this.element.dataset.version = this.state.version ?? 0;
  }

  parts({ picture = this.state.picture, stage = null }) {
    const { state } = this;
    const table = { ...state, picture, actions: stage ? [] : state.actions };
    const { hand, piles, table: field, more, events } = picture;
    const fresh = stage?.fresh ?? freshCards(events);
    const who = opponentName(table);
    const usual = !state.id ? t("home.your turn") : this.isElsewhere ? t("home.go on") : sentence(table);
    const backs = h("div", { class: "hana-backs", role: "img", "aria-label": t("koikoi.cards", { n: more.opponent.hand }) },
      Array.from({ length: more.opponent.hand }, () => card(null, DECK)));
    return [
      h("div", { class: "home-head" }, h("h2", {}, gameName("koikoi")), h("small", {}, t("home.round", { who })),
        h("span", { class: "row" }, state.id && h("a", { class: "knob", href: addressOf(state) }, t("home.whole table")),
          h("button", { type: "button", class: "plain link", onclick: openRules }, t("home.rules")))),
      row(who, opponentLevel(table), piles[1 - state.seat], t("koikoi.opponent pile"), fresh, backs),
      h("div", { class: "home-field", "data-cards": field.length }, fieldOf(table, stage, 1)),
      h("p", { class: "hana-say", role: "status", "data-usual": stage ? null : usual }, stage ? stageText(table, stage) : usual),
      h("ul", { class: "hana-hand list", "aria-label": t("koikoi.hand") }, hand.map((code) => place(code, "lay", table))),
      row(t("koikoi.you"), t("koikoi.cards taken", { n: piles[state.seat].length }), piles[state.seat], t("koikoi.own pile"),
        fresh),
    ];
  }
}
