// Explore the strategy of a tree: the server describes a history as all or one of the players know it.
import { get, isShared } from "../api.js";
import { style } from "../dom.js";
import { addKeys } from "../keys.js";
import { go } from "../main.js";
import { element } from "../nodes.js";
import { language, t } from "../words.js";

const joined = (address, query) => `${address}${address.includes("?") ? "&" : "?"}${query}`;
// Ask for a part of the page; the address has the language unless it is English.
const ask = (address) => get(language === "en" || isShared ? address : joined(address, `lang=${language}`));
let walked = false;

export async function show(root, { pathname, searchParams }) {
  const [, , id, ...path] = pathname.split("/");
  const [here, shown] = [`/api/places/${id}`, searchParams.get("show")];
  const asked = ["seat", "infoset", "public"].filter((name) => searchParams.get(name))
    .map((name) => [name, searchParams.get(name)]);
  const where = `${here}/${path.join("/") || "-"}${asked.length ? `?${new URLSearchParams(asked)}` : ""}`;
  const [head, page] = await Promise.all([ask(here), ask(where), style("place")]);
  const isKept = (address) => shown && address.startsWith("/explore/") && !address.includes("show=");
  const kept = (address) => (isKept(address) ? joined(address, `show=${shown}`) : address);
  if (page.moved) return go(kept(page.moved), true);
  root.append(...[...head, ...page.nodes].filter(Boolean).map((node) => element(node)));
  const panel = page.panels?.[shown];
  if (panel) root.querySelector("#panel").replaceChildren(...(await ask(panel)).map((node) => element(node)));
  for (const tab of root.querySelectorAll(".tabs a")) {
    const { searchParams: query } = new URL(tab.getAttribute("href"), "http://inside");
    if (query.get("show") === (panel ? shown : "values")) tab.setAttribute("aria-current", "true");
  }
  for (const link of root.querySelectorAll("a[href]")) link.setAttribute("href", kept(link.getAttribute("href")));
  for (const row of root.querySelectorAll("[data-infoset]")) {
    if (row.dataset.infoset === page.infoset) row.setAttribute("aria-current", "location");
  }
  if (isShared) root.querySelectorAll("[data-live]").forEach((each) => each.remove());
  const submit = (form) => {
    const fields = new URLSearchParams(new FormData(form));
    if (searchParams.get("seat")) fields.set("seat", searchParams.get("seat"));
    return go(kept(joined(form.getAttribute("action"), fields)));
  };
  root.addEventListener("change", ({ target }) => target.matches("select") && submit(target.form));
  root.addEventListener("submit", (event) => {
    event.preventDefault();
    if (event.target.elements[0].value) submit(event.target);
  });
  const walk = (address) => {
    if (address?.startsWith("#")) return root.querySelector(address).focus();
    walked = Boolean(address);
    return address && go(kept(address));
  };
  addKeys(Object.fromEntries(Object.entries(page.keys ?? {}).map(([key, [name, address]]) =>
    [key, [t(name), () => walk(address)]])));
  if (walked) requestAnimationFrame(() => document.getElementById("here")?.focus());
  walked = false;
  return null;
}
