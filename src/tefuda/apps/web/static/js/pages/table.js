// A table: one hand after the other against agents, with a coach on request.
import { actionClass } from "../actions.js";
import { get, post } from "../api.js";
import { fourColours, setFourColours } from "../cards.js";
import { advicePanel, statistics } from "../coach.js";
import { announce, h, style } from "../dom.js";
import { addKeys } from "../keys.js";
import { ownPlay } from "../own_play.js";
import { actionName, result, sentence } from "../story.js";
import { language, loadWords, number, percent, t } from "../words.js";

// The module that draws the cards of a game; it may draw a part of the side too.
export async function artist(state) {
  const module = await (state.picture.deck === "hanafuda" ? import("../koikoi.js") : import("../board.js"));
  await module.load();
  return module;
}

class TablePage {
  constructor(root, state, art) {
    Object.assign(this, { root, art, busy: false });
    this.show(state, false);
  }

  // Send an action with the version that is shown; another tab's action gives the present state instead.
  async send(what, fields = {}) {
    if (this.busy) return;
    this.busy = true;
    this.root.setAttribute("aria-busy", "true");
    try {
      this.show(await post(`/api/tables/${this.state.id}/${what}`, { version: this.state.version, ...fields }));
    } catch (error) {
      if (error.status === 409 && error.content.state) {
        this.show(error.content.state);
        this.note(t("table.changed"));
      } else this.note(error.message);
    } finally {
      this.busy = false;
      this.root.removeAttribute("aria-busy");
    }
  }

  note(text) {
    this.root.querySelector(".note").textContent = text;
  }

  act(index) {
    return this.send("act", { action: index });
  }

  pick(number) {
    const action = this.state.actions[number - 1];
    if (action) this.act(action.index);
  }

  next() {
    if (this.state.end && !this.state.closed) this.send("next");
  }

  hint() {
    if (this.state.mode !== "off" && this.state.actions.length) this.send("hint");
  }

  show(state, moved = true) {
    const before = this.state;
    this.state = state;
    const rounds = state.hands || state.match?.rounds;
    const name = t("table.title", { game: t(`game.${state.game}`), hand: number(state.hand + 1) });
    this.root.replaceChildren(
      h("h1", {}, name, rounds ? ` / ${number(rounds)}` : ""),
      h("p", { class: "quiet" }, t("table.against", { who: [...new Set(state.opponents)].join(", ") }), state.helped ? ` · ${t("table.helped")}` : ""),
      h("p", { class: "note error", role: "alert" }),
      h("div", { class: "table-grid" },
        h("div", { class: "play" }, this.art.draw(state, (index) => this.act(index)), this.ending(), this.controls()),
        h("div", { class: "side" }, advicePanel(state), this.art.side?.(state), this.log(), statistics(state), state.seating.length === 2 && state.coach && !state.match ? ownPlay(state) : null, this.closing())));
    this.root.dataset.version = state.version;
    this.root.dataset.hand = state.hand;
    requestAnimationFrame(() => this.root.querySelector(".log ol")?.scrollTo(0, 1e6));
    if (!moved) return;
    this.root.querySelector("[data-first], [data-action]")?.focus();
    const fresh = before && before.hand === state.hand ? before.picture.events.length : 0;
    const news = state.picture.events.slice(fresh).filter((event) => event.player !== state.seat).map((event) => sentence(event, state));
    announce([...news, ...(state.end ? result(state) : [])].join(" "));
  }

  controls() {
    const { state } = this;
    if (state.closed) return null;
    const deck = state.picture.deck;
    const buttons = deck === "hanafuda" ? [] : state.actions.map((action, place) =>
      h("button", { class: `act ${actionClass(action)}`, "data-action": action.index, "data-first": place === 0, onclick: () => this.act(action.index) },
        place < 9 && h("kbd", { "aria-hidden": "true" }, `${place + 1}`), actionName(action, deck)));
    const hint = state.mode !== "off" && state.actions.length > 0
      ? h("button", { "data-role": "hint", onclick: () => this.hint() }, t("table.hint"), h("kbd", { "aria-hidden": "true" }, "h")) : null;
    const next = state.end ? h("button", { class: "main", "data-first": true, "data-role": "next", onclick: () => this.next() }, t("table.next")) : null;
    return h("div", { class: "controls", role: "group", "aria-label": t("table.actions") }, buttons, this.amounts(), next, hint);
  }

  // The field for amounts, where a game has too many for buttons.
  amounts() {
    const { amounts } = this.state;
    if (!amounts) return null;
    const field = h("input", { type: "number", min: amounts.low, max: amounts.high, value: amounts.low, required: true, "aria-label": t("table.amount") });
    const parts = amounts.fractions.map(({ part, amount }) =>
      h("button", { type: "button", onclick: () => { field.value = amount; field.focus(); } }, t("table.part", { part: percent(part, 2) })));
    const submit = (event) => {
      event.preventDefault();
      this.send("act", { amount: Number(field.value) });
    };
    return h("form", { class: "row", onsubmit: submit }, field, parts, h("button", { class: "main" }, t(`table.${amounts.verb}`)));
  }

  ending() {
    const { state } = this;
    if (!state.end) return null;
    const review = state.coach ? h("a", { class: "button", href: `/tables/${state.id}/hands/${state.hand}` }, t("table.review")) : null;
    const lines = this.art.side ? [] : result(state);
    return h("section", { class: "ending", "data-role": "end" }, lines.map((text) => h("p", {}, text)), review);
  }

  log() {
    const { state } = this;
    const lines = state.picture.events.map((event) => h("li", {}, sentence(event, state)));
    const known = h("details", {}, h("summary", {}, t("table.known")), h("p", {}, state.text[language]));
    return h("section", { class: "panel log" }, h("h2", {}, t("table.log")), lines.length ? h("ol", { tabindex: 0, "aria-label": t("table.log") }, lines) : h("p", {}, t("table.begins")), known);
  }

  closing() {
    const { state } = this;
    const box = h("input", { type: "checkbox", checked: fourColours(), onchange: () => setFourColours(box.checked) });
    const colours = state.picture.deck === "suits" ? h("label", { class: "check" }, box, t("four colours")) : null;
    if (!state.closed) return h("section", { class: "panel row" }, colours, h("button", { "data-role": "leave", onclick: () => this.send("leave") }, t("table.leave")));
    return h("section", { class: "panel", "data-role": "closed" }, h("h2", {}, t("table.closed")), h("p", {}, t("table.seed", { seed: state.seed })),
      h("p", { class: "row" }, h("a", { class: "button", href: `/api/tables/${state.id}/file`, download: "" }, t("table.file")),
        h("a", { class: "button", href: "/play" }, t("table.again"))));
  }
}

export async function show(root, address) {
  const id = address.pathname.split("/")[2];
  const [state] = await Promise.all([get(`/api/tables/${id}`), style("table"), loadWords("games")]);
  const page = new TablePage(root, state, await artist(state));
  const digits = Object.fromEntries(Array.from({ length: 9 }, (_, place) =>
    [`${place + 1}`, [t("key.action", { n: place + 1 }), () => page.pick(place + 1)]]));
  const known = () => announce(`${page.state.text[language]} ${page.state.actions.map((action) => actionName(action, page.state.picture.deck)).join(", ")}`);
  addKeys({ ...digits, Enter: [t("table.next"), () => page.next()], h: [t("table.hint"), () => page.hint()], u: [t("table.known"), known] });
}

