// Choose a game, opponents and a coach; the tables that were left come first.
import { get, post } from "../api.js";
import { h, style } from "../dom.js";
import { go } from "../main.js";
import { loadWords, number, signed, t } from "../words.js";

const SHOWN = 4; // open tables; all others are folded
const MODES = ["off", "after", "request"];
const written = (key, otherwise) => (t(key) === key ? otherwise : t(key));
const option = (value, text, selected) => h("option", { value, selected }, text);

function openTables(tables) {
  const known = tables.filter((table) => !table.damaged && !table.closed);
  const damaged = tables.filter((table) => table.damaged);
  if (!known.length && !damaged.length) return null;
  const links = known.map((table) => h("li", {}, h("a", { href: `/tables/${table.id}` },
    t("play.table", { game: t(`game.${table.game}`), who: table.opponents.join(", "), hands: table.hands, won: signed(table.won) }))));
  const list = (some) => h("ul", { class: "links" }, some);
  const older = links.length > SHOWN ? h("details", {}, h("summary", {}, t("play.older", { n: links.length - SHOWN })), list(links.slice(SHOWN))) : null;
  return h("section", {}, h("h2", {}, t("play.open")), list(links.slice(0, SHOWN)), older,
    damaged.length > 0 && h("p", { class: "error" }, t("play.damaged", { n: damaged.length })));
}

// The games of the page; an address with other parameters adds one.
function choices(games, query) {
  const game = query.get("game");
  if (!game) return [games, games[1].id];
  const given = [...query].filter(([name]) => !["game", "opponent", "coach", "mode", "lang"].includes(name));
  const listed = games.find((entry) => entry.id === game) ?? games.find((entry) => entry.game === game);
  if (listed && !given.length) return [games, listed.id];
  const parameters = Object.fromEntries(given.map(([name, text]) => [name, value(text)]));
  return [[{ id: "custom", game, parameters }, ...games], "custom"];
}

function value(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function gameName(entry) {
  const settings = Object.entries(entry.parameters).map(([name, setting]) => `${name} ${setting}`).join(", ");
  return entry.id === "custom" ? [written(`game.${entry.game}`, entry.game), settings].join(" · ") : t(`play.${entry.id}`);
}

async function fillOpponents(form, entry, wanted) {
  const query = new URLSearchParams({ game: entry.game });
  for (const [name, setting] of Object.entries(entry.parameters)) query.set(name, typeof setting === "string" ? setting : JSON.stringify(setting));
  const known = await get(`/api/play/opponents?${query}`);
  const describe = (agent) => agent.run ? `${agent.name.slice(4)}: ${agent.description}` : `${agent.name}: ${written(`agent.${agent.name}`, agent.description)}`;
  form.opponent.replaceChildren(...known.opponents.map((agent) => option(agent.name, describe(agent), agent.name === wanted.opponent)));
  const runs = known.opponents.filter((agent) => agent.run).map((agent) => agent.name);
  const coaches = ["", ...known.coaches, ...runs];
  form.mode.disabled = coaches.length === 1;
  form.coach.disabled = form.mode.disabled;
  form.coach.replaceChildren(...coaches.map((name) => option(name, name ? name.replace(/^run:/, "") : t("play.coach default"), name === wanted.coach)));
}

export async function show(root, address) {
  const [{ games }, { tables }] = await Promise.all([get("/api/play"), get("/api/tables"), style("table"), loadWords("games")]);
  const [listed, first] = choices(games, address.searchParams);
  const wanted = { opponent: address.searchParams.get("opponent"), coach: address.searchParams.get("coach") ?? "" };
  const mode = address.searchParams.get("mode") ?? "after";
  const note = h("p", { class: "error", role: "alert" });
  const start = h("button", { class: "main" }, t("play.sit"));
  const field = (text, control) => h("label", {}, h("span", {}, text), control);
  const radios = listed.map((entry) => h("label", { class: "choice" },
    h("input", { type: "radio", name: "game", value: entry.id, checked: entry.id === first, onchange: () => refresh() }), gameName(entry)));
  const form = h("form", { class: "sit", onsubmit: (event) => { event.preventDefault(); sit(); } },
    h("fieldset", { class: "choices" }, h("legend", {}, t("play.game")), radios),
    h("div", { class: "row fields" },
      field(t("play.opponent"), h("select", { name: "opponent" })),
      field(t("play.mode"), h("select", { name: "mode" }, MODES.map((name) => option(name, t(`play.mode.${name}`), name === mode)))),
      field(t("play.coach"), h("select", { name: "coach" }))),
    note, start);
  const preset = h("select", { name: "preset", onchange: () => refresh() });
  const rules = field(t("play.preset"), preset);
  form.querySelector(".fields").prepend(rules);
  const chosen = () => {
    const entry = listed.find((each) => each.id === form.elements.game.value);
    const names = entry.presets ?? [];
    rules.hidden = !names.length;
    if (preset.length !== names.length) preset.replaceChildren(...names.map((name) => option(name, written(`preset.${name}`, name))));
    return names.length && preset.value !== names[0] ? { ...entry, parameters: { ...entry.parameters, preset: preset.value } } : entry;
  };
  const controls = { opponent: form.elements.opponent, coach: form.elements.coach, mode: form.elements.mode };
  async function refresh() {
    const entry = chosen();
    note.textContent = "";
    try {
      await fillOpponents(controls, entry, wanted);
    } catch (error) {
      note.textContent = error.message;
    }
  }
  async function sit() {
    const entry = chosen();
    start.disabled = true;
    note.textContent = "";
    start.textContent = t("play.preparing");
    try {
      const { mode: how, coach, opponent } = form.elements;
      const table = await post("/api/tables", {
        game: entry.game, parameters: entry.parameters, opponents: [opponent.value], mode: how.disabled ? "off" : how.value, coach: coach.value,
      });
      await go(`/tables/${table.id}`);
    } catch (error) {
      note.textContent = error.message;
      start.disabled = false;
      start.textContent = t("play.sit");
    }
  }
  root.append(h("h1", {}, t("play.title")), openTables(tables) ?? "", form);
  await refresh();
  form.dataset.ready = number(listed.length);
}
