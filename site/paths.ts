/** Where is each view in an address, after `#/`? The map has no path, and a pair has its two codes. */
export const PATHS = {
  trip: "trip",
  where: "where",
  ranking: "ranking",
  counter: "schengen",
  coverage: "data",
} as const
