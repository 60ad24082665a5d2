/** Where is each view in an address, after `#/`? A question has no path, or the two codes of its pair. */
export const PATHS = {
  trip: "trip",
  ranking: "ranking",
  coverage: "data",
} as const
