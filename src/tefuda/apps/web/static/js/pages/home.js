// Home: a hand to play, a curve, a solved grid, one main button; below, open tables and last runs.
import { get, post, statesOf } from "../api.js";
import { loadCards } from "../cards.js";
import { attempt, h, style, working } from "../dom.js";
import { curvePanel, gridPanel } from "../home/aside.js";
import { Felt, goToTable } from "../home/felt.js";
import { icon } from "../icons.js";
import { loadWords, number, t, written } from "../words.js";

const MATCH = { game: "koikoi", parameters: { rounds: 3 }, opponents: ["greedy"], mode: "after" };
const SHOWN = 3; // tables and runs
const STEPS = { rules: "/learn/step", spot: "/solve", exploit: "/exploit" };

// The main button, and two more games.
function acts() {
  const note = h("p", { class: "error", role: "alert" });
  const begin = () => attempt(note, async () => goToTable(await post("/api/tables", MATCH)));
  const play = h("button", { type: "button", class: "main", "data-role": "play", onclick: ({ currentTarget }) =>
    working(currentTarget, t("preparing.agents"), begin) }, icon("play"), h("span", {}, t("home.play now")));
  const other = (game) => h("a", { class: "button", href: `/play?game=${game}` }, t(`game.${game}`));
  return h("div", { class: "home-acts" }, play, other("kuhn"), other("holdem"), h("a", { class: "knob", href: "/play" },
    t("home.all games")), h("a", { class: "knob", href: "/hands?import=1" }, t("home.import")), note);
}

const steps = () => h("ul", { class: "list home-steps" }, Object.entries(STEPS).map(([name, href]) =>
  h("li", {}, h("a", { class: "card", href }, h("b", {}, t(`home.step.${name}`)), h("span", {}, t(`home.step.${name}.about`))))));

const gameOf = (game) => written(`game.${game}`, game);
const link = (href, text, of) => h("a", { class: "button", href, "aria-label": `${text}: ${of}` }, text);

function panel(name, all, items) {
  const head = h("div", { class: "home-head" }, h("h2", {}, t(`home.${name}`)), h("a", { class: "knob", href: all },
    t(`home.all ${name}`)));
  return h("section", { class: "panel home-list" }, head, items.length
    ? h("ul", { class: "list" }, items.slice(0, SHOWN)) : h("p", { class: "quiet" }, t(`home.no ${name}`)));
}

const line = (title, about, links) => h("li", {}, h("span", {}, h("b", {}, title), h("small", { class: "quiet" }, about)),
  h("span", { class: "row" }, links));

function tableLine({ id, game, opponents, hands }) {
  const who = opponents.map((name) => (game === "koikoi" ? written(`opponent.${name}`, name) : name)).join(", ");
  return line(gameOf(game), [who, t("home.hands", { hands })].join(" · "),
    link(`/tables/${encodeURIComponent(id)}`, t("home.continue"), `${gameOf(game)}, ${who}`));
}

// Play against a run at a new table, with the run as coach.
async function play({ id }) {
  const [{ game, game_parameters: parameters, form }] = await get(statesOf([id]));
  const name = `run:${id}`;
  const coached = ["tree", "partition", "hands"].includes(form) ? { coach: name, mode: "after" } : {};
  await goToTable(await post("/api/tables", { game, parameters, opponents: [name], ...coached }));
}

function runLine(run) {
  const { id, name, game, method, status, figure, explored, played } = run;
  const begin = ({ currentTarget }) => working(currentTarget, t("home.preparing"), () => play(run));
  return line(name, [gameOf(game), method, t(`status.${status}`),
    figure.value !== null && `${t(figure.title)} ${number(figure.value, 3)}`].filter(Boolean).join(" · "),
  [explored ? link(`/explore/${encodeURIComponent(id)}/-`, t("nav.explore"), name)
    : link(`/runs/${encodeURIComponent(id)}`, t("home.open run"), name),
  played && h("button", { type: "button", "aria-label": `${t("nav.play")}: ${name}`, onclick: begin }, t("nav.play"))]);
}

const lists = (tables, runs) => h("div", { class: "home-lists" },
  panel("tables", "/play", tables.map(tableLine)), panel("runs", "/runs", runs.map(runLine)));

export async function show(root) {
  const [bundled, { runs }, { tables }] = await Promise.all([get("/static/home.json"), get("/api/runs"), get("/api/tables"),
    loadCards(), loadWords("games", "hana"), ...["hana", "home"].map(style)]);
  const [intact, open] = [runs.filter(({ error }) => !error), tables.filter(({ damaged, closed }) => !damaged && !closed)];
  if (intact.length) {
    const [{ nameRuns }] = await Promise.all([import("../views/run_name.js"), loadWords("live", "runs", "solve")]);
    await nameRuns(intact);
  }
  const begun = open.find(({ game }) => game === "koikoi");
  const [table, curve, grid] = await Promise.all([
    begun && get(`/api/tables/${begun.id}`).catch(() => null), curvePanel(intact, bundled.curve), gridPanel(intact, bundled.grid)]);
  root.append(
    h("div", { class: "home-title" }, h("h1", {}, t("home.title")), h("p", { class: "quiet" }, t("home.own computer"))),
    h("div", { class: "home-main" }, h("div", { class: "home-left" }, new Felt(table ?? bundled.deal).element, acts(), steps()),
      h("div", { class: "home-right" }, curve.element, grid)),
    lists(open, intact));
  return curve.close;
}
