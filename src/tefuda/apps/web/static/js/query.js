// The state of a page in the query of its address: values that equal their defaults are left out.

// The state in an address, as texts by name.
export const readQuery = (location, defaults) => Object.fromEntries(
  Object.entries(defaults).map(([name, usual]) => [name, location.searchParams.get(name) || usual]));

// The query of a state, with its question mark; "" if all values are defaults.
export function queryText(state, defaults, names = Object.keys(defaults)) {
  const changed = names.filter((name) => state[name] !== defaults[name]).map((name) => [name, state[name]]);
  return changed.length ? `?${new URLSearchParams(changed)}`.replaceAll("%2C", ",") : "";
}
