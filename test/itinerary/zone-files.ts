/** Reads the zones of `data/zones/` for tests, without the project's own reader. */
import { readFileSync } from "node:fs"
import type { Zone, ZoneRule } from "../../src/dataset/open.ts"
import { dayOf } from "../oracles/stay-days.ts"

export interface ZoneFile {
  readonly id: string
  readonly name: string
  readonly instrument: string | null
  readonly kind: string
  readonly allowance_days: number
  readonly window_days?: number
  readonly source: string | null
  readonly source_url: string | null
  readonly verified_on: string | null
  readonly note: string
  readonly members: readonly { readonly code: string; readonly from: string | null; readonly until: string | null }[]
}

export function readZoneText(id: string): string {
  return readFileSync(new URL(`../../data/zones/${id}.json`, import.meta.url), "utf8")
}

export function loadZone(id: string): Zone {
  const file = JSON.parse(readZoneText(id)) as ZoneFile
  const { kind, allowance_days: allowanceDays, window_days: windowDays } = file
  return {
    id: file.id,
    name: file.name,
    rule: (windowDays === undefined ? { kind, allowanceDays } : { kind, allowanceDays, windowDays }) as ZoneRule,
    members: file.members.map(({ code, from, until }) => ({
      code,
      fromDay: from === null ? null : dayOf(from),
      untilDay: until === null ? null : dayOf(until),
    })),
    instrument: file.instrument,
    source: null,
    sourceUrl: file.source_url,
    verifiedOn: file.verified_on,
    citedOn: null,
  }
}
