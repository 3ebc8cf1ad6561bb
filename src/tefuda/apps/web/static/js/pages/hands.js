// The person's own hands: import, filter, graph, statistics, groups, list.
import { get } from "../api.js";
import { loadCards } from "../cards.js";
import { h, style } from "../dom.js";
import { options } from "../fields.js";
import { addressOf, USUAL } from "../hands/address.js";
import { dearestPanel } from "../hands/dearest.js";
import { graphPanel, groupsPanel, statisticsPanel } from "../hands/figures.js";
import { filterLine, withWord } from "../hands/filter.js";
import { importPanel, readText, skippedFold } from "../hands/import.js";
import { listPanel } from "../hands/list.js";
import { icon } from "../icons.js";
import { setAddress } from "../main.js";
import { queryText, readQuery } from "../query.js";
import { showSheet } from "../visits.js";
import { loadWords, t } from "../words.js";

const GROUPS = ["", "position", "pot", "flop", "players", "stack", "stake", "room", "month", "session", "class"];

class HandsPage {
  constructor(root, location) {
    Object.assign(this, { root, state: readQuery(location, USUAL) });
  }

  get query() {
    return new URLSearchParams(queryText(this.state, USUAL));
  }

  // Change the filter, the groups or the page; the address has them.
  change = async (values) => {
    Object.assign(this.state, { page: USUAL.page, ...values });
    setAddress(addressOf(this.query));
    await this.load();
    if ("where" in values) this.root.querySelector(".filter input")?.focus();
  };

  // Show the hands after an import, and its files that have none.
  imported = ({ errors }) => {
    this.failed = errors;
    return this.load();
  };

  async load() {
    this.hands = await get(`/api/hands?${this.query}`);
    this.draw();
  }

  // Open the import over the page.
  openImport() {
    const close = () => dialog.close();
    const dialog = h("dialog", { class: "bottom-sheet import-sheet", "aria-label": t("hands.import") });
    dialog.append(importPanel(this.imported), h("p", {}, h("button", { onclick: close }, t("close"))));
    showSheet(dialog);
  }

  head() {
    const { state: { where, by, player }, hands: { players, wrong } } = this;
    const select = (name, label, pairs, value) => h("select", { "aria-label": label, "data-role": name,
      onchange: ({ target }) => this.change({ [name]: target.value }) }, options(pairs, value));
    return h("div", { class: "hands-head" }, h("h1", {}, t("hands.title")),
      filterLine(where, wrong, (text) => this.change({ where: text })),
      players.length > 0 && select("player", t("hands.player"), players.map((name) => [name]), player || this.hands.player),
      select("by", t("hands.group"), GROUPS.map((name) => [name, t("hands.by", { name: t(`group.${name || "none"}`) })]), by),
      h("button", { class: "main", "data-role": "import", onclick: () => this.openImport() }, icon("plus"), t("hands.import")));
  }

  draw() {
    const { hands, query, root, state: { where, by } } = this;
    if (!hands.read) {
      root.replaceChildren(h("h1", {}, t("hands.title")), h("section", {}, importPanel(this.imported)));
      return;
    }
    const { read, reasons, total } = hands;
    const add = (word) => this.change({ where: withWord(where, word) });
    root.replaceChildren(...[this.head(),
      this.failed?.length > 0 && h("p", { class: "error", role: "alert", lang: "en" }, this.failed.join(" ")),
      h("div", { class: "hands-read" }, h("p", {}, h("span", { class: "pill good" }, `✓ ${t("hands.done")}`), " ",
        readText(read, reasons)), skippedFold(reasons)),
      h("div", { class: "hands-grid" },
        h("div", { class: "stack" }, graphPanel(hands, (over) => this.change({ over })), groupsPanel(hands, by, add), listPanel(hands, query)),
        h("div", { class: "stack" }, total && statisticsPanel(hands), dearestPanel(hands, query, () => this.load())))].filter(Boolean));
  }
}

export async function show(root, location) {
  const page = new HandsPage(root, location);
  [page.hands] = await Promise.all([get(`/api/hands?${page.query}`), style("hands"), loadCards(), loadWords("price")]);
  page.draw();
  if (location.searchParams.has("import") && page.hands.read) page.openImport();
}
