/** The plain objects that journeys are judged over by hand: a world, a question about it, and what is found without its words. */
import type { OracleStayRule } from "./stay-counting.ts"
import { dayOf, type OracleZone } from "./stay-days.ts"

/** What a border answers for one passport, from a day on. */
export interface WorldEntry {
  readonly fromOn: string
  readonly requirement: string
  readonly days: number | null
  /** Freedom of movement. */
  readonly free: boolean
  /** Read in an imported table alone. */
  readonly table?: boolean
}

/** What a waiver asks of a document. */
export interface OracleDocumentTerms {
  readonly kind: "visa" | "residence_permit"
  readonly issuers: readonly string[]
  readonly multipleEntry?: true
  readonly usedBefore?: true
  readonly validDaysAfterExit?: number
}

export interface OracleWaiver {
  readonly destinations: readonly string[]
  readonly held: readonly OracleDocumentTerms[]
  readonly requirement: string
  readonly days: number | null
}

export interface World {
  readonly sinceOn: string
  readonly passports: readonly string[]
  readonly destinations: readonly string[]
  /** Entries by passport and destination run together, in order of days; a pair that is missing has no record. */
  readonly entries: Readonly<Record<string, readonly WorldEntry[]>>
  /** Territories, and the country whose entries hold there. */
  readonly follows: Readonly<Record<string, string>>
  readonly zones: readonly (OracleZone & { readonly id: string })[]
  readonly validity: readonly {
    readonly destinations: readonly string[]
    /** `permitted_stay`: the end of the days that are permitted from the arrival on. */
    readonly anchor: "arrival" | "departure" | "permitted_stay"
    /** Whose passports it is recorded for; everybody's without it. */
    readonly passports?: readonly string[] | undefined
    readonly months: number
    readonly days: number
    readonly issuedWithinYears: number | null
    /** For visits of up to three months a passport may have expired so many years before. */
    readonly expiredWithinYears?: number | null | undefined
  }[]
  readonly transit: readonly string[]
  readonly borders?: OracleBorders
  readonly kinds?: readonly OracleKindRule[]
  readonly askedAt?: readonly OracleAskedAt[]
  readonly stayRules?: readonly OracleStayRule[]
  /** What a destination asks of holders of documents of other states. */
  readonly waivers?: readonly OracleWaiver[]
  /** Agreements beside a zone's rule; without days they exempt from it; or they may allow more, their days at most. */
  readonly agreements?: readonly {
    readonly destinations: readonly string[]
    readonly passports: readonly string[]
    readonly zone: string
    readonly days: number | null
    readonly mayExceed?: boolean
  }[]
}

/** What public law says of some borders. */
export interface OracleBorders {
  /** Pairs of destinations between which nobody checks. */
  readonly open: readonly (readonly [string, string])[]
  /** Destinations where citizens of a country enter on its passport, or on one of the others that are named. */
  readonly own: readonly {
    readonly destinations: readonly string[]
    readonly citizensOf: string
    readonly others: readonly string[]
    readonly by?: readonly ("air" | "land" | "sea")[]
  }[]
}

/** At one destination, what is asked by some borders alone, and what by the others. */
export interface OracleAskedAt {
  readonly destination: string
  readonly requirement: string
  readonly borders: readonly ("air" | "land" | "sea")[]
  readonly elsewhere: string
}

export interface OraclePassport {
  readonly passport: string
  readonly passportExpiry?: string | null
  readonly passportIssued?: string | null
  readonly passportKind?: "diplomatic" | "refugee_convention" | null
}

/** What is asked of holders of passports of a kind. */
export interface OracleKindRule {
  readonly kinds: readonly ("diplomatic" | "refugee_convention")[]
  readonly destinations: readonly string[]
  /** Who issued them; everybody without it. */
  readonly passports?: readonly string[]
  readonly requirement: string
  readonly days: number | null
  /** Only for those who live where it was issued. */
  readonly residents?: true
  /** Only where the issuer's ordinary passports need one of these. */
  readonly requirements?: readonly string[]
}

export interface OracleDocument {
  readonly kind: "visa" | "residence_permit"
  readonly issuer: string
  readonly type?: string
  readonly validFrom?: string
  readonly validUntil?: string
  readonly entries?: number | "multiple"
  readonly durationOfStayDays?: number
  readonly used?: boolean
}

export interface OracleStay {
  readonly destination: string
  readonly from: string
  readonly to: string
}

export interface OracleItinerary {
  readonly travellers: readonly OraclePassport[]
  readonly stops: readonly (OracleStay & { readonly passport?: string | null; readonly by?: "air" | "land" | "sea" })[]
  readonly transit: readonly string[]
  readonly earlierStays?: readonly (OracleStay & { readonly permit?: "residence" | "national_visa" })[]
  readonly held?: readonly OracleDocument[]
  readonly residence?: string | null
  readonly purpose?: string | null
}

/** A decision without its words. */
export interface Summary {
  readonly verdict: string
  readonly pairsCharged: number
  readonly steps: readonly {
    readonly passport: string
    /** Place of the document that is entered with, `residence`, or null. */
    readonly document: number | string | null
    readonly days: number
    readonly requirement: string
    readonly maxStay: number | string
    readonly daysAccumulated: number
    readonly countedStay: string | null
    readonly zoneStay: number | string | null
    readonly passportValidity: string
  }[]
  readonly blockers: readonly string[]
  readonly conditions: readonly string[]
  readonly unknowns: readonly string[]
}

/** What a border answers on one day. */
export interface Terms {
  readonly requirement: string
  readonly days: number | null
  readonly table?: boolean
  /** Whether it has to be checked where the holder lives. */
  readonly toCheck?: boolean
  /** Whether it is asked by some borders alone, and nobody says by which the traveller comes. */
  readonly isAskedAtSome?: boolean
  /** At home here, or in a territory that follows home. */
  readonly homeThere: boolean
  /** At home or under freedom of movement, here or where the territory follows. */
  readonly free: boolean
}

/** The requirements, the easiest first. */
/** By what has to be done: a visa that is issued on arrival leaves nothing to obtain before. */
export const REQUIREMENTS = ["visa_free", "visa_on_arrival", "eta", "e_visa", "visa_required", "no_admission"]

/** The zone that a destination belongs to at some time. */
export const zoneOf = (world: World, destination: string) =>
  world.zones.find(zone => zone.members.some(member => member.code === destination))

/** The country whose days those in a destination are: the one that it follows, where both are in one zone or in none. */
export function countryOf(world: World, destination: string): string {
  const followed = world.follows[destination]
  if (followed === undefined) return destination
  return zoneOf(world, followed) === zoneOf(world, destination) ? followed : destination
}

function entryOn(world: World, passport: string, destination: string, day: number): Terms | null {
  if (day < dayOf(world.sinceOn) || !world.passports.includes(passport)) return null
  if (passport === destination && world.destinations.includes(destination)) {
    return { requirement: "visa_free", days: null, homeThere: true, free: true }
  }
  const own = (world.entries[passport + destination] ?? []).filter(entry => dayOf(entry.fromOn) <= day).at(-1)
  if (own !== undefined) return { ...own, homeThere: false }
  const followed = world.follows[destination]
  const inherited = followed === undefined ? null : entryOn(world, passport, followed, day)
  if (inherited === null || followed === undefined) return null
  // Citizens are at home in the territory; a treaty reaches it in its country's zone, or where neither is in one.
  const isReached = zoneOf(world, destination) === zoneOf(world, followed)
  return { ...inherited, free: inherited.homeThere || (inherited.free && isReached) }
}

const isWithoutVisa = (requirement: string) => requirement === "visa_free" || requirement === "eta"

/** What a border answers by which the traveller says that he comes; `policies` are those whose conditions hold. */
function entryBy(
  world: World,
  terms: Terms,
  by: OracleAskedAt["borders"][number] | undefined,
  policies: unknown[],
): Terms {
  const askedAt = (world.askedAt ?? []).find(
    rule => policies.includes(rule.destination) && rule.requirement === terms.requirement,
  )
  if (askedAt === undefined || terms.free || (by !== undefined && askedAt.borders.includes(by))) return terms
  if (by === undefined) return { ...terms, isAskedAtSome: true }
  const days = isWithoutVisa(terms.requirement) && isWithoutVisa(askedAt.elsewhere) ? terms.days : null
  const { toCheck } = terms
  return { requirement: askedAt.elsewhere, days, homeThere: false, free: false, ...(toCheck ? { toCheck } : {}) }
}

/** Whether a document shows that its holder is a national of the state that issued it. */
export const isOfNational = ({ passportKind }: OraclePassport) => passportKind !== "refugee_convention"

/** The code by which rules for ordinary passports name one; none of another kind. */
export const namedAs = ({ passport, passportKind }: OraclePassport) => (passportKind == null ? passport : "none")

/** What a border answers for a document of any kind: another one than the ordinary passport by rules for its kind alone. */
export function entryWith(
  world: World,
  itinerary: OracleItinerary,
  held: OraclePassport,
  stay: OracleItinerary["stops"][number],
): Terms | null {
  const { passport, passportKind } = held
  const ordinary = entryOn(world, passport, stay.destination, dayOf(stay.from))
  if (passportKind == null || !world.passports.includes(passport)) {
    if (ordinary === null) return null
    const isInherited = world.entries[passport + stay.destination] === undefined
    const followed = isInherited ? world.follows[stay.destination] : undefined
    return entryBy(world, ordinary, stay.by, [stay.destination, followed])
  }
  // Nobody stops being at home before the first day of the rules.
  const home = entryOn(world, passport, stay.destination, Math.max(dayOf(stay.from), dayOf(world.sinceOn)))
  if (home?.homeThere) return isOfNational(held) ? home : null
  if (dayOf(stay.from) < dayOf(world.sinceOn)) return null
  const { residence, held: documents = [] } = itinerary
  const isAtHome =
    residence === passport || documents.some(({ kind, issuer }) => kind === "residence_permit" && issuer === passport)
  const rules = (world.kinds ?? []).filter(
    ({ kinds, destinations, passports, requirements, residents }) =>
      kinds.includes(passportKind) &&
      destinations.includes(stay.destination) &&
      (passports === undefined || passports.includes(passport)) &&
      (requirements === undefined || (ordinary !== null && requirements.includes(ordinary.requirement))) &&
      !(residents && residence != null && !isAtHome),
  )
  const rule = rules.find(({ passports }) => passports !== undefined) ?? rules[0]
  if (rule === undefined) return null
  const toCheck = rule.residents === true && !isAtHome
  const terms = { requirement: rule.requirement, days: rule.days, homeThere: false, free: false, toCheck }
  return entryBy(world, terms, stay.by, [stay.destination])
}

export function isMember(zone: OracleZone, destination: string, day: number): boolean {
  return zone.members.some(
    member =>
      member.code === destination &&
      (member.fromDay === null || member.fromDay <= day) &&
      (member.untilDay === null || day < member.untilDay),
  )
}

/** Every day of a stay. */
export const daysFrom = (stay: OracleStay): number[] => {
  const days: number[] = []
  for (let day = dayOf(stay.from); day <= dayOf(stay.to); day++) days.push(day)
  return days
}

/** Whether a stay is reached from the one before it without leaving a zone. */
export function comesFromInside(world: World, previous: OracleStay, next: OracleStay): boolean {
  return world.zones.some(
    each =>
      isMember(each, previous.destination, dayOf(previous.to)) &&
      isMember(each, next.destination, dayOf(next.from)) &&
      dayOf(next.from) <= dayOf(previous.to) + 1,
  )
}

/** Whether a stay is reached from the one before it over a border that nobody checks. */
export function comesUnseen(world: World, previous: OracleStay, next: OracleStay): boolean {
  const open = world.borders?.open ?? []
  const isBetween = open.some(
    ([a, b]) =>
      (a === previous.destination && b === next.destination) || (b === previous.destination && a === next.destination),
  )
  return isBetween && dayOf(next.from) <= dayOf(previous.to) + 1
}
