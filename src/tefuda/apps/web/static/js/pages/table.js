// A table: one hand after the other against agents, with a coach on request.
import { actionClass } from "../actions.js";
import { get, post } from "../api.js";
import { coloursBox } from "../cards.js";
import { announce, h, lazyFold, moving } from "../dom.js";
import { textOf } from "../fields.js";
import { addKeys } from "../keys.js";
import { follow } from "../lighting.js";
import { element, loadHand } from "../nodes.js";
import { ownPlay } from "../own_play.js";
import { settingBox } from "../settings.js";
import { language, number, percent, say, t } from "../words.js";

// A button that a key presses too.
const keyButton = (attributes, text, key) =>
  h("button", attributes, key && h("kbd", { "aria-hidden": "true" }, key), text);

// The page of rules of a match, and the switch of the light.
function rules({ game, parameters }) {
  const texts = Object.entries(parameters).map(([name, value]) => [name, textOf(value)]);
  const query = new URLSearchParams([["game", game], ["language", language], ...texts]);
  const read = async () => (await get(`/api/play/guide?${query}`)).nodes.slice(1).map((node) => element(node));
  return h("section", { class: "panel" }, lazyFold(t("koikoi.rules"), { class: "hana-rules" }, read),
    settingBox("lit", ["on", "off"], t("koikoi.lit")));
}

class TablePage {
  constructor(root, state) {
    Object.assign(this, { root, busy: false });
    follow(root, (action) => this.send("act", { action }));
    this.show(state, false);
  }

  // Send an action with the version that is shown; another tab's action gives the present state instead.
  async send(what, fields = {}) {
    if (this.busy) return;
    this.busy = true;
    this.root.setAttribute("aria-busy", "true");
    const note = (text) => this.root.querySelector(".note").replaceChildren(text);
    try {
      this.show(await post(`/api/tables/${this.state.id}/${what}`, { version: this.state.version, ...fields }));
    } catch (error) {
      if (error.content?.state) this.show(error.content.state);
      note(error.content?.state ? t("table.changed") : error.message);
    } finally {
      this.busy = false;
      this.root.removeAttribute("aria-busy");
    }
  }

  show(state, moved = true) {
    const { events } = state.picture;
    const fresh = this.state?.hand === state.hand ? this.state.picture.events.length : 0;
    this.state = state;
    moving(this.root, () => this.root.replaceChildren(...this.parts()));
    Object.assign(this.root.dataset, { version: state.version, hand: state.hand });
    requestAnimationFrame(() => this.root.querySelector(".log ol")?.scrollTo(0, 1e6));
    if (!moved) return;
    this.root.querySelector("[data-role=next], [data-action]")?.focus();
    const news = events.slice(fresh).filter((event) => event.player !== state.seat).map(({ text }) => text);
    announce([...news, ...(state.end?.text ?? [])].map((text) => say(text)).join(" "));
  }

  parts() {
    const { state } = this;
    const { drawing, match, side } = state;
    const rounds = state.hands || match?.rounds;
    const title = t("table.title", { game: say(state.name), hand: number(state.hand + 1) });
    const against = t("table.against", { who: [...new Set(state.opponents)].join(", ") });
    const own = state.players.length === 2 && state.coach && !match;
    return [
      h("h1", {}, title, rounds ? ` / ${number(rounds)}` : ""),
      h("p", { class: "quiet" }, against, state.helped && ` · ${t("table.helped")}`),
      h("p", { class: "note error", role: "alert" }),
      h("div", { class: "table-grid" },
        h("div", { class: "stack" }, match && h("p", { class: "hana-match" }, say(match.text)), element(drawing),
          this.ending(), this.controls()),
        h("div", { class: "stack side" }, side.map((panel) => element(panel)), match && rules(state),
          own && ownPlay(state), this.closing())),
    ];
  }

  controls() {
    const { state } = this;
    const isDrawn = state.picture.deck === "hanafuda"; // its cards are the buttons
    const buttons = (isDrawn ? [] : state.actions).map((action, place) => keyButton({
      class: `act ${actionClass(action)}`, "data-action": action.index,
    }, say(action.text), place < 9 && `${place + 1}`));
    const next = { class: "main", "data-role": "next", onclick: () => this.send("next") };
    const hint = { "data-role": "hint", onclick: () => this.send("hint") };
    return h("div", { class: "row controls", role: "group", "aria-label": t("table.actions") },
      buttons, this.amounts(), state.end && !state.closed && keyButton(next, t("table.next")),
      state.mode !== "off" && state.actions.length > 0 && keyButton(hint, t("table.hint"), "h"));
  }

  // The field for amounts, where a game has too many for buttons.
  amounts() {
    const { amounts } = this.state;
    if (!amounts) return null;
    const range = { type: "number", min: amounts.low, max: amounts.high, value: amounts.low, required: true };
    const field = h("input", { ...range, "aria-label": t("table.amount") });
    const part = ({ part: share, amount }) => h("button", { type: "button", onclick: () => {
      field.value = amount;
      field.focus();
    } }, t("table.part", { part: percent(share, 2) }));
    const submit = (event) => {
      event.preventDefault();
      this.send("act", { amount: Number(field.value) });
    };
    return h("form", { class: "row", onsubmit: submit }, field, amounts.fractions.map(part),
      h("button", { class: "main" }, t(`table.${amounts.verb}`)));
  }

  ending() {
    const { end, coach, id, hand } = this.state;
    return end && h("section", { class: "ending", "data-role": "end" }, end.text.map((text) => h("p", {}, say(text))),
      coach && h("a", { class: "button", href: `/tables/${id}/hands/${hand}` }, t("table.review")));
  }

  closing() {
    const { closed, picture, id, seed } = this.state;
    const leave = () => h("button", { "data-role": "leave", onclick: () => this.send("leave") }, t("table.leave"));
    const colours = picture.deck === "suits" && coloursBox();
    if (!closed) return h("section", { class: "panel row" }, colours, leave());
    return h("section", { class: "panel", "data-role": "closed" }, h("h2", {}, t("table.closed")),
      h("p", {}, t("table.seed", { seed })), h("p", { class: "row" },
        h("a", { class: "button", href: `/api/tables/${id}/file`, download: "" }, t("table.file")),
        h("a", { class: "button", href: "/play" }, t("table.again"))));
  }
}

export async function show(root, address) {
  const [state] = await Promise.all([get(`/api/tables/${address.pathname.split("/")[2]}`), loadHand()]);
  const page = new TablePage(root, state);
  const click = (selector, place = 0) => () => root.querySelectorAll(selector)[place]?.click();
  const digits = Array.from({ length: 9 }, (_, place) =>
    [place + 1, [t("key.action", { n: place + 1 }), click("[data-action]", place)]]);
  const known = () => announce([page.state, ...page.state.actions].map(({ text }) => say(text)).join(", "));
  addKeys({
    ...Object.fromEntries(digits), Enter: [t("table.next"), click("[data-role=next]")],
    h: [t("table.hint"), click("[data-role=hint]")], u: [t("table.known"), known],
  });
}
