/**
 * What does the visa service say about one pair: the quick check, and the full record as a plan shows it?
 */
import {
  assembleFullRecord,
  buildCheckRecord,
  type CheckOptions,
  gateRecord,
  type LocalisedFacts,
  listRecordParts,
  type Plan,
  renderCheckMarkdown,
  renderMarkdown,
  showsEverything,
} from "../../src/full.ts"
import { DEFAULT_LANGUAGE } from "./answer-languages.ts"
import { bothWays, describeRecordMeta, found, noRecord, type Outcome, writeWithMeta } from "./answer-outcome.ts"
import { writeSharedParts, writeSharedRecord } from "./shared-json.ts"

/** A question about one pair. The caller checks that its codes are spelled as codes. */
export interface PairQuestion {
  readonly passport: string
  readonly destination: string
}

/** The reader of a record: fields that the plan does not show point to the page that sells better plans. */
export interface Reader {
  readonly plan: Plan
  readonly upgradeUrl: string
}

const NO_RECORD = noRecord(
  "No record for this passport and destination. That means unknown, not that no visa is needed.",
)

/** The quick check: is a visa needed, and how long may one stay? */
export function describeCheck(localised: LocalisedFacts, pair: PairQuestion, options: CheckOptions) {
  const record = buildCheckRecord(localised, pair.passport, pair.destination, options)
  return record === null ? NO_RECORD : found(bothWays(record, describeRecordMeta(localised, DEFAULT_LANGUAGE)))
}

/** The quick check for people; null where nothing is recorded. */
export function renderCheck(localised: LocalisedFacts, pair: PairQuestion, options: CheckOptions) {
  const record = buildCheckRecord(localised, pair.passport, pair.destination, options)
  return record === null ? null : renderCheckMarkdown(record, localised.locale)
}

/** The full record of a pair, reduced to a plan's fields; null if nothing is recorded. */
export function gateFullRecord(localised: LocalisedFacts, pair: PairQuestion, { plan, upgradeUrl }: Reader) {
  const record = assembleFullRecord(localised, pair.passport, pair.destination)
  return record === null ? null : gateRecord(record, { plan, locale: localised.locale, upgradeUrl })
}

/**
 * The record of a pair, reduced to a plan's fields, as JSON text; null if nothing is recorded. The parts that it shares with other pairs
 * are written once.
 */
export function writeGatedRecord(localised: LocalisedFacts, pair: PairQuestion, reader: Reader): string | null {
  if (showsEverything(reader.plan)) {
    const parts = listRecordParts(localised, pair.passport, pair.destination)
    return parts === null ? null : writeSharedParts(parts)
  }
  const data = gateFullRecord(localised, pair, reader)
  return data === null ? null : writeSharedRecord(data)
}

/** Everything that is known of a pair, as a plan shows it: JSON, joined from pieces that many records share. */
export function writeRecord(localised: LocalisedFacts, pair: PairQuestion, reader: Reader): Outcome<string> {
  const data = writeGatedRecord(localised, pair, reader)
  if (data === null) return NO_RECORD
  return found(writeWithMeta(data, describeRecordMeta(localised)))
}

/** The same for people; null where nothing is recorded. */
export function renderRecord(localised: LocalisedFacts, pair: PairQuestion, reader: Reader) {
  const data = gateFullRecord(localised, pair, reader)
  return data === null ? null : renderMarkdown(data, localised.locale)
}

/** Why there is no record, for renderers. */
export const NO_PAIR_MESSAGE = NO_RECORD.kind === "no_record" ? NO_RECORD.message : ""
