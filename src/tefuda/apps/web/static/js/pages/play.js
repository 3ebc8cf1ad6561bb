// Choose a game by its tile, opponents and a coach; below are the tables that were left.
import { get, post } from "../api.js";
import { loadCards } from "../cards.js";
import { attempt, fold, h, style, working } from "../dom.js";
import { field, options, textOf } from "../fields.js";
import { go } from "../main.js";
import { gameName } from "../views/hand.js";
import { isNew, lessonButton } from "../views/lesson.js";
import { gamePicture, ruleTexts } from "../views/rules.js";
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

// How strong agents play, where it is known: 0 easy, 1 medium, 2 strong.
const STRENGTH = {
  random: 0, uniform: 0, "always-call": 0, "always-pass": 0, "always-raise": 0, caller: 0, greedy: 0, "flat-100": 0,
  trembling: 1, tilted: 1, equity: 1, neural: 1, tables: 1, "flat-400": 1, oos: 1, "best-response": 1, virtual: 1,
};
const strengthOf = ({ name, run }) => (run ? "run" : STRENGTH[name] ?? 2);

// The options of the opponents in groups by strength.
function opponentGroups(agents, game, chosen) {
  const groups = [0, 1, 2, "run"].map((strength) => [strength, agents.filter((agent) => strengthOf(agent) === strength)]);
  return groups.filter(([, some]) => some.length).map(([strength, some]) =>
    h("optgroup", { label: t(`strength.${strength}`) }, options(some.map((agent) => [agent.name, opponentText(game)(agent)]), chosen)));
}

// The last choice, which the form shows again.
const lastChoice = () => JSON.parse(localStorage.getItem("play") ?? "{}");

// A game as a tile: a picture, its name, a sentence.
function tile(game, radio, isChosen) {
  const about = written(`about.${game.id}`, ruleTexts(game.game)[0] ?? "");
  const lesson = game.id === "koikoi3" && isNew() && lessonButton();
  return h("div", { class: "tile-place" }, h("label", { class: "game-tile" }, h("input", { ...radio, value: game.id, checked: isChosen }),
    h("span", { class: "tile" }, gamePicture(game.game) || h("span", { class: "game-picture" }), h("b", {}, choiceName(game)),
      h("small", { class: "quiet" }, about))), lesson);
}

// An opponent by its name and description.
const opponentText = (game) => ({ name, description, run }) => {
  const [own, level] = ["opponent", "level"].map((key) => (game === "koikoi" ? written(`${key}.${name}`, "") : ""));
  const title = own ? `${own}, ${level} (${name})` : name.replace(/^run:/, "");
  return `${title}: ${run ? description : written(`agent.${name}`, description)}`;
};

export async function show(root, address) {
  const last = lastChoice();
  const [{ games, chosen }, { tables }] = await Promise.all(
    [get(`/api/play?${address.searchParams}`), get("/api/tables"), loadWords("games", "hana", "rules"), loadCards(),
      style("table")]);
  const isNew = !address.searchParams.has("game") && games.some(({ id }) => id === last.game);
  const shown = isNew ? last.game : chosen;
  const asked = { ...(last.game === shown ? last : {}), ...Object.fromEntries(address.searchParams) };
  const note = h("p", { class: "note error", role: "alert" });
  const start = h("button", { class: "main" }, t("play.sit"));
  const radio = { type: "radio", name: "game", onchange: () => refresh() };
  const select = (name, attributes, pairs = []) => field(t(`play.${name}`), { name, ...attributes }, pairs);
  const preset = select("preset", { onchange: () => refresh() });
  const modes = ["off", "after", "request"].map((name) => [name, t(`play.mode.${name}`)]);
  const form = h("form", { class: "stack play-form", onsubmit: (event) => { event.preventDefault(); sit(); } },
    h("fieldset", { class: "choices" }, h("legend", {}, t("play.game")), games.map((game) => tile(game, radio, game.id === shown))),
    h("div", { class: "row" }, preset, select("opponent"), select("mode", { value: asked.mode ?? "after" }, modes),
      select("coach")),
    note, h("div", { class: "dock" }, h("span", { class: "quiet" }), h("div", { class: "acts" }, start)));
  const { elements } = form;
  const setOptions = (name, pairs, value) => elements[name].replaceChildren(...options(pairs, value));

  // The chosen game and its parameters; a game's first preset is its default.
  function entry() {
    const known = games.find((each) => each.id === elements.game.value);
    const presets = known.presets.map((name) => [name, written(`preset.${name}`, name)]);
    preset.hidden = !presets.length;
    if (elements.preset.length !== presets.length) setOptions("preset", presets, asked.preset);
    const { value } = elements.preset;
    const own = value && value !== presets[0][0] ? { preset: value } : {};
    return { game: known.game, parameters: { ...known.parameters, ...own } };
  }

  async function refresh() {
    const { game, parameters } = entry();
    const { value: chosenNow } = elements.game;
    const given = chosenNow === shown ? asked : {};
    const texts = Object.entries(parameters).map(([name, value]) => [name, textOf(value)]);
    note.textContent = "";
    try {
      const known = await get(`/api/play/opponents?${new URLSearchParams([["game", game], ...texts])}`);
      if (elements.game.value !== chosenNow) return; // another game was chosen in the meantime
      const runs = known.opponents.filter(({ run }) => run).map(({ name }) => name);
      const coaches = [...known.coaches, ...runs].map((name) => [name, name.replace(/^run:/, "")]);
      const names = known.opponents.map(({ name }) => name);
      const first = names.includes(given.opponent) ? given.opponent : names[0];
      elements.opponent.replaceChildren(...opponentGroups(known.opponents, game, first));
      setOptions("coach", [["", t("play.coach default")], ...coaches], given.coach);
      elements.mode.disabled = elements.coach.disabled = !coaches.length;
    } catch (error) {
      note.textContent = error.message;
    }
  }

  const sit = () => working(start, t("preparing.agents"), () => attempt(note, async () => {
    const { mode, coach, opponent } = elements;
    const setup = { opponents: [opponent.value], mode: mode.disabled ? "off" : mode.value, coach: coach.value };
    const { id } = await post("/api/tables", { ...entry(), ...setup });
    const choice = { game: elements.game.value, opponent: opponent.value, mode: mode.value, coach: coach.value };
    localStorage.setItem("play", JSON.stringify({ ...choice, preset: elements.preset.value }));
    await go(`/tables/${id}`);
  }));
  root.append(h("h1", {}, t("play.title")), form, openTables(tables));
  await refresh();
  form.dataset.ready = number(games.length);
}
