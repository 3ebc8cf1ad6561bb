// How exploitable the person's own play of a game has been, computed when it is opened.
import { get } from "./api.js";
import { lazyFold } from "./dom.js";
import { element } from "./nodes.js";
import { language, loadWords, t } from "./words.js";

// A section that opens on request, for the game of a table's state.
export function ownPlay(state) {
  const question = new URLSearchParams({ game: state.game, parameters: JSON.stringify(state.parameters) });
  const load = async () => {
    const [own] = await Promise.all([get(`/api/own-play?${question}&lang=${language}`), loadWords("exploit")]);
    return own.nodes.map((node) => element(node));
  };
  return lazyFold(t("own.title"), { class: "panel", "data-role": "own-play" }, load);
}
