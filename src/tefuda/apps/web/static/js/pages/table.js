// A table: one hand after the other against agents, with a coach on request.
import { get, post } from "../api.js";
import { announce, h, lazyFold, moving } from "../dom.js";
import { addKeys, settingBox } from "../settings.js";
import { follow } from "../lighting.js";
import { actionText, endTexts, eventText, isKoikoi, loadHand } from "../views/hand.js";
import { rulesPanel } from "../views/rules.js";
import { language, say, t } from "../words.js";

// The page of rules of a match, and the switch of the light.
function rules(state) {
  const { game, parameters } = state;
  const texts = Object.entries(parameters).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]);
  const query = new URLSearchParams([["game", game], ["language", language], ...texts]);
  const read = async () => {
    const [{ nodes }, { element }] = await Promise.all([get(`/api/play/guide?${query}`), import("../nodes.js")]);
    return nodes.slice(1).map((node) => element(node));
  };
  return h("div", {}, rulesPanel(state), h("section", { class: "panel" }, lazyFold(t("koikoi.rules"), { class: "hana-rules" }, read),
    settingBox("lit", ["on", "off"], t("koikoi.lit"))));
}

class TablePage {
  constructor(root, state, view, lesson) {
    Object.assign(this, { root, view, lesson, busy: false });
    follow(root, ({ action, send }) => this.send(send ?? "act", send ? {} : { action: Number(action) }));
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

  show(sent, moved = true) {
    const state = this.view.read?.(sent) ?? sent;
    const { events } = state.picture;
    const [before, known] = [this.state, this.state?.hand === state.hand ? this.state.picture.events.length : 0];
    this.state = state;
    Object.assign(this.root.dataset, { version: state.version, hand: state.hand });
    if (moved && before && isKoikoi(state.picture)) this.playTurn(before);
    else this.draw();
    if (!moved) return;
    const news = events.slice(known).filter((event) => event.player !== state.seat);
    announce([...news.map((event) => eventText(event, state)), ...(state.end ? endTexts(state) : [])].join(" "));
  }

  // Show the opponent's turn stage by stage, then the state.
  async playTurn(before) {
    const isLast = await this.view.playTurn(before, this.state, (each) => {
      this.draw(each);
      this.root.dataset.stage = each.stage.index;
    });
    if (!isLast) return;
    delete this.root.dataset.stage;
    this.draw();
    this.root.querySelector("[data-role=next], .hana-hand [data-action], .hana-field [data-action]")?.focus();
  }

  draw(moment = {}) {
    moving(this.root, () => this.root.replaceChildren(...this.parts(moment).filter(Boolean)));
    requestAnimationFrame(() => this.root.querySelector(".log ol")?.scrollTo(0, 1e6));
    if (!isKoikoi(this.state.picture)) this.root.querySelector("[data-role=next], [data-action]")?.focus({ preventScroll: true });
  }

  parts(moment) {
    const { state } = this;
    const note = h("p", { class: "note error", role: "alert" });
    const act = ({ action, send }) => this.send(send ?? "act", send ? {} : { action: Number(action) });
    if (!isKoikoi(state.picture)) return this.view.parts(state, { act, note, bet: (amount) => this.send("act", { amount }) });
    return this.view.koikoiParts(state, { rules: () => rules(state), act, note, lesson: this.lesson, ...moment });
  }
}

export async function show(root, address) {
  const state = await get(`/api/tables/${address.pathname.split("/")[2]}`);
  const own = isKoikoi(state.picture) ? import("../views/koikoi_page.js") : import("../views/table_page.js");
  const [view] = await Promise.all([own, loadHand(state.picture.deck)]);
  const page = new TablePage(root, state, view, address.searchParams.has("lesson"));
  const click = (selector) => () => root.querySelector(selector)?.click();
  const digit = (n) => () => (isKoikoi(page.state.picture) ? root.querySelectorAll("[data-action]")[n - 1]
    : root.querySelector(`[data-key="${n}"]`))?.click();
  const digits = Array.from({ length: 10 }, (_, n) => [n, [t("key.action", { n }), digit(n)]]);
  const known = () => {
    const { text, actions, picture } = page.state;
    announce([say(text), ...actions.map((action) => actionText(action, picture.deck))].join(", "));
  };
  addKeys({
    ...Object.fromEntries(digits), Enter: [t("table.next"), click("[data-role=next]")],
    h: [t("table.hint"), click("[data-role=hint]")], u: [t("log.known"), known],
  });
}
