// A strip while the server compiles what the pages use: "preparing, once: 3 of 7".
import { get } from "./api.js";
import { h } from "./dom.js";
import { t } from "./words.js";

const EVERY = 1000; // milliseconds between questions

// Show the strip until the server is prepared.
export async function showPreparation() {
  const place = document.getElementById("preparation");
  const { preparation = null } = await get("/api/status").catch(() => ({ preparation: { waits: true } }));
  place.hidden = !preparation?.total || preparation.done >= preparation.total;
  if (place.hidden && !preparation?.waits) return;
  if (!preparation.waits) {
    place.replaceChildren(h("span", {}, t("preparing", preparation)),
      h("progress", { max: preparation.total, value: preparation.done, "aria-label": t("preparing.label") }));
  }
  setTimeout(showPreparation, EVERY);
}
