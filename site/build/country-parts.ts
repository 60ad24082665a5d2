/**
 * Which part of the record's tables belongs to one country?
 *
 * The tables of facts, missions and history, and the remarks of rules, are larger than everything else of a record, and a record needs those of two
 * countries. So the page has them country by country: what is known of it as a destination, and its own missions. The parts that all countries share
 * are separate.
 */

import { splitCodes } from "../../src/codes.ts"
import { embeddedRemarks } from "../../src/dataset/embedded-remarks.generated.ts"
import { embeddedDataset, lookupAt } from "../../src/index.ts"
import { factParts } from "../../src/record/facts.generated.ts"
import {
  type FactRow,
  type FullParts,
  type HistoryParts,
  MISSION_KINDS,
  type MissionParts,
  openMissions,
} from "../../src/record/full-facts.ts"
import { historyParts } from "../../src/record/history.generated.ts"
import { missionParts } from "../../src/record/missions.generated.ts"

/** The parts that all countries share: everything except the rows. */
export interface SharedParts {
  readonly facts: FullParts
  readonly missions: Pick<MissionParts, "asOf" | "source">
  readonly history: Omit<HistoryParts, "changes" | "published">
}

/** The rows of one country; a table without such rows is absent. */
export interface CountryParts {
  readonly facts?:
    | (Pick<FullParts, "sources" | "origins"> & { readonly facts: Partial<FullParts["facts"]> })
    | undefined
  readonly missions?: Omit<MissionParts, "asOf" | "source"> | undefined
  readonly history?: Pick<HistoryParts, "changes" | "published"> | undefined
  readonly remarks?: Remarks | undefined
}

/** Texts of remarks by their numbers in the whole list. */
export type Remarks = Readonly<Record<number, string>>

/**
 * Makes the parts that all countries share; the page has its own codes and names of cities. The sources are those of rules, missions and
 * history: facts have their own, and a rule has the address of its source.
 */
export function shareParts(): SharedParts {
  const { asOf, source } = missionParts
  const { changes: _, published: _published, ...history } = historyParts
  const ofRules = new Set(embeddedDataset().sources.map(({ id }) => id))
  const ofTables = new Set([source, history.source])
  const sources = factParts.sources.flatMap((row): FullParts["sources"] => {
    const [id, name, , ...rest] = row
    if (ofTables.has(id)) return [row]
    return ofRules.has(id) ? [[id, name, null, ...rest]] : []
  })
  return {
    facts: {
      version: factParts.version,
      asOf: factParts.asOf,
      codes: "",
      sources,
      origins: [],
      facts: Object.fromEntries(Object.keys(factParts.facts).map(subject => [subject, []])) as never,
    },
    missions: { asOf, source },
    history,
  }
}

/** Splits the tables; only countries with rows are in the result. */
export function splitByCountry(): ReadonlyMap<string, CountryParts> {
  const [facts, missions, history, remarks] = [splitFacts(), splitMissions(), splitHistory(), splitRemarks()]
  const codes = new Set(
    [facts, missions, history, remarks].flatMap((each: ReadonlyMap<string, unknown>) => [...each.keys()]),
  )
  codes.delete(EVERYWHERE)
  const partsOf = (code: string): CountryParts => ({
    facts: facts.get(code),
    missions: missions.get(code),
    history: history.get(code),
    remarks: remarks.get(code),
  })
  return new Map([...codes].sort().map(code => [code, partsOf(code)]))
}

function splitHistory(): ReadonlyMap<string, CountryParts["history"]> {
  const { changes, published = {} } = historyParts
  const only = <Of>(table: Readonly<Record<string, Of>>, code: string) =>
    Object.fromEntries(Object.entries(table).filter(([of]) => of === code))
  return new Map(
    [...Object.keys(changes), ...Object.keys(published)].map(code => {
      const told = only(published, code)
      return [code, { changes: only(changes, code), ...(code in told ? { published: told } : {}) }]
    }),
  )
}

const EVERYWHERE = ""
const REMARKED = ["note", "url", "sourceUrl", "change", "reason"]

/** The remarks of rules that name no destination. */
export const sharedRemarks = (): Remarks => splitRemarks().get(EVERYWHERE) ?? {}

/** The remarks of each destination's rules, of the conditions that they name, and of the destinations whose answers a territory follows. */
function splitRemarks(): ReadonlyMap<string, Remarks> {
  const numbers = new Map(embeddedRemarks.texts.map((text, at) => [text, at]))
  const found = new Map<string, Record<number, string>>()
  const lists = embeddedDataset().terms.lists
  for (const [name, { fields, rows }] of Object.entries(lists)) {
    // They are read with the rules that name them.
    if (name === "conditions") continue
    const names = fields.split(" ").map(field => field.split(":")[0] ?? "")
    const textsOf = (row: readonly unknown[], of = names) => row.filter((_, at) => REMARKED.includes(of[at] ?? ""))
    for (const row of rows) {
      const where = row[names.indexOf("destinations")]
      const conditions = [row[names.indexOf("conditions")]].flat(2).filter(at => typeof at === "number")
      const all = [...textsOf(row), ...conditions.flatMap(at => lists.conditions?.rows[at]?.slice(-1) ?? [])]
      const texts = all.filter(text => typeof text === "string")
      for (const code of typeof where === "string" ? splitCodes(where) : [EVERYWHERE]) {
        const known = found.get(code) ?? {}
        for (const text of texts) known[numbers.get(text) ?? 0] = text
        if (texts.length > 0) found.set(code, known)
      }
    }
  }
  const { passports, destinations } = embeddedDataset()
  destinations.forEach((code, column) => {
    const answers = passports.map((_, row) => lookupAt(embeddedDataset(), row, column))
    for (const followed of new Set(answers.map(each => (each.kind === "found" ? each.follows : null)))) {
      if (followed !== null) found.set(code, { ...found.get(followed), ...found.get(code) })
    }
  })
  return found
}

/** The facts of each destination, with their origins and sources, renumbered. */
function splitFacts(): ReadonlyMap<string, CountryParts["facts"]> {
  const all = Object.entries(factParts.facts).flatMap(([subject, rows]) =>
    rows.flatMap(row => splitCodes(row[1]).map(code => ({ code, subject, row }))),
  )
  const byCode = [...Map.groupBy(all, ({ code }) => code)]
  return new Map(
    byCode.map(([code, own]) => {
      const origins = [...new Set(own.map(({ row: [origin] }) => origin))]
      const originRows = origins.map(place => factParts.origins[place] as FullParts["origins"][number])
      const sources = [...new Set(originRows.flatMap(([source]) => source ?? []))]
      const facts = [...Map.groupBy(own, ({ subject }) => subject)].map(([subject, rows]) => [
        subject,
        rows.map(({ row: [origin, , ...rest] }): FactRow => [origins.indexOf(origin), code, ...rest]),
      ])
      const parts = {
        sources: sources.map(place => factParts.sources[place] as FullParts["sources"][number]),
        origins: originRows.map(
          ([source, ...rest]) => [source === null ? null : sources.indexOf(source), ...rest] as const,
        ),
        facts: Object.fromEntries(facts),
      }
      return [code, parts]
    }),
  )
}

function splitMissions(): ReadonlyMap<string, CountryParts["missions"]> {
  const whole = openMissions(missionParts)
  const pairs = missionParts.pairs.match(/.{6}/g) ?? []
  const byOperator = [...Map.groupBy(pairs, pair => pair.slice(0, 3))]
  return new Map(
    byOperator.map(([operator, own]) => {
      const lists = own.map(pair => whole.listMissions(operator, pair.slice(3)))
      const all = lists.flat()
      const lines = (field: "city" | "website" | "phone" | "email") => all.map(each => each[field] ?? "").join("\n")
      const parts = {
        pairs: own.join(""),
        counts: lists.map(({ length }) => length.toString(36)).join(""),
        kinds: all.map(({ kind }) => MISSION_KINDS.indexOf(kind)).join(""),
        cities: lines("city"),
        websites: lines("website"),
        phones: lines("phone"),
        emails: lines("email"),
      }
      return [operator, parts]
    }),
  )
}
