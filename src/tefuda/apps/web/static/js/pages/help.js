// Help: keys, words, about.
import { get } from "../api.js";
import { h, style, table } from "../dom.js";
import { enabled } from "../keys.js";
import { element } from "../nodes.js";
import { t } from "../words.js";

const KEYS = [["1 … 9", "action"], ["Enter", "next"], ["h", "hint"], ["u", "known"], ["j  k", "mistakes"], ["← → ↑ ↓", "walk"], ["g", "go"], ["s", "seat"], ["?", "help"], ["Esc", "close"]];

export async function show(root) {
  await style("learn");
  const [status, glossary] = await Promise.all([get("/api/status"), get("/api/learn/glossary")]);
  const off = h("input", { type: "checkbox", checked: enabled(), onchange: () => localStorage.setItem("keys", off.checked ? "on" : "off") });
  root.append(h("h1", {}, t("nav.help")), h("h2", {}, t("help.keys")),
    table([t("help.key"), t("help.does")], KEYS.map(([key, name]) => [h("kbd", {}, key), t(`help.key.${name}`)])),
    h("label", { class: "check" }, off, t("help.switch")),
    h("h2", {}, t("help.words")), h("div", { class: "glossary", lang: "en" }, glossary.slice(1).map((node) => element(node))),
    h("h2", {}, t("help.about")), h("p", {}, t("help.version", { version: status.version })), h("p", {}, t("help.private")));
}
