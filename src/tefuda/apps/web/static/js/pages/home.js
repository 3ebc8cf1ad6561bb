// The home page: three cards, the last runs, the open tables.
import { get } from "../api.js";
import { h } from "../dom.js";
import { number, t } from "../words.js";

const SHOWN = 5;

function list(title, items, all) {
  if (!items.length) return [];
  return [h("h2", {}, title), h("ul", {}, items.map((item) => h("li", {}, item))), h("p", {}, h("a", { href: all }, t("home.all")))];
}

function run(each) {
  const figure = each.figure.value === null || each.figure.value === undefined ? "" : `${each.figure.title} ${number(each.figure.value, 3)}`;
  return [h("a", { href: `/runs/${encodeURIComponent(each.id)}` }, each.title || each.id), " ", h("span", { class: "quiet" },
    [each.game, each.method, t(`status.${each.status}`), figure].filter(Boolean).join(" · "))];
}

function seat(each) {
  return [h("a", { href: `/tables/${encodeURIComponent(each.id)}` }, each.game), " ",
    h("span", { class: "quiet" }, [each.opponents.join(", "), t("home.hands", { hands: each.hands })].join(" · "))];
}

export async function show(root) {
  const cards = ["play", "solve", "learn"].map((name) =>
    h("a", { class: "card", href: `/${name}` }, h("h2", {}, t(`nav.${name}`)), h("p", {}, t(`home.${name}`))));
  const [runs, tables] = await Promise.all([get("/api/runs"), get("/api/tables")]);
  root.append(h("h1", {}, t("home.title")), h("div", { class: "cards" }, cards),
    ...list(t("home.runs"), runs.runs.filter((each) => !each.error).slice(0, SHOWN).map(run), "/runs"),
    ...list(t("home.tables"), tables.tables.filter((each) => !each.damaged && !each.closed).slice(0, SHOWN).map(seat), "/play"));
}
