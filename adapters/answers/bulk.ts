/**
 * What do the records of one passport say, for a list of destinations or for all of them?
 *
 * The charge is known before anything is assembled: one request for each pair that has a record, or one for the call, as the operator's table of plans has it.
 */

import { type Dataset, lookupRequirement } from "../../src/engine.ts"
import { type GatedRecord, type LocalisedFacts, PRO_FIELDS, STARTER_FIELDS } from "../../src/full.ts"
import { describeRecordMeta, found, noRecord, type Outcome } from "./answer-outcome.ts"
import { gateFullRecord, type Reader, writeGatedRecord } from "./pair.ts"
import { writeSharedRecord } from "./shared-json.ts"

export interface BulkQuestion {
  readonly passport: string
  /** Codes; every destination when absent. */
  readonly destinations?: readonly string[] | undefined
  readonly fields?: "all" | "core" | undefined
}

/** The charge of a call: a request for each pair, or one. */
export type BulkUnit = "pair" | "call"

export interface WeighedBulk extends BulkQuestion {
  readonly destinations: readonly string[]
  readonly recorded: readonly string[]
  /** How many requests it costs. */
  readonly charge: number
}

const EXTENDED: ReadonlySet<string> = new Set([...STARTER_FIELDS, ...PRO_FIELDS])

/** Only the core fields, with their sources. */
function keepCore(record: GatedRecord): object {
  const core = Object.fromEntries(Object.entries(record).filter(([name]) => !EXTENDED.has(name)))
  if (record.sources === undefined) return core
  const sources = record.sources
    .map(source => ({ ...source, fields: source.fields.filter(name => !EXTENDED.has(name)) }))
    .filter(source => source.fields.length > 0)
  return { ...core, sources }
}

/** Finds out what a question costs. */
export function weighBulk(
  dataset: Dataset,
  question: BulkQuestion,
  units: { readonly withDestinations: BulkUnit; readonly withoutDestinations: BulkUnit },
): WeighedBulk {
  const { passport } = question
  const destinations = question.destinations === undefined ? dataset.destinations : [...new Set(question.destinations)]
  const recorded = destinations.filter(code => lookupRequirement(dataset, passport, code).kind === "found")
  const unit = question.destinations === undefined ? units.withoutDestinations : units.withDestinations
  return { ...question, destinations, recorded, charge: unit === "pair" ? recorded.length : 1 }
}

/** Why there is no answer at all; null where there is one. */
function refuseBulk({ dataset }: LocalisedFacts, { passport }: BulkQuestion) {
  return dataset.passports.includes(passport) ? null : noRecord("No passport with this code is recorded.")
}

function describeBulkMeta(localised: LocalisedFacts, { destinations, recorded, charge }: WeighedBulk, count: number) {
  const known = new Set(recorded)
  const missing = destinations.filter(code => !known.has(code))
  return { count, missing, pairs_charged: charge, ...describeRecordMeta(localised) }
}

/** The records that a plan shows, and the destinations that have none. */
export function describeBulk(localised: LocalisedFacts, weighed: WeighedBulk, reader: Reader) {
  const { passport, fields, recorded } = weighed
  const data = recorded.flatMap((destination): object | [] => {
    const record = gateFullRecord(localised, { passport, destination }, reader)
    return record === null ? [] : fields === "core" ? keepCore(record) : record
  })
  return refuseBulk(localised, weighed) ?? found({ data, meta: describeBulkMeta(localised, weighed, data.length) })
}

/** The same as JSON text, a record at a time: the text of all may have megabytes. */
export function writeBulk(
  localised: LocalisedFacts,
  weighed: WeighedBulk,
  reader: Reader,
): Outcome<Generator<string, void>> {
  const { passport, fields, recorded } = weighed
  const writeRecord = (destination: string): string | null => {
    if (fields !== "core") return writeGatedRecord(localised, { passport, destination }, reader)
    const record = gateFullRecord(localised, { passport, destination }, reader)
    return record === null ? null : writeSharedRecord(keepCore(record))
  }
  const write = function* () {
    let count = 0
    yield '{"data":['
    for (const destination of recorded) {
      const text = writeRecord(destination)
      if (text === null) continue
      yield count === 0 ? text : `,${text}`
      count++
    }
    yield `],"meta":${JSON.stringify(describeBulkMeta(localised, weighed, count))}}`
  }
  return refuseBulk(localised, weighed) ?? found(write())
}
