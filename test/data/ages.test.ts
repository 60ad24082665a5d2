import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { type ClaimsRecord, nameTableSource } from "../../adapters/data-files/claim-records.ts"
import { readDataRecords } from "../../adapters/data-files/read-facts.ts"
import { describePair, embeddedDataset, type PairDescription } from "../../src/index.ts"

const records = Result.getOrThrow(readDataRecords("data"))
const dataset = embeddedDataset()
const claimsOf = new Map(records.claims.map(record => [record.destination, record]))
const retrievedOn = new Map(records.sources.map(({ id, retrieved_on: on }) => [id, on]))
/** Days on which nothing has ended or changed since, and on which nearly everything is old. */
const DAYS = ["2026-11-29", "2029-01-01"]

const listPairs = (on: string): readonly PairDescription[] =>
  dataset.destinations.flatMap(destination =>
    dataset.passports.flatMap(passport => {
      const pair = describePair(dataset, passport, destination, { on })
      return pair.kind === "found" && !pair.answer.home ? pair : []
    }),
  )
const pairsOn = new Map(DAYS.map(on => [on, listPairs(on)]))
const name = ({ passport, destination }: PairDescription) => `${passport} ${destination}`

/** The days on which the claims of a pair were read, with those of the agreements that may replace them; a list without one is as old as its copy. */
function listReadings({ pages }: ClaimsRecord, { sourceUrl, answer }: PairDescription): readonly string[] {
  const ofPages = Object.values(pages)
    .filter(({ by, url }) => by === answer.source?.id || (url !== undefined && url === sourceUrl))
    .flatMap(({ read }) => read ?? [])
  const ofTreaties = records.treaties.flatMap(({ source_url: url, read_on: on }) => (url === sourceUrl ? on : []))
  const ofBloc = records.blocs.flatMap(({ id, verified_on: on }) => (id === answer.bloc ? (on ?? []) : []))
  const ofCopy = ofPages.length === 0 ? (retrievedOn.get(answer.source?.id ?? "") ?? []) : []
  return [...ofPages, ...ofTreaties, ...ofBloc].concat(ofCopy)
}

/** The day on which a table first said what it says of a pair, or of the copy from which all pairs were taken. */
function findTableDay({ tables }: ClaimsRecord, { passport }: PairDescription): string | null | undefined {
  const row = tables.findLast(([, , who]) => who.split(" ").includes(passport))
  const id = nameTableSource(records.tables.latest, row?.[0] ?? "")
  return retrievedOn.get(id) ?? retrievedOn.get(records.tables.latest)
}

describe("the age of an answer", () => {
  it("is that of its own claim: the last reading of its page, or the table that first said so", () => {
    const strange = pairsOn.get("2026-11-29")!.filter(pair => {
      const { evidence, answer, destination } = pair
      if (evidence === null || evidence.on === null) return false
      const record = claimsOf.get(answer.follows ?? destination)!
      if (answer.source?.imported) return evidence.on !== findTableDay(record, pair)
      return !listReadings(record, pair).includes(evidence.on)
    })
    expect(strange.map(name)).toEqual([])
  })

  it.each(DAYS)("is that of the destination that a territory follows, on %s", on => {
    const pairs = pairsOn.get(on)!
    const agesOf = new Map(pairs.map(pair => [name(pair), `${pair.ageDays} ${pair.stale}`]))
    const following = pairs.filter(({ answer }) => answer.follows !== null)
    expect(following.length).toBeGreaterThan(2_000)
    const differing = following.filter(pair => {
      const followed = agesOf.get(`${pair.passport} ${pair.answer.follows}`)
      return followed !== undefined && followed !== agesOf.get(name(pair))
    })
    expect(differing.map(name)).toEqual([])
  })
})
