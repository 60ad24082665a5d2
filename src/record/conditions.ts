/**
 * What are a rule's conditions, waivers and certainty, in a reader's language?
 *
 * These are the additional fields of every answer about a pair, with their wire names. Conditions are those of the rule and of its policy,
 * waivers for holders of documents, and notes, which are in English. The other fields are a later change in an official log, the day on
 * which a rule ends or ended, days that come from a general table, and the statement of a second source. A field without a value is absent.
 */
import { parseCivilDate } from "../civil-date.ts"
import { getOrInsert } from "../collections.ts"
import type { Dataset, Found } from "../dataset/open.ts"
import type { Requirement } from "../dataset/requirement.ts"
import { readTerms, type TermsIndex } from "../dataset/rule-terms.ts"
import { type Corroboration, describeFound, type PairDescription } from "../requirement/describe-pair.ts"
import type { LookupOptions } from "../requirement/lookup.ts"
import type { ConditionTerms } from "../rules/conditions.ts"
import type { RuleCondition, StayRule, Waiver } from "../rules/provisions.ts"
import { describeCondition } from "../trip/issues.ts"
import { type ApplicationTerms, readApplication } from "./application-terms.ts"
import { type EvidenceFields, writeEvidence } from "./evidence-fields.ts"
import { isolate, type Locale } from "./localise.ts"
import { nameDocument, sayNotice } from "./notices.ts"
import { punctuationOf } from "./punctuation.ts"
import { sayAnswer, sayCounting } from "./stay-counting.ts"

/** A condition of a rule, or a waiver of it. */
export interface ConditionField {
  /** A kind of `docs/data.md`, `counted` (over which period days add up), `waiver` or `note`. */
  readonly kind: string
  /** In the record's language; a note and a condition of kind `other` are in English. */
  readonly text: string
  readonly source_url: string | null
}

/** The statement of a second source, and the day on which it read its page. */
export interface SecondSource {
  readonly source: string
  readonly source_url: string | null
  readonly checked_on: string
}

/** The additive fields of every answer about a pair. */
export interface TermFields extends EvidenceFields {
  readonly conditions?: readonly ConditionField[]
  /** An official log names a change of the entry rules that is newer than this one. */
  readonly changed_since?: { readonly on: string; readonly source_url: string | null }
  /** The days come from the imported table alone, and are not a maximum stay. */
  readonly stay_basis?: "table"
  /** The last day on which the rule is announced to hold. */
  readonly ends_on?: string
  /** An earlier rule ended on `ended_on`, its last day, and nothing newer is recorded. */
  readonly after_expiry?: true
  readonly ended_on?: string
  /** A second source that says the same. */
  readonly corroborated?: SecondSource
  /**
   * A second source that says something else; `because` says, in English, why our answer stands or what contradicts what; `open` if nothing
   * decides.
   */
  readonly disputed?: SecondSource & {
    readonly requirement: Requirement
    readonly visa_free_days: number | null
    readonly because?: string
    readonly open?: true
  }
}

/** The fields about the rule of a pair. */
export interface PairTerms {
  readonly fields: TermFields
  /** The page that was read for the rule, if it is not its source's own. */
  readonly sourceUrl?: string
  readonly application: ApplicationTerms
  /** The condition that names the borders at which one may enter, and how it is said. */
  readonly borders?: { readonly condition: RuleCondition; readonly text: string }
}

/** What is needed to write the fields of a pair. */
export interface TermsContext {
  readonly dataset: Dataset
  readonly locale: Locale
}

/**
 * Writes the fields of a description that is at hand. Cannot fail; the fields are shared and frozen.
 *
 * @example
 * ```ts
 * const pair = describePair(embeddedDataset(), "FRA", "JPN")
 * pair.kind === "found" && writeTerms({ dataset: embeddedDataset(), locale }, pair).evidence?.level // => "table"
 * ```
 */
export function writeTerms({ dataset, locale }: TermsContext, pair: PairDescription): TermFields {
  const writer = openWriter(dataset, locale)
  const conditions = [
    ...pair.conditions.map(condition => writer.write(condition)),
    ...(pair.stayRule === null ? [] : writer.writeCounting(pair.stayRule, pair.answer)),
    ...pair.waivers.map(waiver => writer.write(waiver)),
    ...pair.notes.map(note => ({ kind: "note", text: isolate(locale.direction, note), source_url: pair.sourceUrl })),
  ]
  const { changedSince, afterExpiry, corroboration } = pair
  const second = corroboration && {
    source: corroboration.source.name,
    source_url: corroboration.sourceUrl,
    checked_on: corroboration.checkedOn,
  }
  return {
    ...(conditions.length === 0 ? undefined : { conditions }),
    ...(changedSince === null
      ? undefined
      : { changed_since: { on: changedSince.on, source_url: changedSince.sourceUrl } }),
    ...(pair.stayBasis === null ? undefined : { stay_basis: pair.stayBasis }),
    ...(pair.endsOn === null ? undefined : { ends_on: pair.endsOn }),
    ...(afterExpiry === null ? undefined : { after_expiry: true, ended_on: afterExpiry.endedOn }),
    ...(second !== null && corroboration?.agrees ? { corroborated: second } : undefined),
    ...(second !== null && corroboration?.agrees === false
      ? { disputed: { ...second, ...writeDispute(corroboration) } }
      : undefined),
    ...writeEvidence(pair),
  }
}

function writeDispute({ requirement, days, reason, isOpen }: Corroboration) {
  return {
    requirement,
    visa_free_days: days,
    ...(reason === null ? undefined : { because: reason }),
    ...(isOpen ? { open: true as const } : undefined),
  }
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
  const isReviewed = answer.source !== null && !answer.source.imported
  const borders = pair.conditions.find(one => one.kind === "entry_points" && one.borders !== undefined)
  const page = isReviewed && pair.sourceUrl !== answer.source.url ? pair.sourceUrl : null
  return {
    ...(page === null ? undefined : { sourceUrl: page }),
    fields: writeTerms(localised, pair),
    application: readApplication(localised.locale, pair.conditions),
    ...(borders === undefined
      ? undefined
      : {
          borders: {
            condition: borders,
            text: openWriter(localised.dataset, localised.locale).write(borders).text,
          },
        }),
  }
}

interface Writer {
  readonly write: (subject: RuleCondition | Waiver) => ConditionField
  /** How the days of the answer add up: one field, or none. */
  readonly writeCounting: (rule: StayRule, answer: Found) => readonly ConditionField[]
}

// By language, then by dataset terms: texts that are written once are shared by every pair.
const writers = new WeakMap<Locale, WeakMap<TermsIndex, Writer>>()

function openWriter(dataset: Dataset, locale: Locale): Writer {
  const index = readTerms(dataset)
  // Without terms there is no condition to write.
  if (index === null) return { write: () => ({ kind: "other", text: "", source_url: null }), writeCounting: () => [] }
  const byTerms = getOrInsert(writers, locale, () => new WeakMap())
  return getOrInsert(byTerms, index, () => {
    const written = new WeakMap<object, ConditionField>()
    return {
      write: subject => {
        const field = getOrInsert(written, subject, () => {
          const [kind, text] =
            "kind" in subject
              ? [subject.kind, sayCondition(locale, subject, index)]
              : ["waiver", sayWaiver(locale, subject, index)]
          return Object.freeze({ kind, text, source_url: subject.sourceUrl })
        })
        return field
      },
      writeCounting: (rule, answer) => {
        const counting = sayCounting(rule, answer)
        if (counting === null) return []
        return [Object.freeze({ kind: "counted", text: locale.say(counting), source_url: rule.sourceUrl })]
      },
    }
  })
}

/** Says who needs less with which documents. */
function sayWaiver(
  locale: Locale,
  { requirement, days, held, conditions, endsOn, note }: Waiver,
  index: TermsIndex,
): string {
  const marks = punctuationOf(locale.language)
  const answer = sayAnswer(locale, marks, requirement, days)
  const documents = held.map(document => nameDocument(locale, document, index)).join(marks.semicolon)
  return joinFragments(locale, [
    locale.say({ key: "conditions.waiver", values: { answer, documents } }),
    ...conditions.map(condition => sayCondition(locale, condition, index)),
    ...(endsOn === null ? [] : [locale.say({ key: "rule.ends_on", values: { date: { on: endsOn } } })]),
    ...(note === null ? [] : [isolate(locale.direction, note)]),
  ])
}

function sayCondition(locale: Locale, condition: ConditionTerms, index: TermsIndex): string {
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
