// Sheets of the head: the menu of a phone, and the field that leads to pages, runs, tables and chapters.
import { get } from "./api.js";
import { h, style } from "./dom.js";
import { languageButton, themeButton } from "./head.js";
import { icon } from "./icons.js";
import { go } from "./main.js";
import { nameRuns } from "./views/run_name.js";
import { closeSheet, showSheet } from "./visits.js";
import { language, loadWords, say, t } from "./words.js";

const MOST = 10; // results of a search
const STEPS = { ArrowDown: 1, ArrowUp: -1 };

const part = encodeURIComponent;

// Follow a link of a sheet: its entry of the history becomes that of the page.
const follow = (address) => go(address, closeSheet());

async function load() {
  const [{ runs }, { tables }, chapters] = await Promise.all(
    [get("/api/runs"), get("/api/tables"), get("/api/learn")].map((each) => each.catch(() => ({}))));
  const open = (tables ?? []).filter((each) => !each.closed && !each.damaged);
  return { runs: await nameRuns((runs ?? []).filter((each) => !each.error)), tables: open, chapters: chapters.length ? chapters : [] };
}

function targets(names, { runs, tables, chapters }) {
  const page = (name) => ({ href: `/${name}`, text: t(`nav.${name}`), kind: "page" });
  return [
    ...[...names, "help"].map(page), { href: "/hands?import=1", text: t("menu.import"), kind: "page" },
    ...tables.map(({ id, name, opponents }) =>
      ({ href: `/tables/${part(id)}`, text: `${say(name)}, ${opponents.join(", ")}`, kind: "table" })),
    ...runs.map(({ id, name }) => ({ href: `/runs/${part(id)}`, text: name, kind: "run" })),
    ...chapters.map(({ name, title, japanese }) =>
      ({ href: `/learn/${name}`, text: (language === "ja" && japanese) || title, kind: "chapter" })),
  ];
}

// The targets that contain each word of a text; those that begin with it come first.
function matching(all, text) {
  const typed = text.toLocaleLowerCase(language).trim();
  const words = typed.split(/\s+/);
  const name = ({ text: target }) => target.toLocaleLowerCase(language);
  const fits = all.filter((each) => words.every((word) => name(each).includes(word)));
  const begins = (each) => (name(each).startsWith(typed) ? 0 : 1);
  return fits.sort((one, other) => begins(one) - begins(other)).slice(0, MOST);
}

// A field with the list of what it finds; `always` shows the list of an empty field too.
function finder(names, always) {
  let all = targets(names, { runs: [], tables: [], chapters: [] });
  let chosen = 0;
  const list = h("ul", { class: "list found", id: "found", role: "listbox", "aria-label": t("go.title") });
  const field = h("input", { type: "search", role: "combobox", "aria-expanded": "true", "aria-controls": "found",
    "aria-autocomplete": "list", "aria-label": t("go.title"), placeholder: t("go.placeholder"), autocomplete: "off" });
  const choose = (index) => {
    const items = [...list.querySelectorAll("[role=option]")];
    chosen = items.length ? (index + items.length) % items.length : 0;
    items.forEach((item, number) => item.setAttribute("aria-selected", `${number === chosen}`));
    items[chosen] ? field.setAttribute("aria-activedescendant", items[chosen].id)
      : field.removeAttribute("aria-activedescendant");
    items[chosen]?.scrollIntoView({ block: "nearest" });
  };
  const update = () => {
    const found = always || field.value.trim() ? matching(all, field.value) : [];
    const none = field.value.trim() && !found.length;
    list.hidden = !found.length && !none;
    field.setAttribute("aria-expanded", `${!list.hidden}`);
    list.replaceChildren(...found.map(({ href, text, kind }, index) =>
      h("li", { id: `found-${index}`, role: "option", "data-href": href, onclick: () => follow(href) },
        h("span", {}, text), h("span", { class: "quiet" }, t(`go.${kind}`)))));
    if (none) list.append(h("li", { class: "quiet", role: "presentation" }, t("go.none")));
    choose(0);
  };
  field.addEventListener("input", update);
  field.addEventListener("keydown", (event) => {
    if (event.key in STEPS) choose(chosen + STEPS[event.key]);
    else if (event.key === "Enter") list.querySelectorAll("[role=option]")[chosen]?.click();
    else return;
    event.preventDefault();
  });
  update();
  load().then((loaded) => {
    all = targets(names, loaded);
    update();
  });
  return { field, list };
}

const closeButton = (dialog) =>
  h("button", { class: "plain", "aria-label": t("close"), onclick: () => dialog.close() }, icon("close"));

// Open the field that leads to pages, runs, tables and chapters.
export async function openGoTo(names) {
  await Promise.all([style("menu"), loadWords("menu")]);
  const { field, list } = finder(names, true);
  const dialog = h("dialog", { class: "goto", "aria-label": t("go.title") });
  dialog.append(h("div", { class: "field" }, icon("search"), field, closeButton(dialog)), list);
  showSheet(dialog);
  field.focus();
}

// The facts below the links of the menu.
function facts({ runs, tables, chapters }) {
  const running = runs.filter(({ status }) => ["running", "building", "waiting"].includes(status)).length;
  return {
    play: t("menu.tables", { n: tables.length }),
    runs: t("menu.runs", { n: runs.length }) + (running ? t("menu.running", { n: running }) : ""),
    learn: chapters.length && t("menu.chapters", { n: chapters.length }),
  };
}

// Open the menu of a phone.
export async function openMenu(names) {
  await Promise.all([style("menu"), loadWords("menu")]);
  const { field, list } = finder(names, false);
  const about = Object.fromEntries(names.map((name) => [name, h("small", {}, t(`menu.${name}`))]));
  const link = (name) => h("a", { href: `/${name}`, onclick: (event) => {
    event.preventDefault();
    follow(`/${name}`);
  } }, icon(name), h("span", {}, t(`nav.${name}`), about[name]));
  const dialog = h("dialog", { class: "menu-sheet", "aria-label": t("menu") });
  dialog.append(h("div", { class: "field" }, icon("search"), field, closeButton(dialog)), list,
    h("nav", { "aria-label": t("nav.label") }, names.map(link)),
    h("div", { class: "row end" }, languageButton(), themeButton((text) => text),
      h("button", { onclick: () => follow("/help") }, t("nav.help"))));
  load().then((loaded) => {
    for (const [name, text] of Object.entries(facts(loaded))) if (text) about[name].textContent = text;
  });
  showSheet(dialog);
}
