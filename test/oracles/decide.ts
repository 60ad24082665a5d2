/**
 * An itinerary judged by hand: sets of days, calendars turned month by month, and the rules read one after the other.
 *
 * Slow and obvious on purpose. It knows a world of plain objects and imports nothing of what it judges.
 */
import { type DaySets, dayOf, type OracleZone, usedOn } from "./stay-days.ts"

/** What a border answers for one passport, from a day on. */
export interface WorldEntry {
  readonly fromOn: string
  readonly requirement: string
  readonly days: number | null
  /** Freedom of movement. */
  readonly free: boolean
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
    readonly anchor: "arrival" | "departure"
    readonly months: number
    readonly days: number
    readonly issuedWithinYears: number | null
  }[]
  readonly transit: readonly string[]
}

export interface OracleTraveller {
  readonly passport: string
  readonly passportExpiry?: string | null
  readonly passportIssued?: string | null
}

export interface OracleItinerary {
  readonly travellers: readonly OracleTraveller[]
  readonly stops: readonly { readonly destination: string; readonly from: string; readonly to: string }[]
  readonly transit: readonly string[]
  readonly residence?: string | null
  readonly purpose?: string | null
}

/** A decision without its words. */
export interface Summary {
  readonly verdict: string
  readonly pairsCharged: number
  readonly steps: readonly {
    readonly passport: string
    readonly days: number
    readonly requirement: string
    readonly maxStay: number | string
    readonly daysAccumulated: number
    readonly zoneStay: number | string | null
    readonly passportValidity: string
  }[]
  readonly blockers: readonly string[]
  readonly conditions: readonly string[]
  readonly unknowns: readonly string[]
}

interface Terms {
  readonly requirement: string
  readonly days: number | null
  /** At home here; in a territory that follows home, `homeThere` alone is true. */
  readonly home: boolean
  readonly homeThere: boolean
  /** At home or under freedom of movement, here or where the territory follows. */
  readonly free: boolean
}

function entryOn(world: World, passport: string, destination: string, day: number): Terms | null {
  if (day < dayOf(world.sinceOn)) return null
  if (passport === destination && world.destinations.includes(destination)) {
    return { requirement: "visa_free", days: null, home: true, homeThere: true, free: true }
  }
  const own = (world.entries[passport + destination] ?? []).filter(entry => dayOf(entry.fromOn) <= day).at(-1)
  if (own !== undefined) return { ...own, home: false, homeThere: false }
  const followed = world.follows[destination]
  const inherited = followed === undefined ? null : entryOn(world, passport, followed, day)
  return inherited === null ? null : { ...inherited, home: false }
}

function addMonths(day: number, months: number): number {
  const date = new Date(day * 86_400_000)
  const first = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1)
  const lastOfMonth = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months + 1, 0)).getUTCDate()
  return first / 86_400_000 + Math.min(date.getUTCDate(), lastOfMonth) - 1
}

const REQUIREMENTS = ["visa_free", "eta", "visa_on_arrival", "e_visa", "visa_required", "no_admission"]

// Better passports first: not expired, not too short, easier, longer; home, then free movement without a number, numbers, not known.
function rank(terms: Terms | null, isExpired: boolean, isShort: boolean): number[] {
  const failings = isExpired ? 2 : isShort ? 1 : 0
  if (terms === null) return [failings, REQUIREMENTS.length, 0]
  const stay = terms.homeThere
    ? -2
    : terms.days !== null
      ? 100_000 - terms.days
      : terms.free
        ? -1
        : Number.POSITIVE_INFINITY
  return [failings, REQUIREMENTS.indexOf(terms.requirement), stay]
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, place) => value !== b[place])
  return at < 0 ? 0 : (a[at] as number) < (b[at] as number) ? -1 : 1
}

function isMember(zone: OracleZone, destination: string, day: number): boolean {
  return zone.members.some(
    member =>
      member.code === destination &&
      (member.fromDay === null || member.fromDay <= day) &&
      (member.untilDay === null || day < member.untilDay),
  )
}

export function decideByHand(
  world: World,
  { travellers, stops, transit, residence, purpose }: OracleItinerary,
): Summary {
  const known = travellers.filter(({ passport }) => world.passports.includes(passport))
  const blockers: string[][] = stops.map(() => [])
  const conditions: string[] = []
  const unknowns: string[] = []
  const chosen: OracleTraveller[] = []
  const termsAt: (Terms | null)[] = []
  const daysOf = (at: number) => {
    const days: number[] = []
    for (let day = dayOf(stops[at]!.from); day <= dayOf(stops[at]!.to); day++) days.push(day)
    return days
  }
  const expiryOf = (held: OracleTraveller) => (held.passportExpiry ? dayOf(held.passportExpiry) : null)
  const isVisitor = (at: number) => {
    const terms = termsAt[at]
    return terms != null && !terms.free && terms.days !== null && ["visa_free", "eta"].includes(terms.requirement)
  }
  const daysIn = (zone: OracleZone, last: number, counts: (at: number) => boolean): DaySets => {
    const days = new Set<number>()
    for (let at = 0; at <= last; at++) {
      if (counts(at)) for (const day of daysOf(at)) if (isMember(zone, stops[at]!.destination, day)) days.add(day)
    }
    return { counted: days, inside: days }
  }

  // Whether the stop at a place is reached from the one before it without leaving a zone.
  const comesFromInside = (place: number) => {
    const [previous, next] = [stops[place - 1]!, stops[place]!]
    return world.zones.some(
      each =>
        isMember(each, previous.destination, dayOf(previous.to)) &&
        isMember(each, next.destination, dayOf(next.from)) &&
        dayOf(next.from) <= dayOf(previous.to) + 1,
    )
  }
  const validityOf = (at: number, held: OracleTraveller, terms: Terms | null): "met" | "not_met" | "unknown" => {
    const rule = world.validity.find(each => each.destinations.includes(stops[at]!.destination))
    const expiry = expiryOf(held)
    if (rule === undefined || terms?.free === true || expiry === null) return "unknown"
    let last = at
    while (last + 1 < stops.length && comesFromInside(last + 1)) last++
    let first = at
    while (first > 0 && comesFromInside(first)) first--
    const anchor = rule.anchor === "arrival" ? stops[at]!.from : stops[last]!.to
    if (expiry < addMonths(dayOf(anchor), rule.months) + rule.days) return "not_met"
    if (rule.issuedWithinYears === null) return "met"
    if (!held.passportIssued) return "unknown"
    const tooOldOn = addMonths(dayOf(held.passportIssued), 12 * rule.issuedWithinYears)
    return dayOf(stops[first]!.from) < tooOldOn ? "met" : "not_met"
  }

  const steps = stops.map((stop, at) => {
    const arrival = dayOf(stop.from)
    const exit = dayOf(stop.to)
    const candidates = known.map(held => {
      const expiry = expiryOf(held)
      const terms = entryOn(world, held.passport, stop.destination, arrival)
      const isShort = (expiry !== null && expiry < exit) || validityOf(at, held, terms) === "not_met"
      return { held, terms, rank: rank(terms, expiry !== null && expiry < arrival, isShort) }
    })
    const best = candidates.reduce((a, b) => (compareRanks(b.rank, a.rank) < 0 ? b : a))
    const { held, terms } = best
    chosen.push(held)
    termsAt.push(terms)
    const expiry = expiryOf(held)
    const movesFreely = terms?.free === true

    if (terms === null) unknowns.push(`${at} requirement`)
    else if (terms.requirement === "no_admission") blockers[at]!.push("no_admission")
    else if (terms.requirement !== "visa_free") conditions.push(`${at} ${terms.requirement}`)
    const maxStay = terms === null ? "unknown" : terms.home ? "unlimited" : (terms.days ?? "unknown")
    if (maxStay === "unknown") unknowns.push(`${at} maxStay`)

    const inCountry = new Set<number>()
    for (let before = 0; before <= at; before++) {
      if (stops[before]!.destination === stop.destination) for (const day of daysOf(before)) inCountry.add(day)
    }

    // The zone that the stop touches, and its last day inside.
    const zone = world.zones.find(each => daysOf(at).some(day => isMember(each, stop.destination, day)))
    let zoneStay: number | string | null = null
    let heldAgainstOwnStay = inCountry.size
    if (zone !== undefined && !movesFreely) {
      const zoneDay = Math.max(...daysOf(at).filter(day => isMember(zone, stop.destination, day)))
      if (!isVisitor(at)) zoneStay = "unknown"
      else {
        const here = daysIn(zone, at, each => isVisitor(each) && stops[each]!.destination === stop.destination)
        const possible = daysIn(zone, at, each => termsAt[each]?.free !== true)
        // Whoever is in the zone on a visa has not left it.
        const certain = { counted: daysIn(zone, at, isVisitor).counted, inside: possible.inside }
        const used = usedOn(zone, certain, zoneDay)
        const usedHere = usedOn(zone, { counted: here.counted, inside: possible.inside }, zoneDay)
        const usedPossibly = usedOn(zone, possible, zoneDay)
        if (zoneDay === exit) heldAgainstOwnStay = usedHere
        const allowance = zone.rule.allowanceDays
        zoneStay = used === usedPossibly ? used : "unknown"
        if (used > allowance) {
          if ((terms?.days ?? 0) > allowance && usedHere === used) zoneStay = "unknown"
          else blockers[at]!.push(`zone_stay_exceeded ${zone.id}`)
        }
      }
    }

    if (terms !== null && terms.days !== null && heldAgainstOwnStay > terms.days) {
      const place = blockers[at]!.findIndex(code => code.startsWith("zone"))
      blockers[at]!.splice(place < 0 ? blockers[at]!.length : place, 0, "stay_exceeded")
    }
    if (zoneStay === "unknown") unknowns.push(`${at} zoneStay`)
    if (expiry !== null && expiry < arrival) blockers[at]!.push("passport_expired")

    const passportValidity = validityOf(at, held, terms)
    if (passportValidity === "not_met") blockers[at]!.push("passport_validity_short")
    if (passportValidity === "unknown") unknowns.push(`${at} passportValidity`)
    return {
      passport: held.passport,
      days: exit - arrival + 1,
      requirement: terms?.requirement ?? "unknown",
      maxStay,
      daysAccumulated: inCountry.size,
      zoneStay,
      passportValidity,
    }
  })

  transit.forEach((country, place) => {
    if (!world.transit.includes(country)) unknowns.push(`- transit[${place}].rule`)
    unknowns.push(`- transit[${place}].permitted`)
  })
  travellers.forEach((held, place) => {
    const path = travellers.length === 1 ? "" : `passports[${place}].`
    if (!known.includes(held)) {
      unknowns.push(`- ${path}passport`)
      return
    }
    const last = chosen.lastIndexOf(held)
    if (last < 0) return
    const expiry = expiryOf(held)
    if (expiry === null) unknowns.push(`- ${path}passportExpiry`)
    else if (expiry < dayOf(stops[last]!.to)) blockers[last]!.push("passport_expires_before_exit")
  })
  if (residence != null) unknowns.push("- residence")
  if (purpose != null) unknowns.push("- purpose")

  const resolved = new Set(
    [...stops.map(stop => stop.destination), ...transit].filter(code => world.destinations.includes(code)),
  )
  const listed = blockers.flatMap((codes, at) => codes.map(code => `${at} ${code}`))
  return {
    verdict: listed.length > 0 ? "blocked" : "no_blocker_found",
    pairsCharged: resolved.size,
    steps,
    blockers: listed,
    conditions,
    unknowns,
  }
}
