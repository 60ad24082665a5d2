/**
 * An itinerary judged by hand: sets of days, calendars turned month by month, every way through the passports tried, and the rules
 * read one after the other.
 *
 * Slow and obvious on purpose. It knows a world of plain objects and imports nothing of what it judges.
 */
import { addMonths, countOwnDays, type OracleStayRule } from "./stay-counting.ts"
import { type DaySets, dayOf, type OracleZone, usedOn } from "./stay-days.ts"

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
  readonly stayRules?: readonly OracleStayRule[]
  /** Agreements beside a zone's rule; without days they exempt from it. */
  readonly agreements?: readonly {
    readonly destinations: readonly string[]
    readonly passports: readonly string[]
    readonly zone: string
    readonly days: number | null
  }[]
}

export interface OraclePassport {
  readonly passport: string
  readonly passportExpiry?: string | null
  readonly passportIssued?: string | null
}

export interface OracleStay {
  readonly destination: string
  readonly from: string
  readonly to: string
}

export interface OracleItinerary {
  readonly travellers: readonly OraclePassport[]
  readonly stops: readonly (OracleStay & { readonly passport?: string | null })[]
  readonly transit: readonly string[]
  readonly earlierStays?: readonly (OracleStay & { readonly permit?: "residence" | "national_visa" })[]
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
    readonly countedStay: string | null
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
  readonly table?: boolean
  /** At home here, or in a territory that follows home. */
  readonly homeThere: boolean
  /** At home or under freedom of movement, here or where the territory follows. */
  readonly free: boolean
}

const zoneOf = (world: World, destination: string) =>
  world.zones.find(zone => zone.members.some(member => member.code === destination))?.id

function entryOn(world: World, passport: string, destination: string, day: number): Terms | null {
  if (day < dayOf(world.sinceOn)) return null
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

const REQUIREMENTS = ["visa_free", "eta", "visa_on_arrival", "e_visa", "visa_required", "no_admission"]

// The easier the entry, the smaller both: what is asked, and then the stay: home, free without a number, from long to short, not known.
function easeOf(terms: Terms | null): readonly [asked: number, stay: number] {
  if (terms === null) return [REQUIREMENTS.length, 0]
  const asked = REQUIREMENTS.indexOf(terms.requirement)
  if (terms.homeThere) return [asked, 0]
  if (terms.days !== null) return [asked, 9_999 - terms.days]
  return [asked, terms.free ? 1 : 9_999]
}

function isMember(zone: OracleZone, destination: string, day: number): boolean {
  return zone.members.some(
    member =>
      member.code === destination &&
      (member.fromDay === null || member.fromDay <= day) &&
      (member.untilDay === null || day < member.untilDay),
  )
}

const daysFrom = (stay: OracleStay) => {
  const days: number[] = []
  for (let day = dayOf(stay.from); day <= dayOf(stay.to); day++) days.push(day)
  return days
}

const expiryOf = (held: OraclePassport) => (held.passportExpiry ? dayOf(held.passportExpiry) : null)

/** A stay with who its days count for: a visitor certainly or perhaps, somebody with a permit, somebody who is free. */
interface Spent {
  readonly stay: OracleStay
  readonly as: "visitor" | "perhaps" | "permit" | "free"
  readonly atHome: boolean
}

/** Judges the journey on one choice of passports, a place in the list of travellers for each stop. */
function judgeWay(world: World, itinerary: OracleItinerary, choice: readonly number[]) {
  const { travellers, stops } = itinerary
  const blockers: string[][] = stops.map(() => [])
  const conditions: string[] = []
  const unknowns: string[] = []
  // Unknowns that could hide a blocker.
  let doubts = 0
  const ease = [0, 0]
  const earlier = [...(itinerary.earlierStays ?? [])].sort(
    (a, b) => dayOf(a.from) - dayOf(b.from) || dayOf(a.to) - dayOf(b.to),
  )
  const spent: Spent[] = earlier.map(stay => ({ stay, as: stay.permit ? "permit" : "visitor", atHome: false }))
  const chosen = choice.map(place => travellers[place]!)
  const lastExit = new Map<OraclePassport, number>()

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
  const validityOf = (at: number, held: OraclePassport, terms: Terms | null) => {
    const rule = world.validity.find(each => each.destinations.includes(stops[at]!.destination))
    if (rule === undefined) return "no rule"
    if (terms?.free === true) return "for visitors"
    const expiry = expiryOf(held)
    if (expiry === null) return "not given"
    let last = at
    while (last + 1 < stops.length && comesFromInside(last + 1)) last++
    let first = at
    while (first > 0 && comesFromInside(first)) first--
    const anchor = rule.anchor === "arrival" ? stops[at]!.from : stops[last]!.to
    if (expiry < addMonths(dayOf(anchor), rule.months) + rule.days) return "not_met"
    if (rule.issuedWithinYears === null) return "met"
    if (!held.passportIssued) return "not given"
    const tooOldOn = addMonths(dayOf(held.passportIssued), 12 * rule.issuedWithinYears)
    return dayOf(stops[first]!.from) < tooOldOn ? "met" : "not_met"
  }

  const steps = stops.map((stop, at) => {
    const arrival = dayOf(stop.from)
    const exit = dayOf(stop.to)
    const held = chosen[at]!
    const isRecorded = world.passports.includes(held.passport)
    const terms = isRecorded ? entryOn(world, held.passport, stop.destination, arrival) : null
    const movesFreely = terms?.free === true
    const atHome = terms?.homeThere === true
    if (!atHome) lastExit.set(held, at)
    const isVisitor =
      terms !== null && !terms.free && terms.days !== null && ["visa_free", "eta"].includes(terms.requirement)
    // The zone that the stop touches, and what may lift its rule: an agreement, or being a national of one of its states.
    const zone = movesFreely
      ? undefined
      : world.zones.find(each => daysFrom(stop).some(day => isMember(each, stop.destination, day)))
    const agreement =
      isVisitor && zone !== undefined
        ? (world.agreements ?? []).find(
            each =>
              each.zone === zone.id &&
              each.destinations.includes(stop.destination) &&
              each.passports.includes(held.passport),
          )
        : undefined
    const isExempt = agreement?.days === null
    const isNational =
      isVisitor && agreement === undefined && (zone?.members.some(member => member.code === held.passport) ?? false)
    const as = movesFreely ? "free" : isExempt ? "permit" : isVisitor && !isNational ? "visitor" : "perhaps"
    spent.push({ stay: stop, as, atHome })
    easeOf(terms).forEach((value, which) => {
      ease[which] = (ease[which] as number) + value
    })
    const note = (field: string, isDoubt: boolean) => {
      unknowns.push(`${at} ${field}`)
      if (isDoubt) doubts++
    }

    if (terms === null) note("requirement", true)
    else if (terms.requirement === "no_admission") blockers[at]!.push("no_admission")
    else if (terms.requirement !== "visa_free") conditions.push(`${at} ${terms.requirement}`)
    let maxStay: number | string =
      terms === null ? "unknown" : terms.homeThere ? "unlimited" : (terms.days ?? "unknown")
    const blockAt = (code: string) => blockers[at]!.push(code)
    // Only an agreement could allow the stay.
    let mayStay = isNational
    const exceed = (isAccumulated: boolean) => {
      if (mayStay) maxStay = "unknown"
      else if (terms?.table === true && ["e_visa", "visa_on_arrival"].includes(terms.requirement) && !isRuled) {
        conditions.push(`${at} check_permitted_stay`)
      } else blockAt(isAccumulated ? "stay_exceeded accumulated" : "stay_exceeded")
    }
    let isRuled = false

    const inCountry = new Set<number>()
    for (const before of stops.slice(0, at + 1)) {
      if (before.destination === stop.destination) for (const day of daysFrom(before)) inCountry.add(day)
    }

    let zoneStay: number | string | null = null
    let zoneBlocks = false
    let heldHere: number | null = null
    if (zone !== undefined && !isExempt) {
      const daysIn = (counts: (each: Spent) => boolean): DaySets["counted"] =>
        new Set(
          spent.flatMap(each =>
            counts(each) ? daysFrom(each.stay).filter(day => isMember(zone, each.stay.destination, day)) : [],
          ),
        )
      const zoneDay = Math.max(...daysFrom(stop).filter(day => isMember(zone, stop.destination, day)))
      if (!isVisitor) zoneStay = "unknown"
      else {
        // Whoever is in the zone on a visa or with a permit has not left it. A national's days count perhaps, and all of them.
        const inside = daysIn(each => each.as !== "free")
        const certainly = (each: Spent) => each.as === "visitor" || (isNational && each.as === "perhaps")
        const possible = daysIn(each => each.as === "visitor" || each.as === "perhaps")
        const used = usedOn(zone, { counted: daysIn(certainly), inside }, zoneDay)
        const here = daysIn(each => certainly(each) && each.stay.destination === stop.destination)
        const usedHere = usedOn(zone, { counted: here, inside }, zoneDay)
        const allowance = zone.rule.allowanceDays
        if (agreement?.days != null) mayStay = usedHere <= allowance + agreement.days
        if (zoneDay === exit) heldHere = usedHere
        zoneStay = used === usedOn(zone, { counted: possible, inside }, zoneDay) ? used : "unknown"
        if (used > allowance) {
          if ((terms?.days ?? 0) > allowance && usedHere === used) zoneStay = "unknown"
          else if (mayStay) zoneStay = "unknown"
          else zoneBlocks = true
        }
      }
    }

    let countedStay: string | null = null
    if (isExempt) {
      if (exit - arrival + 1 > (terms?.days ?? 0)) maxStay = "unknown"
    } else if (heldHere !== null) {
      if (heldHere > (terms?.days ?? 0)) exceed(false)
    } else {
      const visits = spent.filter(each => each.as !== "permit" && !each.atHome)
      // A rule for visitors binds nobody who moves freely, unless freedom of movement names a number of days.
      const rules = terms === null || (terms.free && terms.days === null) ? [] : (world.stayRules ?? [])
      const own = countOwnDays(
        rules,
        held.passport,
        stop,
        spent.map(each => each.stay),
        visits.map(each => each.stay),
        terms?.days ?? null,
      )
      isRuled = own?.isRuled === true
      if (own !== null && maxStay === "unknown") maxStay = own.allowed
      if (own !== null && own.days > own.allowed) exceed(own.counting === "accumulated")
      const isAlone = earlier.length === 0 && inCountry.size === exit - arrival + 1 && own?.hasRule !== true
      if (own !== null && !isAlone) countedStay = `${own.days} of ${own.allowed} ${own.counting}`
    }
    if (zoneBlocks) blockAt(`zone_stay_exceeded ${zone?.id}`)

    // That freedom of movement names no number of days hides nothing.
    if (maxStay === "unknown") note("maxStay", !movesFreely)
    if (zoneStay === "unknown") note("zoneStay", true)
    const expiry = expiryOf(held)
    if (expiry !== null && expiry < arrival) blockers[at]!.push("passport_expired")
    const validity = validityOf(at, held, terms)
    if (validity === "not_met") blockers[at]!.push("passport_validity_short")
    if (!validity.includes("met")) note("passportValidity", validity !== "for visitors")
    return {
      passport: held.passport,
      days: exit - arrival + 1,
      requirement: terms?.requirement ?? "unknown",
      maxStay,
      daysAccumulated: inCountry.size,
      countedStay,
      zoneStay,
      passportValidity: validity.includes("met") ? validity : "unknown",
    }
  })

  for (const [held, last] of lastExit) {
    const expiry = expiryOf(held)
    if (expiry !== null && world.passports.includes(held.passport) && expiry < dayOf(stops[last]!.to)) {
      blockers[last]!.push("passport_expires_before_exit")
    }
  }
  return {
    steps,
    blockers: blockers.flatMap((codes, at) => codes.map(code => `${at} ${code}`)),
    conditions,
    unknowns,
    doubts,
    ease,
  }
}

/** Every choice of a passport for each stop, those named first before those named later. */
function listChoices({ travellers, stops }: OracleItinerary, world: World): number[][] {
  let choices: number[][] = [[]]
  for (const { passport } of stops) {
    const places = travellers.flatMap((held, place) =>
      (passport == null ? world.passports.includes(held.passport) : held.passport === passport) ? [place] : [],
    )
    choices = choices.flatMap(choice => places.map(place => [...choice, place]))
  }
  return choices
}

export function decideByHand(world: World, itinerary: OracleItinerary): Summary {
  const { travellers, stops, transit, residence, purpose } = itinerary
  const rank = (way: ReturnType<typeof judgeWay>) => [way.blockers.length, way.doubts, ...way.ease]
  const ways = listChoices(itinerary, world).map(choice => ({ choice, way: judgeWay(world, itinerary, choice) }))
  const best = ways.reduce((a, b) => (compareRanks(rank(b.way), rank(a.way)) < 0 ? b : a))
  const { way, choice } = best
  const unknowns = [...way.unknowns]
  transit.forEach((country, place) => {
    if (!world.transit.includes(country)) unknowns.push(`- transit[${place}].rule`)
    unknowns.push(`- transit[${place}].permitted`)
  })
  travellers.forEach((held, place) => {
    const path = travellers.length === 1 ? "" : `passports[${place}].`
    if (!world.passports.includes(held.passport)) unknowns.push(`- ${path}passport`)
    else if (choice.includes(place) && expiryOf(held) === null) unknowns.push(`- ${path}passportExpiry`)
  })
  if (residence != null) unknowns.push("- residence")
  if (purpose != null) unknowns.push("- purpose")
  const resolved = new Set(
    [...stops.map(stop => stop.destination), ...transit].filter(code => world.destinations.includes(code)),
  )
  return {
    verdict: way.blockers.length > 0 ? "blocked" : "no_blocker_found",
    pairsCharged: resolved.size,
    steps: way.steps,
    blockers: way.blockers,
    conditions: way.conditions,
    unknowns,
  }
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, place) => value !== b[place])
  return at < 0 ? 0 : (a[at] as number) - (b[at] as number)
}
