/** The rows of a file for sources. */

/** A source: id, name, address, and its kind: 1 a table that was imported whole, 2 a publication that reports what official pages say, 0 every other. */
export type SourceRow = readonly [id: string, name: string, url: string | null, kind: 0 | 1 | 2]
