// All data of a page come through this module. A shared file has them inside, as texts by address.
const inside = globalThis.tefudaData;

export class RequestError extends Error {
  constructor(status, content) {
    super(content?.error ?? `${status}`);
    this.status = status;
    this.content = content ?? {};
  }
}

let lost = false;

function connection(isLost) {
  if (lost === isLost) return;
  lost = isLost;
  dispatchEvent(new CustomEvent(lost ? "connectionlost" : "connectionback"));
  if (lost) watch();
}

const RETRIED = 2000; // milliseconds between questions to a server that is away

// A promise that is kept after some milliseconds.
export const pause = (time) => new Promise((done) => setTimeout(done, time));

// Ask a server that is away whether it is back.
export const retry = () => get("/api/status").catch(() => {});

async function watch() {
  while (lost) {
    await pause(RETRIED);
    await retry();
  }
}

// The response to a request; the page learns whether the server is there.
async function ask(address, options) {
  let response;
  try {
    response = await fetch(address, { credentials: "same-origin", ...options });
  } catch (error) {
    connection(true);
    throw new RequestError(0, { error: `${error.message}` });
  }
  connection(false);
  if (!response.ok) throw new RequestError(response.status, await response.json().catch(() => null));
  return response;
}

const request = async (address, options) => (await ask(address, options)).json().catch(() => null);

// The JSON value at an address.
export async function get(address) {
  if (inside) {
    if (address in inside) return structuredClone(inside[address]);
    throw new RequestError(404, { error: `this file does not contain ${address}` });
  }
  return request(address);
}

// Whether an address has an answer; a shared file holds some only.
export const holds = (address) => !inside || address in inside;

// True in a shared file, which cannot compute or save anything.
export const isShared = inside !== undefined;

// The answer to an action; the button that was pressed says so while it waits (preparing.js).
export async function post(address, body) {
  const headers = { "Content-Type": "application/json" };
  const begun = new CustomEvent("postbegin", { detail: { end: () => {} } });
  dispatchEvent(begun);
  try {
    return await request(address, { method: "POST", headers, body: JSON.stringify(body) });
  } finally {
    begun.detail.end();
  }
}

// Save the file at an address under a name; errors of the server are thrown, not saved.
export async function save(address, name) {
  const file = URL.createObjectURL(await (await ask(address)).blob());
  const link = document.createElement("a");
  Object.assign(link, { href: file, download: name });
  link.click();
  URL.revokeObjectURL(file);
}

// Receive the events of a stream while the page is visible. Returns a function that ends it.
export function listen(address, onEvent) {
  let source = null;
  let last = 0;
  let over = isShared;
  const open = () => {
    if (over || source || document.hidden) return;
    source = new EventSource(`${address}?after=${last}`);
    source.onmessage = (event) => {
      last = Number(event.lastEventId);
      connection(false);
      onEvent(JSON.parse(event.data));
    };
    source.addEventListener("end", stop);
    source.onerror = () => {
      if (source?.readyState === EventSource.CLOSED) return stop(); // 204: nothing more comes
      get("/api/status").catch(() => {});
    };
  };
  const close = () => {
    source?.close();
    source = null;
  };
  const toggle = () => (document.hidden ? close() : open());
  const stop = () => {
    over = true;
    close();
    document.removeEventListener("visibilitychange", toggle);
    removeEventListener("pagehide", close);
    removeEventListener("pageshow", open);
  };
  document.addEventListener("visibilitychange", toggle);
  addEventListener("pagehide", close);
  addEventListener("pageshow", open);
  open();
  return stop;
}

// Whether a run is being solved, and the addresses of its data.
export const isActive = (run) => ["waiting", "building", "running"].includes(run.status);
export const runAddress = (id, part) => `/api/solve/${encodeURIComponent(id)}/${part}`;

// The address of the states of runs.
export const statesOf = (ids) => `/api/solve/runs?${new URLSearchParams({ ids })}`;

// The address of the curves of runs, over iterations or seconds.
export const curvesOf = (ids, over = "iterations") => `/api/solve/curves?${new URLSearchParams({ ids, over })}`;
