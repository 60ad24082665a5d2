/** How many days of a zone's allowance has a visitor used, what is left, and was it exceeded? */
import {
  countStayDays,
  type Dataset,
  findEarliestEntry,
  findLastLegalDay,
  findLongestStay,
  findZoneAgreement,
  formatCivilDate,
  type InputError,
  isCode,
  lookupRequirement,
  measureBreach,
  parseCivilDate,
  type Result,
  type Stay,
  type UncountedStay,
  type Zone,
} from "../../src/engine.ts"
import { helpWithIssue } from "./code-help.ts"

/** A question about stays in one zone. */
export interface StayQuestion {
  readonly zone: Zone
  readonly stays: readonly Stay[]
  /** The day of the count (`YYYY-MM-DD`). */
  readonly on: string
  /** Also find the earliest entry for a stay of so many days. */
  readonly days?: number | undefined
}

/** A residence permit or a national long-stay visa of a country, with its days, both counted. */
export interface Permit {
  readonly destination: string
  readonly kind: NonNullable<Stay["permit"]>
  readonly from: string
  readonly to: string
}

/** Reads permits; returns every mistake with its path. */
export function readPermits(given: unknown): {
  readonly permits: readonly Permit[]
  readonly mistakes: readonly string[]
} {
  if (given === undefined) return { permits: [], mistakes: [] }
  if (!Array.isArray(given)) return { permits: [], mistakes: ["permits: a list is expected."] }
  const mistakes: string[] = []
  const permits = given.slice(0, MOST_PERMITS).map((each: Partial<Permit> | null, at): Permit => {
    const { destination = "", kind = "", from = "", to = "", ...others } = each ?? {}
    const refuse = (field: string, message: string) => mistakes.push(`permits[${at}].${field}: ${message}`)
    for (const name of Object.keys(others))
      refuse(name.slice(0, 40), "There is no such field; known: destination, kind, from, to.")
    if (!isCode(destination)) {
      const message = `${JSON.stringify(destination)} is not an ISO 3166-1 alpha-3 code: three capital letters.`
      refuse("destination", helpWithIssue({ message }).message)
    }
    if (kind !== "residence" && kind !== "national_visa")
      refuse("kind", `${JSON.stringify(kind)} is neither "residence" nor "national_visa".`)
    for (const [field, day] of [
      ["from", from],
      ["to", to],
    ] as const) {
      if (parseCivilDate(day) === null) refuse(field, `${JSON.stringify(day)} is not a calendar date YYYY-MM-DD.`)
    }
    if (mistakes.length === 0 && to < from)
      refuse("to", `${JSON.stringify(to)} is before the first day of the permit, ${from}.`)
    return { destination, kind: kind as Permit["kind"], from, to }
  })
  if (given.length > MOST_PERMITS) mistakes.push(`permits: at most ${MOST_PERMITS} are expected, not ${given.length}.`)
  return { permits, mistakes }
}

const MOST_PERMITS = 100

/** Why days do not count: the reasons of the calculators, and those of a passport. */
export type WhyUncounted = UncountedStay["reason"] | "home" | "free_movement" | "agreement"

/** A stay, or a part of one, and the place of the whole in the list that was given. */
export interface PartOfStay {
  readonly stay: Stay
  readonly index: number
  /** Why its days do not count for this passport, if they do not. */
  readonly why?: WhyUncounted
}

/** An agreement that may allow a passport's holder more than the zone's days in one of its states. */
export interface BesideZone {
  readonly index: number
  readonly destination: string
  readonly agreement: string
  /** Null if no number of days is recorded. */
  readonly days: number | null
  readonly sourceUrl: string | null
}

/**
 * Reads stays for a passport: at home, with freedom of movement and under an agreement that exempts, no rule of a zone binds, as in a decision. Other agreements are named, because whether
 * their days may be used is for the state to grant; their days count.
 */
export function applyPassport(
  dataset: Dataset,
  { zone, passport, parts }: { readonly zone: Zone; readonly passport: string; readonly parts: readonly PartOfStay[] },
): { readonly parts: readonly PartOfStay[]; readonly agreements: readonly BesideZone[] } {
  const agreements: BesideZone[] = []
  const members = new Set(zone.members.map(({ code }) => code))
  const applied = parts.map((part): PartOfStay => {
    const { stay, index } = part
    // Whether the list is well-formed is judged with the count.
    const { destination, from } = stay ?? {}
    const day = parseCivilDate(from)
    if (day === null || stay.permit !== undefined || !members.has(destination)) return part
    const answer = lookupRequirement(dataset, passport, destination, { on: from })
    const own = answer.kind === "found" ? answer : lookupRequirement(dataset, passport, destination)
    const exempt = (why: WhyUncounted): PartOfStay => ({ stay: { ...stay, permit: "residence" }, index, why })
    if (own.kind === "found" && own.home) return exempt("home")
    if (own.kind === "found" && own.bloc !== null && !own.uncertain) return exempt("free_movement")
    const rule = findZoneAgreement(dataset, passport, destination, zone.id, Math.max(day, dataset.sinceDay))
    if (rule?.agreement == null) return part
    if (rule.kind === "beside_zone" && rule.days === null) return exempt("agreement")
    // Permits may have divided a stay.
    if (agreements.some(named => named.index === index && named.agreement === rule.agreement)) return part
    agreements.push({ index, destination, agreement: rule.agreement, days: rule.days, sourceUrl: rule.sourceUrl })
    return part
  })
  return { parts: applied, agreements }
}

/**
 * Divides stays at the first and the last days of permits of their destinations: days under a permit do not count (Regulation (EU) 2016/399, Art. 6(2)), those before and after it do.
 * Stays elsewhere in the zone count, because a permit is that of one state.
 */
export function divideAtPermits(stays: readonly Stay[], permits: readonly Permit[]): readonly PartOfStay[] {
  return stays.flatMap((whole, index) => {
    let parts: readonly Stay[] = [whole]
    if (
      typeof whole !== "object" ||
      whole === null ||
      parseCivilDate(whole.from) === null ||
      parseCivilDate(whole.to) === null
    )
      return [{ stay: whole, index }]
    for (const permit of permits) parts = parts.flatMap(part => divide(part, permit))
    return parts.map(stay => ({ stay, index }))
  })
}

function divide(stay: Stay, { destination, kind, from, to }: Permit): readonly Stay[] {
  if (stay.permit !== undefined || stay.destination !== destination || stay.to < from || stay.from > to) return [stay]
  const first = stay.from < from ? from : stay.from
  const last = stay.to > to ? to : stay.to
  return [
    ...(stay.from < first ? [{ ...stay, to: nextDay(first, -1) }] : []),
    { ...stay, from: first, to: last, permit: kind },
    ...(stay.to > last ? [{ ...stay, from: nextDay(last, 1) }] : []),
  ]
}

const nextDay = (day: string, days: number): string => formatCivilDate((parseCivilDate(day) ?? 0) + days)

/** Reports on stays; fails with the first calculator that refuses them. */
export function reportStays({ zone, stays, on, days }: StayQuestion) {
  const used = countStayDays(zone, stays, on)
  if (!used.ok) return used
  const lastLegalDayOn = findLastLegalDay(zone, stays, on)
  if (!lastLegalDayOn.ok) return lastLegalDayOn
  const longestStayFromThen = findLongestStay(zone, stays, on)
  if (!longestStayFromThen.ok) return longestStayFromThen
  const breach = measureBreach(zone, stays)
  if (!breach.ok) return breach
  const earliest = days === undefined ? null : findEarliestEntry(zone, stays, { days, notBeforeOn: on })
  if (earliest !== null && !earliest.ok) return earliest
  // The stays that do not count are told once.
  const { notCounted: _, ...longest } = longestStayFromThen.value
  const { notCounted: __, ...measured } = breach.value
  const value = {
    zone: zone.id,
    on,
    ...used.value,
    lastLegalDayOn: lastLegalDayOn.value,
    longestStayFromThen: longest,
    breach: measured,
    ...(earliest === null ? {} : { earliestEntryOn: earliest.value }),
  }
  return { ok: true, value } satisfies Result<object, InputError>
}
