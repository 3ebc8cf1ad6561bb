// Names of runs that say what is inside: the title, or the game with its cards and parameters.
import { loadWords, number, t, written } from "../words.js";

const FILE = /^(.*?)([^/\\]+\.py):(\w+)$/; // a game of a user's own file

const isShort = (value) => ["number", "string"].includes(typeof value) && `${value}`.length < 20;

// A parameter in words, such as "3 players".
function parameterText(name, value) {
  const shown = typeof value === "number" ? number(value) : value;
  return written(`count.${name}`, `${written(`parameter.${name}`, name.replaceAll("_", " "))} ${shown}`, { n: value });
}

const parametersText = (all, names) => names.filter((name) => isShort(all[name]))
  .map((name) => parameterText(name, all[name])).join(t("runs.between"));

// The name of a game: of one of a user's own file, its class and the file.
export function gameOf(game) {
  const [, , file, own] = FILE.exec(game) ?? [];
  return own ? `${own} (${file})` : written(`game.${game}`, game);
}

// The title of a game with parameters: "Kuhn poker, 3 players".
export const titleOf = (game, parameters, names = Object.keys(parameters)) =>
  [gameOf(game), parametersText(parameters, names)].filter(Boolean).join(t("runs.between"));

const boardText = ({ board, street }) => t("runs.board", { board: board.join(" "), street: t(`runs.${street}`) });

function plainName({ title, spot, game, game_parameters: parameters, changed }) {
  if (title) return title;
  if (spot) return t("runs.spot", { board: boardText(spot), first: "OOP", second: "IP" });
  return titleOf(game, parameters, changed);
}

// The second line of a run: pot and sizes of a spot, all parameters of another game.
export function aboutText({ spot, game, game_parameters: parameters }) {
  if (!spot) return [FILE.test(game) && t("runs.own"), parametersText(parameters, Object.keys(parameters))]
    .filter(Boolean).join(" · ");
  const sizes = spot.sizes.split(/[\s,]+/).filter(Boolean)
    .map((size) => (/^a$/i.test(size) ? t("runs.all-in") : size.replace("%", "")));
  const pot = t("runs.pot", { pot: number(spot.pot), stack: number(spot.stack) });
  return [pot, sizes.length && t("runs.sizes", { sizes: sizes.join(t("runs.between")) })].filter(Boolean).join(" · ");
}

// Give each run a name of its own: a number follows where another run has the same.
export async function nameRuns(runs) {
  await loadWords("games", "runs", "solve");
  const used = new Map();
  const order = runs.toSorted((one, other) => one.id.localeCompare(other.id, "en", { numeric: true }));
  const taken = new Set(runs.map(plainName));
  for (const run of order) {
    const name = run.error ? run.id : plainName(run);
    let count = (used.get(name) ?? 0) + 1;
    while (count > 1 && taken.has(`${name} ${count}`)) count += 1;
    used.set(name, count);
    run.name = count > 1 ? `${name} ${count}` : name;
  }
  return runs;
}
