// Choose a game, opponents and a coach; the tables that were left come first.
import { get, post } from "../api.js";
import { attempt, fold, h, style, working } from "../dom.js";
import { field, options, textOf } from "../fields.js";
import { go } from "../main.js";
import { gameName } from "../views/hand.js";
import { loadWords, number, signed, t, written } from "../words.js";

const SHOWN = 4; // open tables; all others are folded

function openTables(tables) {
  const damaged = tables.filter((table) => table.damaged).length;
  const links = tables.filter((table) => !table.damaged && !table.closed).map(({ id, game, opponents, hands, won }) => {
    const values = { game: gameName(game), who: opponents.join(", "), hands, won: signed(won) };
    return h("li", {}, h("a", { href: `/tables/${id}` }, t("play.table", values)));
  });
  const list = (some) => h("ul", { class: "links list" }, some);
  const older = () => fold(t("play.older", { n: links.length - SHOWN }), {}, list(links.slice(SHOWN)));
  return h("section", { hidden: !links.length && !damaged }, h("h2", {}, t("play.open")), list(links.slice(0, SHOWN)),
    links.length > SHOWN && older(), damaged > 0 && h("p", { class: "error" }, t("play.damaged", { n: damaged })));
}

// The name of a game of the list; parameters that no entry has are named.
function choiceName({ id, game, parameters }) {
  if (id !== "custom") return written(`choice.${id}`, gameName(game));
  return `${gameName(game)} · ${Object.entries(parameters).map(([name, value]) => `${name} ${value}`).join(", ")}`;
}

// An opponent by its name and description.
const opponentText = ({ name, description, run }) =>
  `${name.replace(/^run:/, "")}: ${run ? description : written(`agent.${name}`, description)}`;

export async function show(root, address) {
  const asked = Object.fromEntries(address.searchParams);
  const [{ games, chosen }, { tables }] = await Promise.all(
    [get(`/api/play?${address.searchParams}`), get("/api/tables"), loadWords("games"), style("table")]);
  const note = h("p", { class: "note error", role: "alert" });
  const start = h("button", { class: "main" }, t("play.sit"));
  const radio = { type: "radio", name: "game", class: "choice", onchange: () => refresh() };
  const select = (name, attributes, pairs = []) => field(t(`play.${name}`), { name, ...attributes }, pairs);
  const preset = select("preset", { onchange: () => refresh() });
  const modes = ["off", "after", "request"].map((name) => [name, t(`play.mode.${name}`)]);
  const form = h("form", { class: "stack", onsubmit: (event) => { event.preventDefault(); sit(); } },
    h("fieldset", { class: "choices" }, h("legend", {}, t("play.game")), games.map((game) =>
      field(choiceName(game), { ...radio, value: game.id, checked: game.id === chosen }))),
    h("div", { class: "row" }, preset, select("opponent"), select("mode", { value: asked.mode ?? "after" }, modes),
      select("coach")),
    note, h("p", {}, start));
  const { elements } = form;
  const setOptions = (name, pairs, value) => elements[name].replaceChildren(...options(pairs, value));

  // The chosen game and its parameters; a game's first preset is its default.
  function entry() {
    const known = games.find((each) => each.id === elements.game.value);
    const presets = known.presets.map((name) => [name, written(`preset.${name}`, name)]);
    preset.hidden = !presets.length;
    if (elements.preset.length !== presets.length) setOptions("preset", presets);
    const { value } = elements.preset;
    const own = value && value !== presets[0][0] ? { preset: value } : {};
    return { game: known.game, parameters: { ...known.parameters, ...own } };
  }

  async function refresh() {
    const { game, parameters } = entry();
    const texts = Object.entries(parameters).map(([name, value]) => [name, textOf(value)]);
    note.textContent = "";
    try {
      const known = await get(`/api/play/opponents?${new URLSearchParams([["game", game], ...texts])}`);
      const runs = known.opponents.filter(({ run }) => run).map(({ name }) => name);
      const coaches = [...known.coaches, ...runs].map((name) => [name, name.replace(/^run:/, "")]);
      setOptions("opponent", known.opponents.map((agent) => [agent.name, opponentText(agent)]), asked.opponent);
      setOptions("coach", [["", t("play.coach default")], ...coaches], asked.coach);
      elements.mode.disabled = elements.coach.disabled = !coaches.length;
    } catch (error) {
      note.textContent = error.message;
    }
  }

  const sit = () => working(start, t("preparing.agents"), () => attempt(note, async () => {
    const { mode, coach, opponent } = elements;
    const setup = { opponents: [opponent.value], mode: mode.disabled ? "off" : mode.value, coach: coach.value };
    const { id } = await post("/api/tables", { ...entry(), ...setup });
    await go(`/tables/${id}`);
  }));
  root.append(h("h1", {}, t("play.title")), openTables(tables), form);
  await refresh();
  form.dataset.ready = number(games.length);
}
