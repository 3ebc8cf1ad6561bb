// Pages that the server describes as nodes alone.
import { get } from "../api.js";
import { style } from "../dom.js";
import { go } from "../main.js";
import { element } from "../nodes.js";

export async function show(root, { pathname }) {
  const [nodes] = await Promise.all([get(`/api/pages${pathname}`), style("learn"), style("place")]);
  root.append(...nodes.map((node) => element(node)));
  root.addEventListener("submit", (event) => {
    event.preventDefault();
    const [{ value }] = event.target.elements;
    go(`${event.target.getAttribute("action")}${encodeURIComponent(value)}/-`);
  });
}
