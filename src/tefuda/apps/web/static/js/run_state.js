// What is known of a run by its state and id: whether it is being solved, and the addresses of its data.
export const isActive = (run) => ["waiting", "building", "running"].includes(run.status);
export const runAddress = (id, part) => `/api/solve/${encodeURIComponent(id)}/${part}`;

// The address of the states of runs.
export const statesOf = (ids) => `/api/solve/runs?${new URLSearchParams({ ids })}`;

// The address of the curves of runs, over iterations or seconds.
export const curvesOf = (ids, over = "iterations") => `/api/solve/curves?${new URLSearchParams({ ids, over })}`;
