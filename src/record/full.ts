/**
 * What does the full visa record say about a pair?
 *
 * Everything that is known, in one language, with the wire names; unknown fields are absent. field-rows.ts defines the fields, to whom each
 * applies and how it is made. The parts that depend on the answer and the destination are computed once and shared; the parts that depend
 * on the pair are added. This file knows no plans: plan-gate.ts reduces a record to a plan's fields.
 */
import type { LookupOptions } from "../requirement/lookup.ts"
import type { Case } from "./checklist.ts"
import { type Citations, openCitations, openKeptCitations } from "./citations.ts"
import { describeTerms, type TermFields } from "./conditions.ts"
import { citeRule, type FieldContext, type PairParts } from "./field-context.ts"
import { bindsTraveller, type FieldRow, PASSPORT_FIELDS, ROWS } from "./field-rows.ts"
import { LANGUAGES } from "./languages.ts"
import { type FieldCounts, findCase, type LocalisedFacts, type SharedFields } from "./localised-facts.ts"
import { findMissions } from "./pair-fields.ts"
import type { FullRecord } from "./record-fields.ts"

type NamedRow = readonly [name: string, row: FieldRow<unknown>]

// The fields on the rule of one pair come between the verdict and the rest, its missions and its history at the end.
const START_OF_RULE = ROWS.findIndex(([, row]) => row.per === "pair")
const START_OF_REST = ROWS.findIndex(([, row], at) => at > START_OF_RULE && row.per === "answer")
const isPerAnswer = ([, row]: NamedRow) => row.per === "answer"
const isPerPair = ([, row]: NamedRow) => row.per === "pair"
const VERDICT_ROWS: readonly NamedRow[] = ROWS.slice(0, START_OF_RULE).filter(isPerAnswer)
const RULE_ROWS: readonly NamedRow[] = ROWS.slice(START_OF_RULE, START_OF_REST).filter(isPerPair)
const REST_ROWS: readonly NamedRow[] = ROWS.slice(START_OF_REST).filter(isPerAnswer)
const PAIR_ROWS: readonly NamedRow[] = ROWS.slice(START_OF_REST).filter(isPerPair)

/**
 * Assembles the full record of a pair, in the language of the facts; null if nothing is recorded or the codes are not a pair.
 *
 * Cannot fail. A few microseconds after the first record of the destination; its lists and objects are shared and must not be changed.
 *
 * @example
 * ```ts
 * assembleFullRecord(localised, "IND", "DEU")?.insurance_required // => {"required":true,"min_coverage":30000,"currency":"EUR"}
 * assembleFullRecord(localised, "FRA", "ZZZ") // => null
 * ```
 */
export function assembleFullRecord(
  localised: LocalisedFacts,
  passport: string,
  destination: string,
  options?: LookupOptions,
): FullRecord | null {
  const parts = listRecordParts(localised, passport, destination, options)
  // The rows build exactly the fields of the record, which the compiler cannot follow through their names.
  return parts === null ? null : (joinParts(parts) as unknown as FullRecord)
}

const joinParts = ([own, verdict, rule, fields, ofPair]: RecordParts): Record<string, unknown> => ({
  ...own,
  ...verdict,
  ...rule,
  ...fields,
  ...ofPair,
})

/** A record in parts, no field in two of them, in their order. */
export type RecordParts = readonly Readonly<Record<string, unknown>>[]

/**
 * Returns the full record of a pair in parts: the parts that it shares with other pairs are one frozen object for all of them, so that a
 * program that writes many records may write such a part once. Null in the same cases as {@link assembleFullRecord}, which joins them.
 *
 * @example
 * ```ts
 * listRecordParts(localised, "FRA", "JPN")?.[0] // => {"passport":"FRA"}
 * ```
 */
export function listRecordParts(
  localised: LocalisedFacts,
  passport: string,
  destination: string,
  options?: LookupOptions,
): RecordParts | null {
  const found = findCase(localised, passport, destination, options)
  if (found === null) return null
  const terms = describeTerms(localised, found, options)
  const situation = { ...found, application: terms.application }
  const shared = readShared(localised, situation)
  const citations = openKeptCitations(localised.shown.sources)
  const context = openContext(localised, situation, citations, { terms, ways: findMissions(localised, situation) })
  const rule = Object.fromEntries(listFields(RULE_ROWS, context))
  const ofPair = listFields(PAIR_ROWS, context)
  const cited = citations.list()
  const sources = cited.length === 0 ? shared.sources : [...shared.sources, ...cited]
  const rest = Object.fromEntries(sources.length === 0 ? ofPair : [...ofPair, ["sources", sources]])
  const parts: RecordParts = [{ passport }, shared.verdict, rule, shared.fields, rest]
  if (travelsOnPassport(terms.fields)) return parts
  return [replacePassport(joinParts(parts) as unknown as FullRecord) as unknown as Record<string, unknown>]
}

const NONE: readonly never[] = Object.freeze([])

const SPECIAL_DOCUMENT = "special_document"

/** Says whether the traveller shows the passport, not another document in its place. */
export function travelsOnPassport({ conditions }: TermFields): boolean {
  return conditions?.some(({ kind }) => kind === SPECIAL_DOCUMENT) !== true
}

/** Returns fields without what is said of passports and of visas in them: those who travel on another document bring that one. */
export function replacePassport<Fields extends Partial<FullRecord>>(record: Fields): Fields {
  const documents = (record.conditions ?? []).filter(({ kind }) => kind === SPECIAL_DOCUMENT).map(({ text }) => text)
  const kept = Object.entries(record).flatMap(([name, value]): (readonly [string, unknown])[] => {
    if (name === "documents_required") return [[name, documents]]
    return PASSPORT_FIELDS.has(name) ? [] : [[name, value]]
  })
  const sources = record.sources?.flatMap(source => {
    const fields = source.fields.filter(field => !PASSPORT_FIELDS.has(field))
    return fields.length === 0 ? [] : [{ ...source, fields }]
  })
  return { ...Object.fromEntries(kept), ...(sources === undefined ? undefined : { sources }) } as unknown as Fields
}

/** Returns the fields that a case shares with others, computed at most once. */
export function readShared(localised: LocalisedFacts, situation: Case): SharedFields {
  return localised.remember(situation, made => {
    const citations = openCitations()
    const context = openContext(localised, made, citations)
    const { source, verifiedOn, citedOn } = made.answer
    const rule = source === null ? null : { source, sourceUrl: source.url, verifiedOn, citedOn }
    citeRule(context, rule, "requirement")
    if (made.answer.days !== null) citeRule(context, rule, "visa_free_days")
    // Made of entries, because an object whose fields are written one by one is copied five times slower. Values are frozen, so
    // that code that writes records as text may keep the text of each.
    const make = (rows: readonly NamedRow[]) => {
      const listed = listFields(rows, context)
      for (const [, value] of listed) Object.freeze(value)
      return Object.freeze(Object.fromEntries(listed) as Partial<FullRecord>)
    }
    const verdict = make(VERDICT_ROWS)
    const fields = make(REST_ROWS)
    return Object.freeze({
      verdict,
      fields,
      counts: Object.freeze(countFields(fields)),
      sources: Object.freeze(citations.list()),
    })
  })
}

/** Counts what a preview promises of some fields. */
export function countFields(fields: Partial<FullRecord>): FieldCounts {
  return {
    documents_required: fields.documents_required?.length ?? 0,
    process_steps: fields.process?.length ?? 0,
    transit_visa: fields.transit_visa !== undefined,
    visa_fees: fields.visa_fee !== undefined,
    vaccinations: fields.vaccinations_required?.length ?? 0,
    dual_nationality_warnings: fields.dual_nationality_warnings?.length ?? 0,
    best_apply_period: fields.best_apply_period !== undefined,
    passport_validity_months: fields.passport_validity_months !== undefined,
    ...(fields.safety === undefined ? undefined : { safety_advisory: fields.safety.advisory }),
    languages: LANGUAGES.length,
  }
}

function openContext(
  localised: LocalisedFacts,
  situation: Case,
  citations: Citations,
  parts?: PairParts,
): FieldContext {
  const { locale, facts, missions, history, capitalOf, shown } = localised
  return { situation, locale, citations, sourceOf: facts.sourceOf, missions, history, capitalOf, shown, ...parts }
}

function listFields(rows: readonly NamedRow[], context: FieldContext): readonly (readonly [string, unknown])[] {
  const fields: [string, unknown][] = []
  for (const [name, { binds, build, isAlwaysList }] of rows) {
    const value = bindsTraveller(binds, context.situation) ? build(context) : undefined
    if (value !== undefined) fields.push([name, value])
    else if (isAlwaysList) fields.push([name, NONE])
  }
  return fields
}
