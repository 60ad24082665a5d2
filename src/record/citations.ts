/**
 * Which publications does a record rest on, and which of its fields on each?
 *
 * A fact from general knowledge has no source and is not listed; its field stands without one, and says so by that.
 */
import type { Origin } from "./full-facts.ts"
import type { RecordSource } from "./record-fields.ts"

/** Collects sources while a record is assembled. */
export interface Citations {
  readonly cite: (field: string, origin: Origin) => void
  readonly list: () => readonly RecordSource[]
}

/** Begins an empty list of sources. */
export function openCitations(): Citations {
  const bySource = new Map<string, { readonly source: Omit<RecordSource, "fields">; readonly fields: Set<string> }>()
  return {
    cite: (field, { source, url, asOf, verifiedOn }) => {
      if (source === null) return
      const key = `${source.id} ${url} ${asOf} ${verifiedOn}`
      const known = bySource.get(key)
      if (known !== undefined) {
        known.fields.add(field)
        return
      }
      const cited = { name: source.name, url, as_of: asOf, verified_on: verifiedOn }
      bySource.set(key, { source: cited, fields: new Set([field]) })
    },
    list: () => [...bySource.values()].map(({ source, fields }) => Object.freeze({ ...source, fields: [...fields] })),
  }
}
