/**
 * What does the full visa record say of a pair?
 *
 * Everything that is known, in one language, under the names on the wire; what is not known is absent. All that depends on
 * the answer and the destination is worked out once and shared; the missions and the history of the pair are added to it.
 * Plans are not known here: plan-gate.ts shows a record as a plan shows it.
 */
import type { LookupOptions } from "../requirement/lookup.ts"
import { needsVisa } from "../requirement/requirement.ts"
import type { Case } from "./checklist.ts"
import { openCitations } from "./citations.ts"
import { describeTerms } from "./conditions.ts"
import { describeAnswer } from "./describe.ts"
import * as field from "./extended-fields.ts"
import type { FullFacts } from "./full-facts.ts"
import { citePair, listEmbassies, listHistory } from "./pair-fields.ts"
import { findCase, type RecordBook } from "./record-book.ts"
import type { FullRecord, SharedFields } from "./record-fields.ts"

/**
 * Assembles the full record of a pair, in the book's language; null where nothing is recorded or what was asked is no pair.
 *
 * Cannot fail. A few microseconds once the destination has been asked for; its lists and objects are shared and must not be
 * written to.
 *
 * @example
 * ```typescript
 * assembleFullRecord(book, "IND", "DEU").insurance_required // => {"required":true,"min_coverage":30000,"currency":"EUR"}
 * assembleFullRecord(book, "FRA", "ZZZ") // => null
 * ```
 */
export function assembleFullRecord(
  book: RecordBook,
  passport: string,
  destination: string,
  options?: LookupOptions,
): FullRecord | null {
  const situation = findCase(book, passport, destination, options)
  if (situation === null) return null
  const shared = readShared(book, situation)
  const embassy = listEmbassies(book, situation)
  const history = listHistory(book, situation)
  const shown = { embassy: embassy !== undefined, history: history !== undefined }
  const sources = shown.embassy || shown.history ? [...shared.sources, ...citePair(book, shown)] : shared.sources
  return {
    passport,
    ...shared.core,
    ...describeTerms(book, situation, options),
    ...shared.starter,
    ...(embassy === undefined ? undefined : { embassy }),
    ...shared.pro,
    ...(history === undefined ? undefined : { reciprocity_history: history }),
    ...(sources.length === 0 ? undefined : { sources }),
  }
}

/** Gives what a case shares with others, worked out at most once. */
export function readShared(book: RecordBook, situation: Case): SharedFields {
  return book.remember(situation, made => assembleShared(book, made))
}

function assembleShared({ locale, facts }: RecordBook, situation: Case): SharedFields {
  const citations = openCitations()
  const desk = { situation, locale, citations, sourceOf: facts.sourceOf }
  citeRule(desk, facts)
  const core = assembleCore(desk)
  const starter = assembleStarter(desk)
  const pro = field.keepKnown({ remote_work_visa: entrants(desk, field.describeRemoteWork) })
  return Object.freeze({ core, starter, pro, sources: Object.freeze(citations.list()) })
}

/** Makes a field for those whom the rules of visitors bind. */
function visitors<Value>(desk: field.Desk, build: (desk: field.Desk) => Value): Value | undefined {
  return desk.situation.movesFreely ? undefined : build(desk)
}

/** Makes a field for visitors who may enter at all: what an entry asks for or allows is nothing to those who are not admitted. */
function entrants<Value>(desk: field.Desk, build: (desk: field.Desk) => Value): Value | undefined {
  return desk.situation.answer.requirement === "no_admission" ? undefined : visitors(desk, build)
}

function citeRule({ situation, citations }: field.Desk, facts: FullFacts): void {
  const { source, verifiedOn } = situation.answer
  if (source === null) return
  const retrievedOn = facts.sourceOf(source.id)?.retrievedOn ?? null
  const origin = { source: { ...source, retrievedOn }, url: source.url, asOf: retrievedOn, verifiedOn }
  citations.cite("requirement", origin)
  if (situation.answer.days !== null) citations.cite("visa_free_days", origin)
}

function assembleCore(desk: field.Desk): SharedFields["core"] {
  const { situation, locale } = desk
  const { answer, destination } = situation
  const { requirement, days, home, uncertain, source } = answer
  const verifiedOn = source === null || source.imported ? null : answer.verifiedOn
  return field.keepKnown({
    destination,
    requirement,
    visa_free_days: days,
    visa_required: needsVisa(requirement),
    home: home ? (true as const) : undefined,
    requirement_status: uncertain ? ("uncertain" as const) : undefined,
    source_url: source === null || source.imported ? null : source.url,
    last_verified_at: verifiedOn === null ? null : `${verifiedOn}T00:00:00Z`,
    verified: verifiedOn !== null,
    description: describeAnswer(locale, answer, destination),
    documents_required: field.describeDocuments(desk),
    process: field.describeSteps(desk),
    visa_types: entrants(desk, field.listVisaTypes),
    extension: entrants(desk, field.describeExtension),
  })
}

function assembleStarter(desk: field.Desk): SharedFields["starter"] {
  return field.keepKnown({
    tips: visitors(desk, field.listTips),
    country_info: field.describeCountry(desk),
    transit_visa: visitors(desk, field.describeTransit),
    passport_validity_months: entrants(desk, field.countValidityMonths),
    visa_fee: entrants(desk, field.describeFee),
    processing_days: entrants(desk, field.describeProcessing),
    photo_specs: entrants(desk, field.describePhoto),
    vaccinations_required: field.describeVaccinations(desk),
    insurance_required: entrants(desk, field.describeInsurance),
    dual_nationality_warnings: visitors(desk, field.listDualNationalityWarnings),
    stamp_warnings: visitors(desk, field.listStampWarnings),
    minor_rules: entrants(desk, field.describeMinorRules),
    overstay_penalty: entrants(desk, field.describeOverstay),
    extension_rules: entrants(desk, field.describeExtensionRules),
    safety: field.citeSafety(desk),
    best_apply_period: entrants(desk, field.describeApplyPeriod),
    health_requirements: field.describeHealth(desk),
  })
}
