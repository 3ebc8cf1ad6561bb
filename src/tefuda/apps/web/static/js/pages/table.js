// A table: one hand after the other against agents, with a coach on request.
import { get, post } from "../api.js";
import { coloursBox } from "../cards.js";
import { announce, h, lazyFold, moving } from "../dom.js";
import { textOf } from "../fields.js";
import { addKeys } from "../keys.js";
import { follow } from "../lighting.js";
import { element } from "../nodes.js";
import { ownPlay } from "../own_play.js";
import { settingBox } from "../settings.js";
import { actionText, endTexts, eventText, loadHand } from "../views/hand.js";
import { isKoikoi, koikoiSide, matchText } from "../views/koikoi.js";
import { advicePanel, logPanel, statisticsPanel } from "../views/panels.js";
import { amountsForm, closingPanel, controls, endPanel, tableHead } from "../views/session.js";
import { tableOf } from "../views/table.js";
import { language, say, t } from "../words.js";

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

  show(state, moved = true) {
    const { events } = state.picture;
    const fresh = this.state?.hand === state.hand ? this.state.picture.events.length : 0;
    this.state = state;
    moving(this.root, () => this.root.replaceChildren(...this.parts()));
    Object.assign(this.root.dataset, { version: state.version, hand: state.hand });
    requestAnimationFrame(() => this.root.querySelector(".log ol")?.scrollTo(0, 1e6));
    if (!moved) return;
    this.root.querySelector("[data-role=next], [data-action]")?.focus();
    const news = events.slice(fresh).filter((event) => event.player !== state.seat);
    announce([...news.map((event) => eventText(event, state)), ...(state.end ? endTexts(state) : [])].join(" "));
  }

  parts() {
    const { state } = this;
    const { match, seats, coach, picture } = state;
    return [
      ...tableHead(state), h("p", { class: "note error", role: "alert" }),
      h("div", { class: "table-grid" },
        h("div", { class: "stack" }, match && h("p", { class: "hana-match" }, matchText(match, state.end !== null)),
          tableOf(state), endPanel(state), controls(state),
          amountsForm(state, (amount) => this.send("act", { amount }))),
        h("div", { class: "stack side" }, advicePanel(state.advice, coach, picture),
          isKoikoi(picture) && koikoiSide(picture), logPanel(state, { known: state.text }), statisticsPanel(state),
          match && rules(state), seats.length === 2 && coach && !match && ownPlay(state),
          picture.deck === "suits" && h("section", { class: "panel" }, coloursBox()), closingPanel(state))),
    ];
  }
}

export async function show(root, address) {
  const [state] = await Promise.all([get(`/api/tables/${address.pathname.split("/")[2]}`), loadHand()]);
  const page = new TablePage(root, state);
  const click = (selector, place = 0) => () => root.querySelectorAll(selector)[place]?.click();
  const digits = Array.from({ length: 9 }, (_, place) =>
    [place + 1, [t("key.action", { n: place + 1 }), click("[data-action]", place)]]);
  const known = () => {
    const { text, actions, picture } = page.state;
    announce([say(text), ...actions.map((action) => actionText(action, picture.deck))].join(", "));
  };
  addKeys({
    ...Object.fromEntries(digits), Enter: [t("table.next"), click("[data-role=next]")],
    h: [t("table.hint"), click("[data-role=hint]")], u: [t("log.known"), known],
  });
}
