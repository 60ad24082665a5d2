/**
 * What do the records of one passport say, for a list of destinations or for all of them?
 *
 * What is charged is known before anything is assembled: one request for each pair that has a record, or one for the call, as the
 * operator's table of plans has it.
 */

import { type Dataset, lookupRequirement } from "../../../src/engine.ts"
import { type GatedRecord, type LocalisedFacts, PRO_FIELDS, STARTER_FIELDS } from "../../../src/full.ts"
import { describeRecordMeta } from "./meta.ts"
import { found, noRecord, type Outcome, writeWithMeta } from "./outcome.ts"
import { gateFullRecord, type Reader, writeGatedRecord } from "./pair.ts"
import { writeSharedRecord } from "./shared-json.ts"

/** The question of a bulk lookup. */
export interface BulkQuestion {
  readonly passport: string
  /** Codes; every destination when absent. */
  readonly destinations?: readonly string[] | undefined
  readonly fields?: "all" | "core" | undefined
}

/** What a call is charged: a request for each pair, or one. */
export type BulkUnit = "pair" | "call"

/** A question that was weighed. */
export interface WeighedBulk extends BulkQuestion {
  readonly destinations: readonly string[]
  readonly recorded: readonly string[]
  /** How many requests it costs. */
  readonly charge: number
}

const EXTENDED: ReadonlySet<string> = new Set([...STARTER_FIELDS, ...PRO_FIELDS])

/** The core fields alone, with the sources that they rest on. */
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

/** Makes the answer to a question from one value for each record; a value is null where nothing is recorded. */
function answerBulk<Value>(
  localised: LocalisedFacts,
  weighed: WeighedBulk,
  make: (destination: string) => Value | null,
) {
  const { dataset } = localised
  const { passport, destinations, recorded, charge } = weighed
  if (!dataset.passports.includes(passport)) return noRecord("No passport with this code is recorded.")
  const data = recorded.flatMap(destination => make(destination) ?? [])
  const known = new Set(recorded)
  const missing = destinations.filter(code => !known.has(code))
  const meta = { count: data.length, missing, pairs_charged: charge, ...describeRecordMeta(localised) }
  return found({ data, meta })
}

/** The records that a plan shows, and the destinations that have none. */
export function describeBulk(localised: LocalisedFacts, weighed: WeighedBulk, reader: Reader) {
  const { passport, fields } = weighed
  return answerBulk(localised, weighed, (destination): object | null => {
    const record = gateFullRecord(localised, { passport, destination }, reader)
    return record !== null && fields === "core" ? keepCore(record) : record
  })
}

/** The same as JSON text, joined from pieces that many records share. */
export function writeBulk(localised: LocalisedFacts, weighed: WeighedBulk, reader: Reader): Outcome<string> {
  const { passport, fields } = weighed
  const outcome = answerBulk(localised, weighed, destination => {
    if (fields !== "core") return writeGatedRecord(localised, { passport, destination }, reader)
    const record = gateFullRecord(localised, { passport, destination }, reader)
    return record === null ? null : writeSharedRecord(keepCore(record))
  })
  if (outcome.kind !== "found") return outcome
  return found(writeWithMeta(`[${outcome.body.data.join()}]`, outcome.body.meta))
}
