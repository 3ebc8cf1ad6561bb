// A board to pick: five slots and 52 cards. Typing "Qs" works too.
import { card, cardName, cardsText } from "../cards.js";
import { h } from "../dom.js";
import { t } from "../words.js";
import { RANKS, SUITS } from "./hands.js";

const SLOTS = ["flop", "flop", "flop", "turn", "river"];
const LEAST = 3;

export const streetOf = (cards) => ["flop", "turn", "river"][cards.length - LEAST];

// A picker of a board. `changed()` is called after each change.
export class BoardPicker {
  constructor(changed) {
    Object.assign(this, { changed, cards: [], typed: "" });
    this.slots = h("div", { class: "slots" });
    const button = (name, onclick) => h("button", { type: "button", onclick }, t(name));
    this.buttons = [...SUITS].flatMap((suit) => [...RANKS].map((rank) => this.button(rank + suit)));
    this.element = h("section", { class: "panel board-picker", onkeydown: (event) => this.onkey(event) },
      h("div", { class: "panel-head" }, h("h2", {}, t("board.title")), button("board.random", () => this.random()),
        button("board.clear", () => this.set([]))), this.slots,
      h("div", { class: "deck", role: "group", "aria-label": t("board.deck") }, this.buttons));
    this.show();
  }

  button(code) {
    return h("button", { type: "button", "aria-label": cardName(code), "data-code": code,
      onclick: () => this.toggle(code) }, cardsText([code]));
  }

  get text() {
    return this.cards.join(" ");
  }

  // Take the cards of a text.
  set(cards) {
    this.cards = cards.slice(0, SLOTS.length);
    this.show();
    this.changed();
  }

  toggle(code) {
    if (this.cards.includes(code)) this.set(this.cards.filter((each) => each !== code));
    else if (this.cards.length < SLOTS.length) this.set([...this.cards, code]);
  }

  random() {
    const rest = this.buttons.map(({ dataset }) => dataset.code);
    const count = Math.max(this.cards.length, LEAST);
    this.set(Array.from({ length: count }, () => rest.splice(Math.floor(Math.random() * rest.length), 1)[0]));
  }

  show() {
    this.slots.replaceChildren(...SLOTS.map((name, index) => {
      const code = this.cards[index];
      if (!code) return h("div", { class: "slot" }, t(`board.${name}`));
      return h("button", { type: "button", class: "slot filled", "aria-label": t("board.remove", { card: cardName(code) }),
        onclick: () => this.toggle(code) }, card(code));
    }));
    for (const button of this.buttons) {
      button.setAttribute("aria-pressed", `${this.cards.includes(button.dataset.code)}`);
      button.disabled = this.cards.length === SLOTS.length && !this.cards.includes(button.dataset.code);
    }
  }

  onkey({ key, ctrlKey, metaKey, altKey }) {
    if (ctrlKey || metaKey || altKey || key.length > 1) return;
    const code = this.typed + key.toLowerCase();
    if (code.length === 2 && SUITS.includes(key.toLowerCase())) this.toggle(code);
    this.typed = RANKS.includes(key.toUpperCase()) ? key.toUpperCase() : "";
  }
}
