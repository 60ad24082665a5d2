/**
 * What do claims say about past days: the values of dated tables, the lists that authorities published, and the changes between them?
 *
 * A value of a table belongs to the time from the first table that has it. A change between two tables is shown in the record of a pair,
 * unless tables only use another word: those of before 2025-01-12 have one word for e-visa and eTA, and visas on arrival, e-visas and eTAs
 * are ways to one permission. `changes` of a file has what tables alone do not show, and what they show and was none.
 */
import type { HistorySeriesFacts, PastWord } from "../../src/compiler.ts"
import { isRequirement, parseCivilDate, type Requirement } from "../../src/engine.ts"
import {
  type ClaimsRecord,
  isWay,
  listTableDays,
  listTableValues,
  readSays,
  selectorsOf,
  type TableValue,
} from "./claim-records.ts"
import type { DataRecords } from "./data-files.ts"

/** The day of the first table that distinguishes e-visa and eTA. */
const TOLD_APART_ON = "2025-01-12"
/** A visa that becomes an e-visa, or the reverse, and is taken back within this many days was none. */
const TAKEN_BACK_DAYS = 366

type PastRecords = Pick<DataRecords, "claims" | "tables" | "sources">
type ChangeRecord = NonNullable<ClaimsRecord["changes"]>[number]

/** Lists what authorities published version by version, by destination; `until` is the last day for which the last version is known to hold. */
export const listPublished = ({ claims }: Pick<DataRecords, "claims">) =>
  claims.flatMap(record =>
    Object.entries(record.pages).flatMap(([id, { by: source, until }]) => {
      if (until === undefined) return []
      const changes = record.claims
        .filter(({ page }) => page === id)
        .map(claim => {
          const { word, days } = readSays(claim.says)
          const value = word === "not_said" ? null : (word as PastWord)
          return { on: claim.from ?? "", word: value, days, passports: selectorsOf(claim) }
        })
      return [{ destination: record.destination, source, until, changes }]
    }),
  )

/** The series of past values that can be laid out: published lists, then tables; none without tables. */
export function listPast({ claims, tables, sources }: PastRecords): readonly HistorySeriesFacts[] {
  const days = listTableDays(tables)
  if (days.length === 0) return []
  const sourceOf = (of: string) => {
    const { id, name, url } = sources.find(({ id }) => id === of) ?? { id: of, name: of, url: null }
    return { id, name, url }
  }
  const lists = listPublished({ claims }).map(({ source, until: untilOn, changes, destination }) => ({
    ...{ source: sourceOf(source), kind: "published" as const, untilOn },
    days: [...new Set(changes.map(({ on }) => on))].sort(),
    changes: changes.map(change => ({ destination, ...change })),
  }))
  const seen: HistorySeriesFacts = {
    source: sourceOf(tables.source),
    kind: "seen",
    days,
    untilOn: tables.tables.at(-1)?.on ?? "",
    changes: claims.flatMap(record => {
      const values = [...listPastValues(record)].flatMap(([passport, past]) =>
        past.map(value => ({ passport, value: JSON.stringify(value) })),
      )
      return [...Map.groupBy(values, ({ value }) => value)].map(([value, pairs]) => ({
        destination: record.destination,
        ...(JSON.parse(value) as TableValue),
        passports: pairs.map(({ passport }) => passport),
      }))
    }),
  }
  return [...lists, seen]
}

// Older tables give days where no visa is needed only, so past answers have no others.
function listPastValues(record: ClaimsRecord): ReadonlyMap<string, readonly TableValue[]> {
  return new Map(
    [...listTableValues(record)].map(([passport, values]) => {
      const past: TableValue[] = []
      for (const { on, word, days } of values) {
        const value = { on, word, days: word === "visa_free" ? days : null }
        const last = past.at(-1)
        if (last === undefined || last.word !== value.word || last.days !== value.days) past.push(value)
      }
      return [passport, past]
    }),
  )
}

/** A change of a requirement or of its days, as a claim names it or tables show it. */
type PastValue = Pick<ChangeRecord, "on" | "days_before" | "days_after" | "after_ban" | "published"> & {
  readonly from: Requirement
  readonly to: Requirement
  readonly source?: string | undefined
}
export type PastChange = PastValue & { readonly passports: readonly string[] }

/** Lists the changes of every destination that tables have and a record shows; those without any are left out. */
export const listPastChanges = ({ claims }: Pick<DataRecords, "claims">) =>
  claims.flatMap(record => {
    const found = new Map<string, { readonly change: PastValue; readonly passports: Set<string> }>()
    const find = (change: PastValue) => {
      const key = [change.on, change.from, change.to, ...daysOf(change), change.after_ban, change.source].join()
      const known = found.get(key) ?? { change, passports: new Set() }
      found.set(key, known)
      return known.passports
    }
    for (const [passport, values] of listPastValues(record)) {
      for (const change of listShown(values)) find(change).add(passport)
    }
    for (const { who, page, shown, from, to, ...rest } of record.changes ?? []) {
      const source = page === undefined ? undefined : record.pages[page]?.by
      const passports = find({ ...rest, from: from as Requirement, to: to as Requirement, source })
      for (const code of who.split(" ")) shown === false ? passports.delete(code) : passports.add(code)
    }
    const changes = [...found]
      .filter(([, { passports }]) => passports.size > 0)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, { change, passports }]): PastChange => ({ ...change, passports: [...passports].sort() }))
    return changes.length === 0 ? [] : [{ destination: record.destination, changes }]
  })

const daysOf = ({ days_before: before = 0, days_after: after = 0 }: PastValue) =>
  [before, after].map(days => String(days).padStart(4, "0"))

function listShown(values: readonly TableValue[]): readonly PastValue[] {
  const named = values.map((value, at): TableValue => {
    if (value.word !== "e_visa_or_eta") return value
    const next = values[at + 1]
    return { ...value, word: next?.on === TOLD_APART_ON && next.word === "eta" ? "eta" : "e_visa" }
  })
  const changes: PastValue[] = []
  let last: TableValue | null = null
  let isAfterBan = false
  for (const value of dropTakenBack(named)) {
    const { on, word, days } = value
    if (!isRequirement(word)) {
      if (word === "covid_ban") isAfterBan = true
      continue
    }
    const from = last?.word as Requirement | undefined
    const after = isAfterBan ? { after_ban: true } : {}
    if (from !== undefined && from !== word && !(isWay(from) && isWay(word)))
      changes.push({ on, from, to: word, ...after })
    else if (last !== null && from === word && last.days !== null && days !== null && last.days !== days) {
      changes.push({ on, from, to: word, days_before: last.days, days_after: days, ...after })
    }
    last = value
    isAfterBan = false
  }
  return changes
}

function dropTakenBack(values: readonly TableValue[]): readonly TableValue[] {
  const at = values.findIndex((value, place) => {
    const [before, after] = [values[place - 1], values[place + 1]]
    if (before === undefined || after === undefined || before.word !== after.word) return false
    const words = new Set([before.word, value.word])
    const days = (parseCivilDate(after.on) as number) - (parseCivilDate(value.on) as number)
    return words.has("e_visa") && words.has("visa_required") && days <= TAKEN_BACK_DAYS
  })
  return at < 0 ? values : dropTakenBack(values.filter((_, place) => place !== at && place !== at + 1))
}
