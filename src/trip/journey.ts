/**
 * What does a request say, laid out for judging?
 *
 * Codes are indices, dates are days, and everything that depends on the days and places of the stays alone is found here: which stays are in one
 * country or one zone, where the traveller goes on without leaving, and when he leaves. Nothing changes a journey after it was read.
 */
import { addCivilMonths, type EpochDay, parseCivilDate } from "../civil-date.ts"
import { BRITISH_CLASSES, isOfNationals, type PassportKind } from "../codes.ts"
import { NOTHING } from "../collections.ts"
import { type Dataset, UNKNOWN_INDEX } from "../dataset/open.ts"
import type { ConditionTerms } from "../rules/provision-kinds.ts"
import type { Provision } from "../rules/provisions.ts"
import { type Held, isPermitOf, layOutDocument } from "./documents.ts"
import { isMemberOn, type Provisions, type ZonePlace } from "./recorded.ts"
import {
  type GivenPassport,
  type ReadItinerary,
  type ReadPassport,
  type ReadStay,
  type ReadStop,
  readDocument,
} from "./request-fields.ts"

/** A passport, its dates (`YYYY-MM-DD`) and its kind, null if not given. */
export interface HeldPassport extends Pick<ReadPassport, keyof GivenPassport> {}

/** A passport of the traveller. */
export interface Passport {
  readonly held: HeldPassport
  readonly kind: PassportKind
  /** Whether the answers of pairs apply to it: it is of no other kind and no class of British nationals. */
  readonly isOrdinary: boolean
  /** Whether it is recorded in the dataset. */
  readonly isRecorded: boolean
  /** Its index in the dataset, or one of the numbers for codes without an index; always one of these if it is not ordinary. */
  readonly row: number
  /** The index of the issuing state, likewise, whatever the kind. */
  readonly issuerRow: number
  /** The code under which rules for ordinary passports name it; {@link NAMED_NOWHERE} if only rules for everybody apply. */
  readonly ruledAs: string
  /** The nationality that it proves; null for documents that are issued to non-nationals. */
  readonly nationality: string | null
  /** The features on which rules depend that it is known to have, and to lack. */
  readonly features: PassportFeatures
  readonly expiryDay: EpochDay | null
  readonly issuedDay: EpochDay | null
  /** The earliest day on which it can have been issued: that of its issue, or the day of expiry less the longest time for which its issuer's are valid. */
  readonly earliestIssue: EpochDay | null
  /** The prefix of its fields in the names of gaps. */
  readonly path: string
  /** Its index among the traveller's passports. */
  readonly place: number
}

/** A stop, or a stay before the first one. */
export interface Stay {
  readonly destination: string
  readonly key: number
  /** The index of its destination in the dataset, or a number for codes without an index. */
  readonly column: number
  readonly from: string
  readonly to: string
  readonly firstDay: EpochDay
  readonly lastDay: EpochDay
  /** Whether the last day was not given; it is then set to the first day. */
  readonly isOpen: boolean
  /** The passport that the request names for this stop, or null. */
  readonly wantedPassport: string | null
  /** How the traveller arrives, or null. */
  readonly by: ReadStop["by"]
  /** Whether a permit covered an earlier stay. */
  readonly isUnderPermit: boolean
  /** Whether it is a change of planes, whose day is not given. */
  readonly isTransit: boolean
  /** Its index in the given list. */
  readonly place: number
  /** Its index among all stays, those before the itinerary first. */
  readonly order: number
  /** All stays in its country, and all in its zone, in order; one list for all of them. */
  readonly here: readonly Stay[]
  readonly inZone: readonly Stay[]
  readonly zonePlace: ZonePlace | null
  /** The day of leaving the destination, or its zone if the traveller continues inside it. */
  readonly departureDay: EpochDay
  /** The day of the entry into its zone or country, if the traveller came on inside it. */
  readonly entryDay: EpochDay
  /** Whether it is reached from the stop before without leaving its zone or its country, and without a border check. */
  readonly comesOnInside: boolean
  readonly comesUnchecked: boolean
  /** Days in the country up to the end of this stop, over all stops. */
  readonly daysAccumulated: number
}

/** A journey that was read. */
export interface Journey {
  readonly read: ReadItinerary
  readonly dataset: Dataset
  readonly provisions: Provisions
  readonly passports: readonly Passport[]
  readonly documents: readonly Held[]
  /** In the order of their first days. */
  readonly earlier: readonly Stay[]
  readonly stops: readonly Stay[]
  /** The transit countries, as indices of the dataset. */
  readonly transit: readonly number[]
  /** Whether any held document has a number of entries, which stops use up. */
  readonly hasCountedEntries: boolean
  /** The disputed pairs that are judged by their other answer; null if all are judged by the one that is shown. */
  readonly otherwise: ReadonlySet<string> | null
  /** Whether terms about the exit stay to check where the last day is not given, instead of being judged for a stay of one day. */
  readonly checksExit: boolean
}

/** Lays out a request that was read. */
export function read(provisions: Provisions, itinerary: ReadItinerary): Journey {
  const { dataset } = provisions
  const documents = readDocuments(dataset, itinerary)
  const { earlier, stops } = layOut(provisions, itinerary)
  return {
    read: itinerary,
    dataset,
    provisions,
    passports: readPassports(provisions, itinerary),
    documents,
    earlier,
    stops,
    transit:
      itinerary.transit === null
        ? NOTHING
        : itinerary.transit.map(each => dataset.destinationIndices[each.countryKey] as number),
    hasCountedEntries: documents.length > 0 && documents.some(({ read }) => typeof read.entries === "number"),
    otherwise: null,
    checksExit: false,
  }
}

// ---- Passports and documents

function readPassports(provisions: Provisions, itinerary: ReadItinerary): readonly Passport[] {
  const { passports } = itinerary
  const { fromDay } = itinerary.stops[0]!
  if (passports === null) return [readPassport(itinerary as ReadPassport, fromDay, provisions, "", 0)]
  return passports.map((passport, place) => readPassport(passport, fromDay, provisions, `passports[${place}].`, place))
}

/** Says whether a passport is recorded, by its index in a dataset and its code. */
export function isRecordedPassport(row: number, passport: string): boolean {
  return row < UNKNOWN_INDEX || BRITISH_CLASSES.includes(passport)
}

/** Replaces a code if no rule may name the traveller. */
const NAMED_NOWHERE = "---"

function readPassport(
  given: ReadPassport,
  arrivalDay: EpochDay,
  { dataset, lifetimes }: Provisions,
  path: string,
  place: number,
): Passport {
  const { passport, passportExpiry, passportIssued, passportKind, passportExpiryDay, passportIssuedDay } = given
  const { passportBiometric, passportIdentityNumber } = given
  const kind = passportKind ?? "ordinary"
  const issuerRow = dataset.passportIndices[given.passportKey] as number
  const isRecorded = isRecordedPassport(issuerRow, passport)
  const isOrdinary = !isRecorded || (issuerRow < UNKNOWN_INDEX && kind === "ordinary")
  const row = isOrdinary ? issuerRow : UNKNOWN_INDEX
  const lifetime = lifetimes[row]
  const isDated = lifetime !== undefined && passportExpiryDay !== null
  const earliestIssue = passportIssuedDay ?? (isDated ? addCivilMonths(passportExpiryDay, -lifetime.months) : null)
  const isBiometric = isAlwaysBiometric(lifetime, earliestIssue, arrivalDay)
  return {
    held: { passport, passportExpiry, passportIssued, passportKind, passportBiometric, passportIdentityNumber },
    kind,
    isOrdinary,
    isRecorded,
    row,
    issuerRow,
    ruledAs: isOrdinary ? passport : NAMED_NOWHERE,
    nationality: isOfNationals(kind) ? passport : null,
    features: readFeatures(passportBiometric ?? (isBiometric || null), passportIdentityNumber),
    expiryDay: passportExpiryDay,
    issuedDay: passportIssuedDay,
    earliestIssue,
    path,
    place,
  }
}

/** Says whether a history answers for a day, one before the dataset's first. */
export function isPast({ sinceDay, past }: Dataset, { firstDay }: { readonly firstDay: EpochDay }): boolean {
  return firstDay < sinceDay && past !== undefined
}

/** Says whether a passport is known to have expired before a day. */
export function isExpired({ expiryDay }: Passport, day: EpochDay): boolean {
  return expiryDay !== null && expiryDay < day
}

// The residence is one of the documents, unless a permit of that country is given, which says more, such as its last day.
function readDocuments(dataset: Dataset, { held, residence }: ReadItinerary): readonly Held[] {
  if (held === null && residence === null) return NOTHING
  const documents = (held ?? NOTHING).map((document, place) => layOutDocument(dataset, document, place))
  if (residence !== null && !documents.some(each => isPermitOf(each, residence))) {
    const permit = readDocument({ kind: "residence_permit", issuer: residence }, [])
    documents.push(layOutDocument(dataset, permit, null))
  }
  return documents
}

// ---- Features of passports

// Which features does a passport have on which rules depend?
//
// Rules that lift a visa often apply only to biometric passports, or to those with an identity number (Regulation (EU) 2018/1806, the footnotes
// of Annex II); holders of others need a visa by Annex I. Features that are not given are not guessed: they stay conditions to check, unless an
// issuer has issued biometric passports alone for longer than any of its passports is valid.

type Feature = Extract<ConditionTerms, { readonly kind: "passport_kind" }>["features"][number]

/** The features that a passport is known to have, and those that it is known to lack. */
export interface PassportFeatures {
  readonly has: readonly Feature[]
  readonly lacks: readonly Feature[]
}

/** The features of a passport about which nothing was said. */
const NOTHING_SAID: PassportFeatures = Object.freeze({ has: Object.freeze([]), lacks: Object.freeze([]) })

/** Reads the features of a passport. Every biometric passport is machine-readable (ICAO Doc 9303). */
function readFeatures(biometric: boolean | null, number: boolean | null): PassportFeatures {
  if (biometric === null && number === null) return NOTHING_SAID
  const select = (isSo: boolean): Feature[] => [
    ...(biometric === isSo ? (["biometric"] as const) : []),
    ...(number === isSo ? (["identity_number"] as const) : []),
  ]
  const has = select(true)
  return { has: biometric === true ? [...has, "machine_readable"] : has, lacks: select(false) }
}

/** Says whether a passport that is valid on a day is known to be biometric, because its issuer has issued no others since the earliest day of its issue. */
function isAlwaysBiometric(
  lifetime: Provision<"lifetimes"> | undefined,
  earliestIssue: EpochDay | null,
  day: EpochDay,
): boolean {
  const sinceDay = parseCivilDate(lifetime?.biometricSince ?? null)
  return sinceDay !== null && (earliestIssue ?? addCivilMonths(day, -lifetime!.months)) >= sinceDay
}

// ---- Stays

type Building<Value> = { -readonly [Field in keyof Value]: Value[Field] }
type Given = Omit<ReadStay, "permit" | "to" | "toDay"> & {
  readonly to: string | null
  readonly toDay: EpochDay | null
}

// The entry of a place about which the request says nothing.
const ANYHOW = { passport: null, by: null } as const

// Lays out one stay, as if it were the only one. A stop without a last day is one of its first day.
function layOutStay(
  { dataset, zonePlaces }: Provisions,
  { destination, destinationKey, from, fromDay, to, toDay }: Given,
  place: number,
  { passport, by }: Pick<ReadStop, "passport" | "by">,
  isUnderPermit: boolean,
): Building<Stay> {
  const column = dataset.destinationIndices[destinationKey] as number
  const lastDay = toDay ?? fromDay
  return {
    destination,
    key: destinationKey,
    column,
    from,
    to: to ?? from,
    firstDay: fromDay,
    lastDay,
    isOpen: to === null,
    wantedPassport: passport,
    by,
    isUnderPermit,
    isTransit: false,
    place,
    order: 0,
    here: NOTHING,
    inZone: NOTHING,
    zonePlace: column < UNKNOWN_INDEX ? zonePlaces[column]! : null,
    departureDay: lastDay,
    entryDay: fromDay,
    comesOnInside: false,
    comesUnchecked: false,
    daysAccumulated: lastDay - fromDay + 1,
  }
}

function layOut(provisions: Provisions, { stops: given, earlierStays }: ReadItinerary) {
  const earlier: Building<Stay>[] = []
  for (let place = 0; place < (earlierStays?.length ?? 0); place++) {
    const stay = earlierStays![place]!
    insertInOrder(earlier, layOutStay(provisions, stay, place, ANYHOW, stay.permit !== null))
  }
  const stops: Building<Stay>[] = []
  for (let place = 0; place < given.length; place++) {
    const stop = given[place]!
    stops.push(layOutStay(provisions, stop, place, stop, false))
  }
  if (earlier.length + stops.length === 1) {
    const only = stops[0]!
    only.here = stops
    if (only.zonePlace !== null) only.inZone = stops
    return { earlier, stops }
  }
  groupStays(provisions, earlier, stops)
  joinBorders(provisions, stops)
  return { earlier, stops }
}

// Insertion sort: there are few stays, and most are in order already.
function insertInOrder(stays: Building<Stay>[], stay: Building<Stay>): void {
  let at = stays.push(stay) - 1
  for (; at > 0 && isLater(stays[at - 1]!, stay); at--) stays[at] = stays[at - 1]!
  stays[at] = stay
}

function isLater(a: Stay, b: Stay): boolean {
  return a.firstDay > b.firstDay || (a.firstDay === b.firstDay && a.lastDay > b.lastDay)
}

// Groups the stays of one country and of one zone. Territories that follow a country's rules are in its country when days are counted.
function groupStays(provisions: Provisions, earlier: readonly Building<Stay>[], stops: readonly Building<Stay>[]) {
  const countryKeys: number[] = []
  const countryLists: Stay[][] = []
  const zoneLists: (Stay[] | undefined)[] = []
  for (let order = 0; order < earlier.length + stops.length; order++) {
    const stay = order < earlier.length ? earlier[order]! : stops[order - earlier.length]!
    stay.order = order
    const key = countryOf(provisions, stay)
    let at = countryKeys.indexOf(key)
    if (at < 0) at = countryKeys.push(key) - 1
    // Made with its first stay: a list that grows from nothing takes room for many.
    const here = countryLists[at] ?? [stay]
    countryLists[at] = here
    const before = here[here.length - 1]!
    if (before !== stay) {
      if (before.order >= earlier.length) accumulate(stay, before)
      here.push(stay)
    }
    stay.here = here
    if (stay.zonePlace === null) continue
    const { index } = stay.zonePlace
    const inZone = zoneLists[index] ?? [stay]
    zoneLists[index] = inZone
    if (inZone[0] !== stay) inZone.push(stay)
    stay.inZone = inZone
  }
}

// A code that the dataset does not have is a country of its own.
function countryOf({ countries }: Provisions, { column, key }: Stay): number {
  return column < UNKNOWN_INDEX ? countries[column]! : -1 - key
}

function accumulate(stay: Building<Stay>, before: Stay): void {
  stay.daysAccumulated += before.daysAccumulated - (before.lastDay === stay.firstDay ? 1 : 0)
}

/** Adds a change of planes after the last stop of a journey: the stop that it is, and the stops with it. */
export function addTransit(
  { provisions, earlier, stops }: Journey,
  given: Given & Pick<ReadStop, "passport" | "by">,
): Stay & Pick<Journey, "stops"> {
  const stop = { ...layOutStay(provisions, given, 0, given, false), isTransit: true, stops: NOTHING as readonly Stay[] }
  const all: readonly Stay[] = [...earlier, ...stops]
  const country = countryOf(provisions, stop)
  const here = all.filter(stay => countryOf(provisions, stay) === country)
  const before = here[here.length - 1]
  if (before !== undefined && before.order >= earlier.length) accumulate(stop, before)
  stop.order = all.length
  stop.here = [...here, stop]
  if (stop.zonePlace !== null)
    stop.inZone = [...all.filter(stay => stay.zonePlace?.index === stop.zonePlace!.index), stop]
  if (stops.length > 0) comeFrom(provisions, stops[stops.length - 1]!, stop)
  stop.stops = [...stops, stop]
  return stop
}

// Finds where the traveller goes on without leaving a zone or a country, or over an open border.
function joinBorders(provisions: Provisions, stops: readonly Building<Stay>[]): void {
  // By the bit of a stop: whether the traveller comes to it inside its zone or over an open border.
  let joined = 0
  for (let at = 1; at < stops.length; at++) {
    if (comeFrom(provisions, stops[at - 1]!, stops[at]!)) joined |= 1 << at
  }
  for (let at = stops.length - 2; at >= 0 && joined !== 0; at--) {
    if ((joined & (2 << at)) !== 0) stops[at]!.departureDay = stops[at + 1]!.departureDay
  }
}

// Finds how the traveller comes from one stop to the next. Says whether it is inside a zone or over an open border.
function comeFrom(provisions: Provisions, before: Stay, stop: Building<Stay>): boolean {
  if (stop.firstDay > before.lastDay + 1) return false
  const isInZone = goesOnInside(before, stop)
  const isOverOpenBorder = crossesOpenBorder(provisions, before, stop)
  stop.comesOnInside = isInZone || countryOf(provisions, before) === countryOf(provisions, stop)
  stop.comesUnchecked = stop.comesOnInside || isOverOpenBorder
  if (!isInZone && !isOverOpenBorder) return false
  stop.entryDay = before.entryDay
  return true
}

// Continuing inside a zone, on consecutive days, is neither leaving nor entering it.
function goesOnInside({ zonePlace: place, lastDay }: Stay, { zonePlace: nextPlace, firstDay }: Stay): boolean {
  if (place === null || nextPlace?.zone !== place.zone) return false
  return isMemberOn(place.memberships, lastDay) && isMemberOn(nextPlace.memberships, firstDay)
}

// An open border has no checks: San Marino and the Vatican lie inside Italy.
function crossesOpenBorder({ openTo }: Provisions, { column: from }: Stay, { column: to }: Stay): boolean {
  return from < UNKNOWN_INDEX && to < UNKNOWN_INDEX && openTo[from]?.includes(to) === true
}

/** Returns the stay with an index among all, the earlier ones first; null below the first. */
export function stayOf({ stops, earlier }: Journey, order: number): Stay | null {
  if (order < 0) return null
  return order < earlier.length ? earlier[order]! : stops[order - earlier.length]!
}

/**
 * Says whether all days between one stay and another, of a different visit, are spent in neighbours. A day about which
 * nothing is said counts as spent elsewhere.
 */
export function goesAround(journey: Journey, before: Stay, stay: Stay, neighbours: readonly string[]): boolean {
  let coveredDay = before.lastDay
  for (let order = before.order + 1; order < stay.order; order++) {
    const { destination, firstDay, lastDay } = stayOf(journey, order)!
    if (!neighbours.includes(destination) || firstDay > coveredDay + 1) return false
    if (lastDay > coveredDay) coveredDay = lastDay
  }
  return stay.order > before.order + 1 && stay.firstDay <= coveredDay + 1
}

/** Counts the countries of the dataset in a journey, stops and transit together. */
export function countCountries({ stops, transit }: Journey): number {
  if (stops.length === 1 && transit.length === 0) return stops[0]!.column < UNKNOWN_INDEX ? 1 : 0
  const columns: number[] = []
  const add = (column: number) => {
    if (column < UNKNOWN_INDEX && !columns.includes(column)) columns.push(column)
  }
  for (const { column } of stops) add(column)
  transit.forEach(add)
  return columns.length
}
