/** The rows of a file for sources, and for where a rule was read. */

/** A source: id, name, address, and its kind: 1 a table that was imported whole, 2 a publication that reports what official pages say, 0 every other. */
export type SourceRow = readonly [id: string, name: string, url: string | null, kind: 0 | 1 | 2]

/** Where a rule was read: source index, the page where it is another than the source's own, verified on. */
export type ProvenanceRow = readonly [source: number | null, sourceUrl: string | null, verifiedOn: string | null]
