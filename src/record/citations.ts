/**
 * Which publications does a record rest on, and which of its fields on each?
 *
 * A fact from general knowledge has no source and is not listed, so that its field is named under no publication.
 */
import { getOrInsert } from "../collections.ts"
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
    cite: (field, { source, url, asOf, verifiedOn, citedOn }) => {
      if (source === null) return
      const { licence, via } = source
      const key = `${source.id} ${url} ${asOf} ${verifiedOn} ${citedOn}`
      const known = bySource.get(key)
      if (known !== undefined) {
        known.fields.add(field)
        return
      }
      const cited = {
        name: source.name,
        url,
        as_of: asOf,
        verified_on: verifiedOn,
        ...(citedOn === null ? undefined : { cited_on: citedOn }),
        ...(licence == null ? undefined : { licence }),
        ...(via == null ? undefined : { recorded_in: via }),
      }
      bySource.set(key, { source: cited, fields: new Set([field]) })
    },
    list: () => [...bySource.values()].map(({ source, fields }) => Object.freeze({ ...source, fields: [...fields] })),
  }
}

/** Sources that were made of an origin, by the fields that rest on it. */
export type KeptSources = WeakMap<Origin, Map<string, RecordSource>>

/** Starts a list for the parts that depend on a pair: a few origins that repeat from record to record, so their sources are kept. */
export function openKeptCitations(kept: KeptSources): Citations {
  const origins: Origin[] = []
  const fields: string[] = []
  return {
    cite: (field, origin) => {
      if (origin.source === null) return
      const at = origins.findIndex(known => isSame(known, origin))
      if (at < 0) {
        origins.push(origin)
        fields.push(field)
      } else fields[at] += ` ${field}`
    },
    list: () => origins.map((origin, at) => readSource(kept, origin, fields[at] as string)),
  }
}

function isSame(one: Origin, other: Origin): boolean {
  if (one === other) return true
  const sameSource = one.source?.id === other.source?.id && one.url === other.url
  return sameSource && one.asOf === other.asOf && one.verifiedOn === other.verifiedOn && one.citedOn === other.citedOn
}

function readSource(kept: KeptSources, origin: Origin, fields: string): RecordSource {
  const byFields = getOrInsert(kept, origin, () => new Map())
  return getOrInsert(byFields, fields, () => {
    const citations = openCitations()
    for (const field of fields.split(" ")) citations.cite(field, origin)
    return citations.list()[0] as RecordSource
  })
}
