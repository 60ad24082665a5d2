/**
 * What are a rule's conditions, waivers and certainty, in a reader's language?
 *
 * These are the additional fields of every answer about a pair, with their wire names. Conditions are those of the rule and of its policy,
 * waivers for holders of documents, and notes, which are in English. The other fields are a later change in an official log, the day on
 * which a rule ends or ended, days that come from a general table, and the statement of a second source. A field without a value is absent.
 */

import { parseCivilDate } from "../civil-date.ts"
import type { Requirement } from "../codes.ts"
import { keepKnown } from "../collections.ts"
import { type Dataset, type Found, isReviewed } from "../dataset/open.ts"
import { describeFound, type PairDescription } from "../requirement/describe-pair.ts"
import type { LookupOptions } from "../requirement/lookup.ts"
import type { ConditionTerms } from "../rules/provision-kinds.ts"
import {
  type ProvisionIndex,
  type RuleCondition,
  readProvisions,
  type StayRule,
  type Waiver,
} from "../rules/provisions.ts"
import { describeCondition } from "../trip/law.ts"
import { isolate, type Locale, type Phrase, type ProperName, type Punctuation, punctuationOf } from "./localise.ts"
import { sayDocument, sayNotice } from "./notices.ts"
import type { ConditionField, TermFields } from "./record-fields.ts"

/** The fields about the rule of a pair. */
export interface PairTerms {
  readonly fields: TermFields
  /** The page that was read for the rule; null if it is its source's own. */
  readonly sourceUrl: string | null
  readonly application: ApplicationTerms
  /** The condition that names the borders at which one may enter, and how it is said; null if none does. */
  readonly borders: { readonly condition: RuleCondition; readonly text: string } | null
}

/** What is needed to write the fields of a pair. */
interface TermsContext {
  readonly dataset: Dataset
  readonly locale: Locale
}

/**
 * Writes the fields of a description that is at hand. Cannot fail.
 *
 * @example
 * ```ts
 * const pair = describePair(embeddedDataset(), "FRA", "JPN")
 * pair.kind === "found" && writeTerms({ dataset: embeddedDataset(), locale }, pair).evidence?.level // => "table"
 * ```
 */
export function writeTerms(context: TermsContext, pair: PairDescription): TermFields {
  const { locale } = context
  const counting = pair.stayRule && sayCounting(pair.stayRule, pair.answer)
  const conditions = [
    ...pair.conditions.map(condition => writeCondition(context, condition)),
    ...(counting === null
      ? []
      : [{ kind: "counted", text: locale.say(counting), source_url: pair.stayRule?.sourceUrl ?? null }]),
    ...pair.waivers.map(waiver => writeCondition(context, waiver)),
    ...pair.notes.map(note => ({ kind: "note", text: isolate(locale.direction, note), source_url: pair.sourceUrl })),
  ]
  const { changedSince, afterExpiry, corroboration, evidence } = pair
  const second = corroboration && {
    source: corroboration.source.name,
    source_url: corroboration.sourceUrl,
    checked_on: corroboration.checkedOn,
  }
  return keepKnown({
    conditions: conditions.length === 0 ? null : conditions,
    changed_since: changedSince && { on: changedSince.on, source_url: changedSince.sourceUrl },
    stay_basis: pair.stayBasis,
    ends_on: pair.endsOn,
    after_expiry: afterExpiry && (true as const),
    ended_on: afterExpiry?.endedOn,
    corroborated: corroboration?.agrees ? second : null,
    disputed:
      second !== null && corroboration?.agrees === false
        ? {
            ...second,
            requirement: corroboration.requirement,
            visa_free_days: corroboration.days,
            ...keepKnown({ because: corroboration.reason, open: corroboration.isOpen ? (true as const) : null }),
          }
        : null,
    evidence: evidence && { level: evidence.level, ...keepKnown({ on: evidence.on }) },
    age_days: pair.ageDays,
    stale: pair.stale,
  })
}

/**
 * Describes a pair whose answer was found, for the day that was asked, and writes its fields. Cannot fail.
 */
export function describeTerms(
  localised: TermsContext,
  {
    passport,
    destination,
    answer,
  }: { readonly passport: string; readonly destination: string; readonly answer: Found },
  options: LookupOptions | undefined,
): PairTerms {
  const day = parseCivilDate(options?.on) ?? localised.dataset.asOfDay
  const pair = describeFound(localised.dataset, passport, destination, answer, day)
  const borders = pair.conditions.find(one => one.kind === "entry_points" && one.borders !== undefined)
  const page = isReviewed(answer) && pair.sourceUrl !== answer.source?.url ? pair.sourceUrl : null
  return {
    sourceUrl: page,
    fields: writeTerms(localised, pair),
    application: readApplication(localised.locale, pair.conditions),
    borders: borders === undefined ? null : { condition: borders, text: writeCondition(localised, borders).text },
  }
}

function writeCondition({ dataset, locale }: TermsContext, subject: RuleCondition | Waiver): ConditionField {
  const index = readProvisions(dataset)
  const [kind, text] =
    "kind" in subject
      ? [subject.kind, sayCondition(locale, subject, index)]
      : ["waiver", sayWaiver(locale, subject, index)]
  return { kind, text, source_url: subject.sourceUrl }
}

/** Says who needs less with which documents. */
function sayWaiver(
  locale: Locale,
  { requirement, days, held, conditions, endsOn, note }: Waiver,
  index: ProvisionIndex,
): string {
  const marks = punctuationOf(locale.language)
  const answer = sayAnswer(locale, marks, requirement, days)
  const documents = held.map(document => sayDocument(locale, document, index)).join(marks.semicolon)
  return joinFragments(locale, [
    locale.say({ key: "conditions.waiver", values: { answer, documents } }),
    ...conditions.map(condition => sayCondition(locale, condition, index)),
    ...(endsOn === null ? [] : [locale.say({ key: "rule.ends_on", values: { date: { on: endsOn } } })]),
    ...(note === null ? [] : [isolate(locale.direction, note)]),
  ])
}

function sayCondition(locale: Locale, condition: ConditionTerms, index: ProvisionIndex): string {
  // A rule names its documents whole; a decision names only their kinds and issuers.
  const documents = condition.kind === "held_document" ? { documents: condition.held } : {}
  return sayNotice(locale, { code: condition.kind, params: { ...describeCondition(condition), ...documents } }, index)
}

// A single fragment stays as it is. Of several, each gets the language's full stop, except an address, where it would become part of the
// address.
function joinFragments(locale: Locale, fragments: readonly string[]): string {
  if (fragments.length === 1) return fragments[0] as string
  const { stop } = punctuationOf(locale.language)
  return locale.join(
    fragments.map(fragment =>
      /[.。।]$/.test(fragment) || /https?:\S/.test(fragment.split(/\s/).at(-1) ?? "") ? fragment : `${fragment}${stop}`,
    ),
  )
}

// ---- Terms of an application

// Which conditions of a rule change how its visa is applied for?
//
// Another party may have to apply, or an approval may be needed before the journey. The steps of a record depend on both.

/** What the steps of an application depend on, besides the answer. */
export interface ApplicationTerms {
  /** Who applies instead of the traveller, as a list in the record's language. */
  readonly sponsors?: string
  /** The approval that is needed before the journey, by its own name. */
  readonly approval?: string
}

/** Reads them from the conditions of a pair, in a language. Cannot fail. */
function readApplication(locale: Locale, conditions: readonly RuleCondition[]): ApplicationTerms {
  const sponsor = conditions.find(condition => condition.kind === "sponsor")
  const approval = conditions.find(condition => condition.kind === "registration")
  return {
    ...(sponsor && { sponsors: locale.list(sponsor.by.map(word => locale.say({ key: `sponsor.${word}` }))) }),
    ...(approval && { approval: approval.name }),
  }
}

// ---- Evidence

// How is an answer known? This is in every answer about a pair.

const READINGS = { read: "label.verified_on", cited: "label.cited_on", table: "label.copied_on" } as const

/** Says who read the page of a rule, and when, or the day of a table without pages; null if no day is known. */
export function sayReading(evidence: TermFields["evidence"]): Phrase | null {
  return evidence?.on === undefined ? null : { key: READINGS[evidence.level], values: { date: { on: evidence.on } } }
}

// ---- How days add up

// Over which period do the days of a stay add up, as a sentence of a record?
//
// There is a sentence only if the destination counts in a rolling window, a calendar year or the year of the first entry. Days that each
// entry gives again are in the answer, and those of a zone have their own sentence.

/** Says how a rule counts the days of an answer; null if it names no period or does not bind the answer. */
function sayCounting({ kind, days, windowDays }: StayRule, answer: Found): Phrase | null {
  const most = days ?? answer.days
  if (most === null || answer.home || answer.basis !== null) return null
  const duration = { days: most }
  switch (kind) {
    case "rolling":
      return windowDays === null
        ? null
        : { key: "visa_types.stay_in_window", values: { duration, window: { days: windowDays } } }
    case "calendar_year":
      return { key: "visa_types.stay_in_calendar_year", values: { duration } }
    case "per_year_of_entry":
      return { key: "visa_types.stay_in_year_of_entry", values: { duration } }
    default:
      return null
  }
}

/** Says an answer: the requirement, and in brackets its days. */
function sayAnswer(
  locale: Locale<`requirement.${Requirement}`>,
  marks: Punctuation,
  requirement: Requirement,
  days: number | null,
): string {
  const word = locale.say({ key: `requirement.${requirement}` })
  return days === null ? word : `${word}${marks.bracketStart}${locale.formatValue({ days })}${marks.bracketEnd}`
}

// ---- Sentences

// Writes the fields about a rule, except its conditions, as sentences for a page.

/**
 * Lists a sentence for each of these fields of a record.
 *
 * @example
 * ```ts
 * listTermSentences(locale, {}) // => []
 * ```
 */
export function listTermSentences(locale: Locale, fields: TermFields): readonly string[] {
  const { changed_since: changed, corroborated } = fields
  const sentences: string[] = []
  if (fields.ends_on !== undefined) {
    sentences.push(locale.say({ key: "rule.ends_on", values: { date: { on: fields.ends_on } } }))
  }
  if (fields.ended_on !== undefined) {
    sentences.push(sayNotice(locale, { code: "answer_ended", params: { on: fields.ended_on } }))
  }
  if (changed !== undefined) {
    sentences.push(sayNotice(locale, { code: "answer_changed_since", params: { on: changed.on } }))
  }
  if (fields.stay_basis !== undefined) sentences.push(locale.say({ key: "rule.stay_from_table" }))
  if (corroborated !== undefined) {
    const values = { source: corroborated.source, date: { on: corroborated.checked_on } }
    sentences.push(locale.say({ key: "rule.corroborated", values }))
  }
  return sentences
}

/**
 * Writes the different statement of a second source; null if there is none.
 *
 * @example
 * ```ts
 * sayDispute(locale, {}) // => null
 * ```
 */
export function sayDispute(locale: Locale, { disputed }: TermFields): string | null {
  if (disputed === undefined) return null
  const { source, checked_on, requirement, visa_free_days, because } = disputed
  const marks = punctuationOf(locale.language)
  const answer = sayAnswer(locale, marks, requirement, visa_free_days)
  const said = locale.say({ key: "rule.disputed", values: { answer, source, date: { on: checked_on } } })
  return because === undefined ? said : `${said}${marks.semicolon}${isolate(locale.direction, because)}`
}

// ---- The answer as a sentence

// What does an answer mean, in one or two sentences of a language?
//
// The sentence names the destination, what is needed and how long the stay may be, and says where the rule is another
// territory's or rests on an unsettled treaty. It adds nothing that the answer does not hold.

/** The name of an authorisation without a name of its own. */
export const ANY_AUTHORISATION: ProperName = Object.freeze({ name: "ETA" })

function describeRule({ requirement, days, home, basis }: Found, destination: string, programme: ProperName): Phrase {
  const country = { destination: { country: destination } }
  const values = requirement === "eta" ? { ...country, programme } : country
  if (home) return { key: "description.home", values }
  if (basis === "freedom_of_movement") return { key: "description.freedom_of_movement", values }
  if (days === null || requirement === "visa_required" || requirement === "no_admission") {
    return { key: `description.${requirement}`, values }
  }
  return { key: `description.${requirement}_days`, values: { ...values, days } }
}

/**
 * Describes an answer for a destination in a language; an authorisation is called by its name where that is given.
 *
 * Cannot fail.
 *
 * @example
 * ```ts
 * const answer = lookup("FRA", "JPN")
 * answer.kind === "found" && writeDescription(locale, answer, "JPN") // => "Japan: no visa is needed for a stay of up to 90 days."
 * ```
 */
export function writeDescription(
  locale: Locale,
  answer: Found,
  destination: string,
  programme: ProperName = ANY_AUTHORISATION,
): string {
  const { follows, uncertain } = answer
  const sentences = [describeRule(answer, destination, programme)]
  if (follows !== null) sentences.push({ key: "description.follows", values: { country: { country: follows } } })
  if (uncertain) sentences.push({ key: "description.uncertain" })
  return locale.join(sentences.map(locale.say))
}
