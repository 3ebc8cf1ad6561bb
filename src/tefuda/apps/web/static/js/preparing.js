// A strip while the server compiles what the pages use: "preparing, once: 3 of 7".
import { get } from "./api.js";
import { h } from "./dom.js";
import { t } from "./words.js";

const EVERY = 1000; // milliseconds between questions

// Show the strip in a place until the server is prepared.
export async function showPreparation(place) {
  const status = await get("/api/status").catch(() => null);
  const preparation = status?.preparation;
  const over = status && (!preparation || preparation.done >= preparation.total);
  place.hidden = !preparation || over;
  if (over) return;
  if (preparation) {
    place.replaceChildren(h("span", {}, t("preparing", preparation)),
      h("progress", { max: preparation.total, value: preparation.done, "aria-label": t("preparing.label") }));
  }
  setTimeout(() => showPreparation(place), EVERY);
}
