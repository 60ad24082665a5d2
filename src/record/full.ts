/**
 * What does the full visa record say about a pair?
 *
 * Everything that is known, in one language, with the wire names; unknown fields are absent. field-rows.ts defines the fields, to whom each
 * applies and how it is made. The parts that depend on the answer and the destination are computed once and shared; the parts that depend
 * on the pair are added. Building it knows no plans: `gateRecord` reduces a record to a plan's fields.
 */

import { parseCivilDate } from "../civil-date.ts"
import { codeKey, needsVisa } from "../codes.ts"
import { getOrInsert, NOTHING } from "../collections.ts"
import { type Found, UNKNOWN_INDEX } from "../dataset/open.ts"
import { type LookupOptions, lookupRequirement, readOn } from "../requirement/lookup.ts"
import { entryAt, entryOn } from "../requirement/pair-entry.ts"
import { holdsOn } from "../rules/provisions.ts"
import { isMemberOn, pickBinding, provisionsOf } from "../trip/recorded.ts"
import { type Case, findFreeTransit } from "./checklist.ts"
import { describeTerms } from "./conditions.ts"
import {
  citeRule,
  type FieldContext,
  type LocalisedFacts,
  type LocalisedFactsParts,
  type NamedField,
  openCitations,
  type SharedFields,
} from "./field-context.ts"
import { bindsTraveller, findMissions, findRow, PASSPORT_FIELDS, type PlanTier, ROWS } from "./field-rows.ts"
import { LANGUAGES } from "./languages.ts"
import type { Locale } from "./localise.ts"
import type {
  CheckRecord,
  CoreFields,
  FullRecord,
  ProFields,
  RecordSource,
  StarterFields,
  TermFields,
  UpgradeStub,
} from "./record-fields.ts"

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
  const found = findCase(localised, passport, destination, options)
  if (found === null) return null
  const terms = describeTerms(localised, found, options)
  const situation = { ...found, application: terms.application }
  const shared = readShared(localised, situation)
  const context = {
    ...localised,
    situation,
    citations: openCitations(shared.sources),
    terms,
    ways: findMissions(localised, situation),
  }
  const record = joinEntries(makeEntries(context, shared.entries))
  // The rows build exactly the fields of the record, which the compiler cannot follow through their names.
  return (travelsOnPassport(terms.fields) ? record : replacePassport(record)) as FullRecord
}

const SPECIAL_DOCUMENT = "special_document"

/** Says whether the traveller shows the passport, not another document in its place. */
function travelsOnPassport({ conditions }: TermFields): boolean {
  return conditions?.some(({ kind }) => kind === SPECIAL_DOCUMENT) !== true
}

/** Returns fields without what is said of passports and of visas in them: those who travel on another document bring that one. */
function replacePassport<Fields extends Partial<FullRecord>>(record: Fields): Fields {
  const documents = (record.conditions ?? []).filter(({ kind }) => kind === SPECIAL_DOCUMENT).map(({ text }) => text)
  const kept = Object.entries(record).flatMap(([name, value]): (readonly [string, unknown])[] => {
    if (name === "documents_required") return [[name, documents]]
    return PASSPORT_FIELDS.has(name) ? [] : [[name, value]]
  })
  const sources = record.sources && keepSources(record.sources, name => !PASSPORT_FIELDS.has(name))
  return { ...Object.fromEntries(kept), ...(sources && { sources }) } as unknown as Fields
}

/** Returns the fields that a case shares with others, computed at most once. */
function readShared(localised: LocalisedFacts, situation: Case): SharedFields {
  return localised.remember(situation, made => {
    const citations = openCitations()
    const context = { ...localised, situation: made, citations }
    const { source, verifiedOn, citedOn } = made.answer
    const rule = source === null ? null : { source, sourceUrl: source.url, verifiedOn, citedOn }
    citeRule(context, rule, "requirement")
    if (made.answer.days !== null) citeRule(context, rule, "visa_free_days")
    const entries = makeEntries(context)
    for (const entry of entries) Object.freeze(entry?.[1])
    const fields = joinEntries(entries)
    return Object.freeze({
      entries,
      fields: Object.freeze(fields),
      counts: Object.freeze(countFields(fields)),
      sources: Object.freeze(citations.list()),
    })
  })
}

/** Counts what a preview promises of some fields. */
function countFields(fields: Partial<FullRecord>): SharedFields["counts"] {
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

/** Makes the fields that all pairs of an answer share or, with those, all of a pair, at the places of their rows. */
function makeEntries(context: FieldContext, shared?: readonly NamedField[]): readonly NamedField[] {
  const entries = shared === undefined ? new Array<NamedField>(ROWS.length).fill(undefined) : shared.slice()
  for (const at of shared === undefined ? ROWS_OF_ANSWER : ROWS_OF_PAIR) {
    const [name, { binds, build, isAlwaysList }] = ROWS[at]!
    const value = bindsTraveller(binds, context.situation) ? build(context) : undefined
    entries[at] = value !== undefined ? [name, value] : isAlwaysList ? [name, NOTHING] : undefined
  }
  return entries
}

const placesWithout = (others: string) => ROWS.flatMap(([, { per }], at) => (per === others ? [] : [at]))
const ROWS_OF_ANSWER = /* @__PURE__ */ placesWithout("pair")
const ROWS_OF_PAIR = /* @__PURE__ */ placesWithout("answer")

/** Makes an object of fields: of all at once, because one by one takes more than twice as long. */
const joinEntries = (entries: readonly NamedField[]): Partial<FullRecord> =>
  Object.fromEntries(entries.filter(entry => entry !== undefined))

// ---- The quick check

// What does the quick check of the visa service say about a pair?
//
// The requirement, the stay, and how much more the full record has, counted in that record, so that a preview only promises fields that exist. Field names are those on the wire.

/** The address of the upgrade, and the day of the answer. */
export interface CheckOptions extends LookupOptions {
  readonly upgradeUrl: string
}

/**
 * Builds the quick-check record of a pair, in the language of the facts; null if nothing is recorded or the codes are not a pair.
 *
 * Cannot fail. About a microsecond after the first record of the destination.
 *
 * @example
 * ```ts
 * buildCheckRecord(localised, "FRA", "JPN", { upgradeUrl: "/pricing" })?.visa_free_days // => 90
 * buildCheckRecord(localised, "FRA", "ZZZ", { upgradeUrl: "/pricing" }) // => null
 * ```
 */
export function buildCheckRecord(
  localised: LocalisedFacts,
  passport: string,
  destination: string,
  options: CheckOptions,
): CheckRecord | null {
  const situation = findCase(localised, passport, destination, options)
  if (situation === null) return null
  const { fields: terms, application } = describeTerms(localised, situation, options)
  const shared = readShared(localised, { ...situation, application })
  const { verifiedOn, source, requirement, days, home, uncertain } = situation.answer
  return {
    passport,
    destination,
    requirement,
    visa_free_days: days,
    visa_required: needsVisa(requirement),
    ...(home ? { home } : undefined),
    ...(uncertain ? { requirement_status: "uncertain" } : undefined),
    ...terms,
    last_verified: source?.imported ? null : verifiedOn,
    _hint: localised.locale.say({ key: "upgrade.hint" }),
    _upgrade_preview: {
      ...(travelsOnPassport(terms) ? shared.counts : countFields(replacePassport({ ...shared.fields, ...terms }))),
      reciprocity_history: localised.history?.listChanges(passport, destination).length ?? 0,
      embassy_info: Object.values(findMissions(localised, situation) ?? {}).some(({ length }) => length > 0),
      upgrade_url: options.upgradeUrl,
    },
  }
}

// ---- What a plan shows

// Which fields of a full record does a plan show?
//
// The rows of field-rows.ts define this, and a field without a row is not shown. Free and hobby show the core fields, and a stub in place
// of a further field if published clients can distinguish its value from a stub. Starter shows everything except the fields of pro, and a
// part of some, as their rows say. Pro, business and pay-per-call show everything. A field that is not in the record is in no plan's view
// of it: a stub never promises a field that does not exist.

/** The plans, and `x402`, a call that is paid for by itself and shows what pro shows. */
export const PLANS = ["free", "hobby", "starter", "pro", "business", "x402"] as const

/** One of {@link PLANS}. */
export type Plan = (typeof PLANS)[number]

/** How to gate a record. */
interface GateOptions {
  readonly plan: Plan
  /** The language of the stubs; that of the record. */
  readonly locale: Locale
  readonly upgradeUrl: string
  /** With `core`, what every plan shows, and no stubs. */
  readonly fields?: "all" | "core" | undefined
}

const TIER_OF: { readonly [Name in Plan]: PlanTier } = {
  free: "core",
  hobby: "core",
  starter: "starter",
  pro: "pro",
  business: "pro",
  x402: "pro",
}

/** Fields that published clients read as a list, a number or a text only: a plan that does not show them leaves them out. */
export const FIELDS_WITHOUT_STUB = [
  "reciprocity_history",
  "vaccinations_required",
  "dual_nationality_warnings",
  "best_apply_period",
  "passport_validity_months",
] as const satisfies readonly (keyof (StarterFields & ProFields))[]

/** A record as a plan shows it: the core fields, and stubs or values for the others. */
export type GatedRecord = CoreFields & {
  readonly [Field in keyof (StarterFields & ProFields)]?:
    | (StarterFields & ProFields)[Field]
    | (Field extends (typeof FIELDS_WITHOUT_STUB)[number] ? never : UpgradeStub)
}

const WITHOUT_STUB: ReadonlySet<string> = new Set(FIELDS_WITHOUT_STUB)

/**
 * Shows a record as a plan shows it.
 *
 * Cannot fail; a plan that is not one of {@link PLANS} is treated as free. Values are shared with the record, which is not changed; where a plan
 * shows all of it, it is the record itself.
 *
 * @example
 * ```ts
 * gateRecord(record, { plan: "free", locale, upgradeUrl: "/pricing" }).safety // => {"upgrade": "Available on the starter plan or above", "upgrade_url": "/pricing"}
 * const { safety } = gateRecord(record, { plan: "pro", locale, upgradeUrl: "/pricing" })
 * safety !== undefined && "level" in safety && safety.level // => 1
 * ```
 */
export function gateRecord(record: FullRecord, { plan, locale, upgradeUrl, fields: asked }: GateOptions): GatedRecord {
  const tier = asked !== "core" && Object.hasOwn(TIER_OF, plan) ? TIER_OF[plan] : "core"
  const fields = Object.entries(record)
  if (tier === "pro" && fields.every(([name, value]) => value !== undefined && findRow(name) !== undefined)) {
    return record as unknown as GatedRecord
  }
  const visible = new Set<string>()
  const shown = fields.flatMap(([name, value]): [string, unknown][] => {
    const row = findRow(name)
    if (row === undefined || value === undefined) return []
    const onStarter = row.plan === "pro" ? undefined : row.starterPart === undefined ? value : row.starterPart(value)
    const held = row.plan === "core" || tier === "pro" ? value : tier === "starter" ? onStarter : undefined
    if (held !== undefined) {
      visible.add(name)
      return [[name, held]]
    }
    if (tier !== "core" || asked === "core" || WITHOUT_STUB.has(name)) return []
    return [[name, writeStub(onStarter === undefined ? "pro" : "starter", locale, upgradeUrl)]]
  })
  const gated = shown.flatMap(([name, held]): [string, unknown][] => {
    if (name !== "sources" || tier === "pro") return [[name, held]]
    const sources = keepSources(held as readonly RecordSource[], field => visible.has(field))
    return sources.length === 0 ? [] : [[name, sources]]
  })
  return Object.fromEntries(gated) as unknown as GatedRecord
}

function writeStub(from: "starter" | "pro", locale: Locale, upgradeUrl: string): UpgradeStub {
  return { upgrade: locale.say({ key: `upgrade.${from}` }), upgrade_url: upgradeUrl }
}

// A source is listed for the fields that can be seen.
function keepSources(sources: readonly RecordSource[], isShown: (field: string) => boolean): readonly RecordSource[] {
  return sources
    .map(source => ({ ...source, fields: source.fields.filter(isShown) }))
    .filter(source => source.fields.length > 0)
}

// ---- What records share

// What do all records of one language over one dataset share?
//
// They hold a dataset, its facts and a language, and cache what was computed for an answer and a destination, so that assembling a record is little more than copying. Their answers never
// change; a new dataset or another language needs new ones.

/**
 * Opens the facts of one language over a dataset.
 *
 * Its cache has at most one entry for each answer and destination, one more each for travellers who move freely in a territory and for those whose application or transit a condition
 * changes, and one for each passport with its own fact.
 *
 * @example
 * ```ts
 * const opened = openLocalisedFacts({ dataset: embeddedDataset(), facts: await loadFullFacts(), locale })
 * assembleFullRecord(opened, "FRA", "JPN")?.requirement // => "visa_free"
 * ```
 */
export function openLocalisedFacts(parts: LocalisedFactsParts): LocalisedFacts {
  const byAnswer = new Map<Found, Map<string, SharedFields>>()
  const numbers = new Map<object | null, number>()
  const numberOf = (rule: object | null) => getOrInsert(numbers, rule, () => numbers.size)
  function remember(situation: Case, compute: (situation: Case) => SharedFields): SharedFields {
    const { answer, destination, passport, movesFreely, application } = situation
    const known = getOrInsert(byAnswer, answer, () => new Map<string, SharedFields>())
    let key = parts.facts.isSingledOut(destination, passport) ? `${destination}${passport}` : destination
    // A territory's answer is shared by those who move freely there and those who do not.
    if (movesFreely && answer.follows !== null) key += "*"
    if (application?.sponsors !== undefined) key += `\n${application.sponsors}`
    if (application?.approval !== undefined) key += `\t${application.approval}`
    const { validity, duties, borders } = situation
    for (const rule of [findFreeTransit(situation), validity, duties, ...borders]) key += `:${numberOf(rule)}`
    return getOrInsert(known, key, () => compute(situation))
  }
  return Object.freeze({ ...parts, shown: { missions: new WeakMap(), changes: new WeakMap() }, remember })
}

/**
 * Finds the case of a pair: its answer and the facts of its destination; null if nothing is recorded or the codes are not a pair. Cannot fail.
 *
 * @example
 * ```ts
 * findCase(localised, "IND", "DEU")?.answer.requirement // => "visa_required"
 * findCase(localised, "IND", "ZZZ") // => null
 * ```
 */
export function findCase(
  localised: LocalisedFacts,
  passport: string,
  destination: string,
  options?: LookupOptions,
): Case | null {
  const row = localised.dataset.passportIndices[codeKey(passport)] as number
  if (row >= UNKNOWN_INDEX) return null
  const on = options === undefined ? undefined : readOn(options)
  const answer = lookupRequirement(localised.dataset, passport, destination, { on: on as string | undefined })
  if (answer.kind !== "found") return null
  const column = localised.dataset.destinationIndices[codeKey(destination)] as number
  const day = parseCivilDate(on)
  const { movesFreely } =
    day === null ? entryAt(localised.dataset, row, column) : entryOn(localised.dataset, row, column, day)
  const facts = localised.facts.factsOf(destination)
  const { dataset } = localised
  const provisions = provisionsOf(dataset)
  const place = provisions.zonePlaces[column] ?? null
  const zone = place !== null && isMemberOn(place.memberships, dataset.asOfDay) ? place.zone : null
  const validity = pickBinding(provisions, { column, firstDay: day ?? dataset.asOfDay }, row)
  const transit = provisions.transit[column]!.rules.map(({ rule }) => rule)
  const duties = provisions.recorded.at("duties", destination, passport)
  const ofBorder = provisions.recorded.at("borderRules", destination, passport)
  const borders = ofBorder.filter(holdsOn(dataset.asOfDay)).map(({ value }) => value)
  return { answer, passport, destination, movesFreely, facts, zone, validity, transit, duties, borders }
}
