// How exploitable the person's own play of a game has been, computed when it is opened.
import { get } from "./api.js";
import { h } from "./dom.js";
import { changes } from "./views/changes.js";
import { loadWords, number, t } from "./words.js";

// The content of a section, for the game of a table's state.
export async function ownPlay(state) {
  const question = new URLSearchParams({ game: state.game, parameters: JSON.stringify(state.parameters) });
  const [own] = await Promise.all([get(`/api/own-play?${question}`), loadWords("exploit")]);
  const { hands, fewest_hands: fewest, worst } = own;
  if (!worst) return [h("p", {}, t("own.few", { hands, fewest }))];
  const figures = ["estimate", "low", "high"].map((name) => [name, number(own[name], 3)]);
  return [h("p", {}, t("own.estimate", { ...Object.fromEntries(figures), hands })), h("h3", {}, t("own.worst")),
    changes(worst), h("p", {}, h("a", { class: "button", href: `/exploit?${question}&opponent=me` }, t("own.lab")))];
}
