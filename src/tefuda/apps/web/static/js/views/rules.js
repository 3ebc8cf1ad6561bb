// The rules of a game: a picture and five sentences, open at its first hand.
import { card } from "../cards.js";
import { h } from "../dom.js";
import { t, written } from "../words.js";
import { gameName } from "./hand.js";
import { keptFold } from "./panels.js";

const SENTENCES = [1, 2, 3, 4, 5];
const KUHN = ["ranks", ["J", "Q", "K"]];
const LEDUC = ["ranks", ["J", "J", "Q", "Q", "K", "K"]];
const POKER = ["suits", ["Ks", "Kh", "Qs", "7h", "2d", "5c"]];
const PICTURES = {
  kuhn: KUHN, leduc: LEDUC, nolimit_leduc: LEDUC, liars_dice: ["dice", ["1", "2", "3", "4", "5", "6"]],
  koikoi: ["hanafuda", ["1B", "3B", "8B", "11B", "12B"]], mini8: ["hanafuda", ["3B", "9A", "3R", "9R"]],
  mini12: ["hanafuda", ["3B", "8B", "9A", "3R"]], minikoi: ["hanafuda", ["3B", "9A"]], holdem: POKER, spot: POKER,
  goofspiel: ["numbers", ["1", "2", "3", "4"]],
};

// Cards as a picture of a game; nothing for games without cards.
export function gamePicture(game) {
  const [deck, codes] = PICTURES[game] ?? ["", []];
  return codes.length > 0 && h("span", { class: "game-picture", "aria-hidden": "true" }, codes.map((code) => card(code, deck)));
}

// The five sentences of a game; none for games of your own.
export const ruleTexts = (game) => SENTENCES.map((n) => written(`rules.${game}.${n}`, "")).filter(Boolean);

const known = () => JSON.parse(localStorage.getItem("rules") ?? "[]");

// The panel of the rules: folded once a hand of the game is over.
export function rulesPanel({ game, hand }) {
  const texts = ruleTexts(game);
  if (!texts.length) return null;
  if (hand > 0 && !known().includes(game)) localStorage.setItem("rules", JSON.stringify([...known(), game]));
  return h("section", { class: "panel rules-panel" }, keptFold(`rules ${game} ${hand > 0}`, t("rules.title", { game: gameName(game) }),
    !known().includes(game), gamePicture(game), h("ol", { class: "rules-list" }, texts.map((text) => h("li", {}, text)))));
}
