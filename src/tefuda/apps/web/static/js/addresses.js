// The pages by their addresses.
const PAGES = [
  [/^\/$/, "home"], [/^\/help$/, "help"], [/^\/solve$/, "solve"], [/^\/runs$/, "runs"], [/^\/runs\/[^/]+$/, "run"],
  [/^\/explore$/, "strategies"], [/^\/explore\//, "explore"], [/^\/play$/, "play"], [/^\/tables\/[^/]+\/hands\//, "review"], [/^\/tables\//, "table"],
  [/^\/exploit$/, "exploit"], [/^\/learn$/, "learn"], [/^\/learn\/step$/, "step"], [/^\/learn\//, "chapter"],
];

// The name of the page at a path; undefined if there is none.
export function pageOf(path) {
  return PAGES.find(([pattern]) => pattern.test(path))?.[1];
}
