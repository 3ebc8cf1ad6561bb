// The keys, the glossary, and the version.
import { get } from "../api.js";
import { h, style, table } from "../dom.js";
import { element } from "../nodes.js";
import { settingBox } from "../settings.js";
import { t } from "../words.js";

const KEYS = {
  action: "1 … 9", next: "Enter", hint: "h", known: "u", mistakes: "j  k", walk: "← → ↑ ↓", go: "g", seat: "s",
  help: "?", close: "Esc",
};

export async function show(root) {
  const [{ version }, [, ...glossary]] = await Promise.all(
    [get("/api/status"), get("/api/learn/glossary"), style("learn"), style("place")]);
  const keys = Object.entries(KEYS).map(([name, key]) => [h("kbd", {}, key), t(`help.key.${name}`)]);
  root.append(h("h1", {}, t("nav.help")), h("h2", {}, t("help.keys")),
    table([t("help.key"), t("help.does")], keys, { "aria-label": t("help.keys") }),
    settingBox("keys", ["on", "off"], t("help.switch")),
    h("h2", {}, t("help.words")),
    h("div", { class: "glossary", lang: "en" }, glossary.map((node) => element(node))),
    h("h2", {}, t("help.about")), h("p", {}, t("help.version", { version })), h("p", {}, t("help.private")));
}
