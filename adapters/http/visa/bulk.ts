/**
 * `GET /api/v1/visa/bulk`: what does one passport open, for a list of destinations or for all of them?
 *
 * What is charged is known before anything is answered: one request for each pair that has a record, or one for the call, as the
 * operator's table of plans has it.
 */
import {
  assembleFullRecord,
  type GatedRecord,
  gateRecord,
  PRO_FIELDS,
  type RecordBook,
  STARTER_FIELDS,
} from "../../../src/full.ts"
import { lookupRequirement } from "../../../src/index.ts"
import type { PlanTable } from "../../accounts/plans.ts"
import { type Answer, answerError, answerJson, NOT_STORED } from "../answer.ts"
import { upgradeUrl } from "../backend.ts"
import { describeAnswer } from "./meta.ts"
import type { Reader } from "./visa.ts"

/** The question as it stands in the query. */
export interface BulkQuestion {
  readonly passport: string
  /** Codes by commas; every destination when absent. */
  readonly destination?: string | undefined
  readonly fields?: "all" | "core" | undefined
}

/** A question that was weighed. */
export interface WeighedBulk {
  /** What has to be left for it: a request at least, so that a spent quota is noticed before the record is looked for. */
  readonly atLeast: number
  readonly destinations: readonly string[]
  /** The answer, and what it comes to. */
  readonly answer: () => Answer & { readonly charge: number }
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

/** Finds out what a question costs; it is answered when its answer is asked for. */
export function weighBulk(
  book: RecordBook,
  { passport, destination, fields }: BulkQuestion,
  reader: Reader,
  { bulkCharge }: PlanTable,
): WeighedBulk {
  const { dataset, locale } = book
  const destinations = destination === undefined ? dataset.destinations : [...new Set(destination.split(","))]
  const isRecorded = (code: string) => lookupRequirement(dataset, passport, code).kind === "found"
  const recorded = destinations.filter(isRecorded)
  const unit = destination === undefined ? bulkCharge.withoutDestinations : bulkCharge.withDestinations
  const charge = unit === "pair" ? recorded.length : 1
  const upgrade = upgradeUrl(reader.site)

  const answer = () => {
    if (!dataset.passports.includes(passport)) {
      return { ...answerError(404, "No passport with this code is recorded."), charge: 0 }
    }
    const data = recorded.flatMap(code => {
      const full = assembleFullRecord(book, passport, code)
      if (full === null) return []
      const record = gateRecord(full, { plan: reader.plan, locale, upgradeUrl: upgrade })
      return [fields === "core" ? keepCore(record) : record]
    })
    const missing = destinations.filter(code => !isRecorded(code))
    const meta = { count: data.length, missing, pairs_charged: charge, ...describeAnswer(dataset, locale.language) }
    return { ...answerJson(200, { data, meta }, NOT_STORED), charge }
  }
  return { atLeast: Math.max(1, charge), destinations, answer }
}
