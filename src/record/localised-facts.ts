/**
 * What do all records of one language over one dataset share?
 *
 * They hold a dataset, its facts and a language, and cache what was computed for an answer and a destination, so that assembling a record is little more than copying. Their answers never
 * change; a new dataset or another language needs new ones.
 */
import { parseCivilDate } from "../civil-date.ts"
import { codeKey } from "../codes.ts"
import { getOrInsert } from "../collections.ts"
import { type Dataset, type Found, UNKNOWN_INDEX } from "../dataset/open.ts"
import { holdsOn } from "../dataset/rule-terms.ts"
import { type LookupOptions, lookupRequirement, readOn } from "../requirement/lookup.ts"
import { entryAt, entryOn } from "../requirement/pair-entry.ts"
import type { TransitRule } from "../rules/provisions.ts"
import { pickBinding, provisionsOf } from "../trip/recorded.ts"
import { isMemberOn } from "../trip/stay-counting.ts"
import { type Case, findFreeTransit } from "./checklist.ts"
import type { ShownPairs } from "./field-context.ts"
import type { FullFacts } from "./full-facts.ts"
import type { HistoryIndex } from "./history.ts"
import type { Locale } from "./localise.ts"
import type { MissionIndex } from "./missions.ts"
import type { FullRecord, RecordSource, UpgradePreview } from "./record-fields.ts"

/** The parts from which they are made. */
export interface LocalisedFactsParts {
  readonly dataset: Dataset
  readonly facts: FullFacts
  readonly locale: Locale
  /** Absent if the caller did not load the missions. */
  readonly missions?: MissionIndex | undefined
  readonly history?: HistoryIndex | undefined
}

/** What a preview promises of the shared fields. */
export type FieldCounts = Omit<UpgradePreview, "embassy_info" | "reciprocity_history" | "upgrade_url">

/** The fields that all pairs with the same answer and destination share in their records. */
export interface SharedFields {
  /** The fields before and after those about the rule of one pair. */
  readonly verdict: Partial<FullRecord>
  readonly fields: Partial<FullRecord>
  readonly counts: FieldCounts
  readonly sources: readonly RecordSource[]
}

/** Records of one language over one dataset. */
export interface LocalisedFacts extends LocalisedFactsParts {
  readonly capitalOf: (country: string) => string | undefined
  readonly shown: ShownPairs
  /** Returns the fields that a case shares with others of its answer and destination, computed at most once. */
  readonly remember: (situation: Case, compute: (situation: Case) => SharedFields) => SharedFields
}

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
  const capitalOf = (country: string) => parts.facts.factsOf(country).country[0]?.value.capital
  const shown = { missions: new WeakMap(), changes: new WeakMap() }
  return Object.freeze({ ...parts, capitalOf, shown, remember })
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
  const transit = provisions.transit[column]!.rules.map(rule => dataset.transitRules[rule.place] as TransitRule)
  const duties = provisions.recorded.at("duties", destination, passport)
  const ofBorder = provisions.recorded.at("borderRules", destination, passport)
  const borders = ofBorder.filter(holdsOn(dataset.asOfDay)).map(({ value }) => value)
  return { answer, passport, destination, movesFreely, facts, zone, validity, transit, duties, borders }
}
