// The home page: three cards, the last runs, the open tables.
import { get } from "../api.js";
import { h } from "../dom.js";
import { loadWords, say, t, written } from "../words.js";

const SHOWN = 5;

// A list of links with a few words to each.
function list(name, all, items, link) {
  const item = (each) => {
    const [href, title, ...words] = link(each).filter(Boolean);
    return h("li", {}, h("a", { href }, title), h("span", { class: "quiet" }, ` ${words.join(" · ")}`));
  };
  return h("section", { hidden: !items.length }, h("h2", {}, t(`home.${name}`)),
    h("ul", {}, items.slice(0, SHOWN).map(item)), h("p", {}, h("a", { href: all }, t("home.all"))));
}

const run = ({ id, title, game, method, status, figure: { title: name, value } }) => [
  `/runs/${encodeURIComponent(id)}`, title || id, game, method, t(`status.${status}`),
  Number.isFinite(value) && `${name} ${say(value, 3)}`];

const seat = ({ id, game, opponents, hands }) =>
  [`/tables/${encodeURIComponent(id)}`, written(`game.${game}`, game), opponents.join(", "), t("home.hands", { hands })];

export async function show(root) {
  const cards = ["play", "solve", "learn"].map((name) =>
    h("a", { class: "card", href: `/${name}` }, h("h2", {}, t(`nav.${name}`)), h("p", {}, t(`home.${name}`))));
  const [{ runs }, { tables }] = await Promise.all([get("/api/runs"), get("/api/tables"), loadWords("games")]);
  root.append(h("h1", {}, t("home.title")), h("div", { class: "cards" }, cards),
    list("runs", "/runs", runs.filter((each) => !each.error), run),
    list("tables", "/play", tables.filter((each) => !each.damaged && !each.closed), seat));
}
