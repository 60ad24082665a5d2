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
import type { FactRow, FullParts } from "../../src/record/full-facts.ts"
import { historyParts } from "../../src/record/history.generated.ts"
import type { HistoryParts } from "../../src/record/history.ts"
import { missionParts } from "../../src/record/missions.generated.ts"
import { MISSION_KINDS, type MissionParts, openMissions } from "../../src/record/missions.ts"

/** The parts that all countries share: everything except the rows. */
export interface SharedParts {
  readonly facts: FullParts
  readonly missions: Pick<MissionParts, "asOf" | "source">
  readonly history: Omit<HistoryParts, "changes" | "published">
}

/** The rows of one country; a table without such rows is absent. */
export interface CountryParts {
  readonly facts?: Pick<FullParts, "sources" | "origins"> & { readonly facts: Partial<FullParts["facts"]> }
  readonly missions?: Omit<MissionParts, "asOf" | "source">
  readonly history?: Pick<HistoryParts, "changes" | "published">
  readonly remarks?: Remarks
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
  const facts = splitFacts()
  const missions = splitMissions()
  const remarks = splitRemarks()
  const { changes, published = {} } = historyParts
  const codes = new Set(
    [facts, missions, remarks].flatMap(each => [...each.keys()]).filter(code => code !== EVERYWHERE),
  )
  for (const code of [...Object.keys(changes), ...Object.keys(published)]) codes.add(code)
  return new Map(
    [...codes].sort().map(code => {
      const ownFacts = facts.get(code)
      const ownMissions = missions.get(code)
      const ownRemarks = remarks.get(code)
      const [changed, told] = [changes[code], published[code]]
      const history = {
        changes: changed === undefined ? {} : { [code]: changed },
        ...(told === undefined ? {} : { published: { [code]: told } }),
      }
      const parts = {
        ...(ownFacts === undefined ? {} : { facts: ownFacts }),
        ...(ownMissions === undefined ? {} : { missions: ownMissions }),
        ...(changed === undefined && told === undefined ? {} : { history }),
        ...(ownRemarks === undefined ? {} : { remarks: ownRemarks }),
      }
      return [code, parts] as const
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
function splitFacts(): ReadonlyMap<string, NonNullable<CountryParts["facts"]>> {
  const rowsOf = new Map<string, { readonly subject: string; readonly row: FactRow }[]>()
  for (const [subject, rows] of Object.entries(factParts.facts)) {
    for (const row of rows) {
      for (const code of splitCodes(row[1])) rowsOf.set(code, [...(rowsOf.get(code) ?? []), { subject, row }])
    }
  }
  return new Map(
    [...rowsOf].map(([code, all]) => {
      const origins = [...new Set(all.map(({ row: [origin] }) => origin))]
      const originRows = origins.map(place => factParts.origins[place] as FullParts["origins"][number])
      const sources = [...new Set(originRows.flatMap(([source]) => (source === null ? [] : [source])))]
      const facts: Record<string, FactRow[]> = {}
      for (const { subject, row } of all) {
        const [origin, , ...rest] = row
        facts[subject] = [...(facts[subject] ?? []), [origins.indexOf(origin), code, ...rest]]
      }
      const parts = {
        sources: sources.map(place => factParts.sources[place] as FullParts["sources"][number]),
        origins: originRows.map(
          ([source, ...rest]) => [source === null ? null : sources.indexOf(source), ...rest] as const,
        ),
        facts,
      }
      return [code, parts] as const
    }),
  )
}

function splitMissions(): ReadonlyMap<string, NonNullable<CountryParts["missions"]>> {
  const whole = openMissions(missionParts)
  const hosts = new Map<string, string[]>()
  for (let at = 0; at < missionParts.pairs.length; at += 6) {
    const [operator, host] = [missionParts.pairs.slice(at, at + 3), missionParts.pairs.slice(at + 3, at + 6)]
    hosts.set(operator, [...(hosts.get(operator) ?? []), host])
  }
  return new Map(
    [...hosts].map(([operator, at]) => {
      const lists = at.map(host => whole.listMissions(operator, host))
      const all = lists.flat()
      const lines = (field: "city" | "website" | "phone" | "email") => all.map(each => each[field] ?? "").join("\n")
      const parts = {
        pairs: at.map(host => operator + host).join(""),
        counts: lists.map(({ length }) => length.toString(36)).join(""),
        kinds: all.map(({ kind }) => MISSION_KINDS.indexOf(kind)).join(""),
        cities: lines("city"),
        websites: lines("website"),
        phones: lines("phone"),
        emails: lines("email"),
      }
      return [operator, parts] as const
    }),
  )
}
