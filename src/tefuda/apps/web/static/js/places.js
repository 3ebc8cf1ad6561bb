// Addresses of the histories of a strategy: /explore/ID/J%20Q~b?seat=0&show=table.
export const ROOT = "-";

function query(values) {
  const known = Object.entries(values).filter(([, value]) => (value ?? "") !== "");
  return known.length ? `?${new URLSearchParams(known)}` : "";
}

// A history as all or one of the players know it, and the panel that is shown.
export class Place {
  constructor({ pathname, searchParams }) {
    const [, , id, ...path] = pathname.split("/");
    this.id = id;
    this.path = decodeURIComponent(path.join("/")) || ROOT;
    [this.seat, this.show] = ["seat", "show"].map((name) => searchParams.get(name));
  }

  get labels() {
    return this.path === ROOT ? [] : this.path.split("~");
  }

  // The path of the first moves, and the path after one more.
  upTo(count) {
    return this.labels.slice(0, count).join("~") || ROOT;
  }

  after(label) {
    return [...this.labels, label].join("~");
  }

  // The address of the page at this or another history.
  address(path = this.path, changes = {}) {
    const { seat, show } = this;
    return `/explore/${this.id}/${encodeURIComponent(path)}${query({ seat, ...changes, show: changes.show ?? show })}`;
  }

  // The address of data of the strategy.
  data(part = "", values = {}) {
    return `/api/explore/${this.id}${part}${query(values)}`;
  }

  get position() {
    return this.data(`/at/${encodeURIComponent(this.path)}`, { seat: this.seat });
  }
}
