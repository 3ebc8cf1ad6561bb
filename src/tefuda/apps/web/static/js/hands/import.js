// The import of files of hands: by dropping, by choosing, or as a sample; it says what was read and skipped.
import { get, pause, post } from "../api.js";
import { attempt, fold, h } from "../dom.js";
import { icon } from "../icons.js";
import { number, t } from "../words.js";

const PART = 45_000; // bytes that are sent at once: a request holds 65,536, and they grow by a third
const POLL = 250; // milliseconds between two questions how far the import is
const ENDINGS = /\.(txt|xml|ohh|jsonl?|zip|phhs?|log)$/i; // of the files that are taken from folders

// All files of an entry that was dropped, also of a folder.
async function filesOf(entry) {
  if (entry instanceof File) return [entry];
  if (entry.isFile) return [await new Promise((done, failed) => entry.file(done, failed))];
  const reader = entry.createReader();
  const entries = [];
  for (;;) { // a reader gives a hundred at a time
    const more = await new Promise((done, failed) => reader.readEntries(done, failed));
    if (!more.length) break;
    entries.push(...more);
  }
  const files = (await Promise.all(entries.map(filesOf))).flat();
  return files.filter(({ name }) => ENDINGS.test(name));
}

// Send a file in parts.
async function send(upload, name, file) {
  for (let offset = 0; offset < file.size; offset += PART) {
    const bytes = new Uint8Array(await file.slice(offset, offset + PART).arrayBuffer());
    await post("/api/hands/upload", { upload, name, offset, data: btoa(String.fromCharCode(...bytes)) });
  }
}

const reasonsText = (reasons) => Object.entries(reasons).map(([reason, n]) => t(`skipped.${reason}`, { n })).join(t("hands.and"));

// What was read and skipped: "1,262 hands: 1,240 read, 12 not hold'em".
export const readText = (read, reasons) => t("hands.read", { n: Object.values(reasons).reduce((a, b) => a + b, read),
  read: number(read), skipped: Object.keys(reasons).length ? `${t("hands.and")}${reasonsText(reasons)}` : "" });

// The hands that were not read, as a fold that is filled when it is opened.
export function skippedFold(reasons) {
  const n = Object.values(reasons).reduce((a, b) => a + b, 0);
  const place = h("ul", { class: "list skipped", tabindex: 0, "aria-label": t("hands.skipped", { n }) });
  const open = async ({ target }) => {
    if (!target.open || place.hasChildNodes()) return;
    place.append(...(await get("/api/hands/skipped")).map(({ source, line, reason, detail }) => h("li", {},
      h("b", {}, t(`reason.${reason}`)), " ", t("hands.line", { source, line }), " ", h("small", { class: "quiet", lang: "en" }, detail))));
  };
  return n > 0 && fold(t("hands.skipped", { n }), { ontoggle: open }, place);
}

// The panel of the import; changed() is called when hands were read.
export function importPanel(changed) {
  const error = h("p", { class: "error", role: "alert" });
  const said = h("p", { role: "status" });
  const buttons = () => element.querySelectorAll("button");
  async function read(upload) {
    let state = await post("/api/hands/import", { upload });
    while (state.active) {
      said.textContent = t("hands.reading", { n: number(state.read), speed: number(state.read / (state.seconds || 1), 3) });
      await pause(POLL);
      state = await get("/api/hands/import");
    }
    said.textContent = `${readText(state.read, state.reasons)} ${t("hands.speed", { seconds: number(state.seconds, 2),
      speed: number(state.read / (state.seconds || 1), 3) })}${state.known ? ` ${t("hands.known", { n: state.known })}` : ""}`;
    error.replaceChildren(...[state.error, ...state.errors].map((text) => h("span", { lang: "en" }, text, " ")));
    if (state.read) await changed(state);
  }
  const work = (task) => attempt(error, async () => {
    for (const button of buttons()) button.disabled = true;
    try {
      await task();
    } finally {
      for (const button of buttons()) button.disabled = false;
    }
  });
  const take = (files) => files.length && work(async () => {
    const upload = crypto.randomUUID().replaceAll("-", "");
    const names = new Set();
    for (const [place, file] of [...files].entries()) {
      said.textContent = t("hands.sending", { n: place + 1, all: files.length });
      const name = names.has(file.name) ? `${place}-${file.name}` : file.name;
      names.add(name);
      await send(upload, name, file);
    }
    await read(upload);
  });
  const input = (attributes) => h("input", { type: "file", hidden: true, multiple: true, ...attributes, onchange: ({ target }) =>
    take([...target.files].filter(({ name }) => !attributes.webkitdirectory || ENDINGS.test(name))) });
  const [some, folder] = [input({ "data-role": "files" }), input({ webkitdirectory: true })];
  const element = h("div", { class: "blank drop", ondragover: (event) => event.preventDefault(), ondrop: (event) => {
    event.preventDefault();
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry() ?? item.getAsFile()).filter(Boolean);
    Promise.all(entries.map(filesOf)).then((files) => take(files.flat()));
  } }, icon("hands"), h("h2", {}, t("hands.drop")), h("p", { class: "quiet", lang: "en" }, t("hands.rooms")), some, folder,
  h("div", { class: "row" }, h("button", { class: "main", "data-role": "choose", onclick: () => some.click() }, t("hands.choose")),
    h("button", { onclick: () => folder.click() }, t("hands.choose folder")),
    h("button", { "data-role": "sample", onclick: () => work(() => read("sample")) }, t("hands.sample"))),
  said, error, h("p", { class: "quiet" }, t("hands.private")));
  return element;
}
