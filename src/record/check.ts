/**
 * What does the quick check of the visa service say of a pair?
 *
 * The requirement, the stay, and how much more the full record holds, counted from the same facts and lists as the full
 * record, so that a preview never promises what is not there. Field names are those on the wire.
 */
import type { Found } from "../dataset/open.ts"
import type { LookupOptions } from "../requirement/lookup.ts"
import { needsVisa } from "../requirement/requirement.ts"
import { type Case, listDocuments, listSteps } from "./checklist.ts"
import { selectFact } from "./full-facts.ts"
import { describeSafety, listVaccinations } from "./health-and-safety.ts"
import { LANGUAGES } from "./localise.ts"
import { findCase, type RecordBook } from "./record-book.ts"
import type { CheckRecord, UpgradePreview } from "./record-fields.ts"

/** Where an upgrade is bought, and for which day to answer. */
export interface CheckOptions extends LookupOptions {
  readonly upgradeUrl: string
}

type SharedPreview = Omit<UpgradePreview, "embassy_info" | "upgrade_url">

/**
 * Builds the quick-check record of a pair; null where nothing is recorded or what was asked is no pair.
 *
 * Cannot fail. Less than a microsecond once the destination has been asked for.
 *
 * @example
 * ```ts
 * buildCheckRecord(book, "FRA", "JPN", { upgradeUrl: "/pricing" }).visa_free_days // => 90
 * buildCheckRecord(book, "FRA", "ZZZ", { upgradeUrl: "/pricing" }) // => null
 * ```
 */
export function buildCheckRecord(
  book: RecordBook,
  passport: string,
  destination: string,
  options: CheckOptions,
): CheckRecord | null {
  const situation = findCase(book, passport, destination, options)
  if (situation === null) return null
  const { answer } = situation
  const preview: UpgradePreview = {
    ...book.remember("preview", situation, made => previewShared(book, made)),
    embassy_info: book.missions?.hasBetween(passport, destination) ?? false,
    upgrade_url: options.upgradeUrl,
  }
  return {
    passport,
    destination,
    requirement: answer.requirement,
    visa_free_days: answer.days,
    visa_required: needsVisa(answer.requirement),
    ...(answer.home ? { home: true as const } : {}),
    ...(answer.uncertain ? { requirement_status: "uncertain" as const } : {}),
    last_verified: lastVerified(answer),
    _hint: book.remember("hint", situation, () => book.locale.say({ key: "upgrade.hint" })),
    _upgrade_preview: preview,
  }
}

function previewShared(book: RecordBook, situation: Case): SharedPreview {
  const { answer, passport, facts } = situation
  const asked = { requirement: answer.requirement, passport }
  const safety = describeSafety(book.locale, situation)
  return Object.freeze({
    documents_required: listDocuments(situation).length,
    process_steps: listSteps(situation).length,
    transit_visa: selectFact(facts, "transit", asked) !== null,
    visa_fees: !answer.home && selectFact(facts, "fee", asked) !== null,
    vaccinations: listVaccinations(situation).length,
    ...(safety === null ? {} : { safety_advisory: safety.advisory }),
    languages: LANGUAGES.length,
  })
}

/** The day on which a person last confirmed an answer; none for tables that were imported whole. */
export function lastVerified({ source, verifiedOn }: Found): string | null {
  return source === null || source.imported ? null : verifiedOn
}
