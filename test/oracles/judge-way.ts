/**
 * One way through a journey judged by hand: sets of days, calendars turned month by month, and the rules read one after the other.
 *
 * Slow and obvious on purpose. It knows a world of plain objects and imports nothing of what it judges.
 */
import { type Entering, isLongStay } from "./held.ts"
import {
  comesFromInside,
  comesUnseen,
  countryOf,
  daysFrom,
  isMember,
  isOfNational,
  namedAs,
  type OracleDocument,
  type OracleItinerary,
  type OraclePassport,
  type OracleStay,
  REQUIREMENTS,
  type Terms,
  type World,
  zoneOf,
} from "./journeys.ts"
import { addMonths, countOwnDays, pickRule } from "./stay-counting.ts"
import { type DaySets, dateOf, dayOf, usedOn } from "./stay-days.ts"

/** The last day on which a passport is valid. */
export const expiryOf = (held: OraclePassport) => (held.passportExpiry ? dayOf(held.passportExpiry) : null)

/** A stay with who its days count for: a visitor certainly or perhaps, somebody with a permit, somebody who is free. */
interface Spent {
  readonly stay: OracleStay
  readonly as: "visitor" | "perhaps" | "permit" | "free"
  readonly atHome: boolean
}

const isWithoutVisa = (requirement: string) => requirement === "visa_free" || requirement === "eta"

/** The days of the last visit: of stays that follow one another in a country without a day outside. */
function daysOfVisit(isHere: (stay: OracleStay) => boolean, spent: readonly Spent[]): number {
  let days = new Set<number>()
  let isThere = false
  for (const { stay, as, atHome } of spent) {
    const isVisit = isHere(stay) && as !== "permit" && !atHome
    if (isVisit && !(isThere && dayOf(stay.from) <= Math.max(...days) + 1)) days = new Set()
    if (isVisit) for (const day of daysFrom(stay)) days.add(day)
    isThere = isVisit
  }
  return days.size
}

/** Lists the parts of a stop that are left without the days under permits and long-stay visas of its country (Regulation (EU) 2016/399, Art. 6(2)). */
function listOthers<Stop extends OracleStay>(world: World, stop: Stop, held: readonly OracleDocument[]): Stop[] {
  const isThere = ({ issuer }: OracleDocument) => countryOf(world, issuer) === countryOf(world, stop.destination)
  const isUnder = (day: number) =>
    held.some(each => isThere(each) && (each.validFrom ?? "") <= dateOf(day) && dateOf(day) <= (each.validUntil ?? "9"))
  const left = daysFrom(stop).filter(day => !isUnder(day))
  const first = left.filter(day => !left.includes(day - 1))
  const last = left.filter(day => !left.includes(day + 1))
  return first.map((day, at) => ({ ...stop, from: dateOf(day), to: dateOf(last[at]!) }))
}

/** Whether a stop is not too long if only the days are counted that are under no permit or long-stay visa of the country. */
function fitsWithout(world: World, itinerary: OracleItinerary, way: readonly Entering[], stop: number): boolean {
  // The document on which the stop is entered sets its own days.
  const held = (itinerary.held ?? []).filter((each, place) => isLongStay(each) && place !== way[stop]!.carried?.place)
  if (held.length === 0) return false
  const parts = itinerary.stops
    .slice(0, stop + 1)
    .flatMap((each, place) => listOthers(world, each, held).map(part => ({ part, place })))
  const earlierStays = (itinerary.earlierStays ?? []).flatMap(each => listOthers(world, each, held))
  const asked = { ...itinerary, earlierStays, stops: parts.map(({ part }) => part) }
  const entered = parts.map(({ place }) => way[place]!)
  return judgeWay(world, asked, entered, false).blockers.every(found => {
    const [at, code] = found.split(" ")
    return parts[Number(at)]!.place !== stop || !code!.includes("stay_exceeded")
  })
}

/** What has to be obtained before departure counts more than all that has to be checked, what cannot be obtained or is not known most. */
function costOfAsking(asked: number): number {
  const requirement = REQUIREMENTS[asked]
  if (requirement === "visa_free" || requirement === "visa_on_arrival") return 0
  return requirement === undefined || requirement === "no_admission" ? 24_000 : 12_000 + 600 * asked
}

/** Judges the journey on one way: how each stop is entered. */
export function judgeWay(world: World, itinerary: OracleItinerary, way: readonly Entering[], mayWait = true) {
  const { travellers, stops } = itinerary
  const blockers: string[][] = stops.map(() => [])
  const conditions: string[] = []
  const unknowns: string[] = []
  // Unknowns that could hide a blocker.
  let doubts = 0
  let staysToCheck = 0
  const ease: [number, number] = [0, 0]
  const earlier = [...(itinerary.earlierStays ?? [])].sort(
    (a, b) => dayOf(a.from) - dayOf(b.from) || dayOf(a.to) - dayOf(b.to),
  )
  const spent: Spent[] = earlier.map(stay => ({ stay, as: stay.permit ? "permit" : "visitor", atHome: false }))
  const chosen = way.map(({ passport }) => travellers[passport]!)
  const lastExit = new Map<OraclePassport, number>()

  const isInCountry = (a: OracleStay, b: OracleStay) =>
    countryOf(world, a.destination) === countryOf(world, b.destination)
  const isInside = (place: number) => comesFromInside(world, stops[place - 1]!, stops[place]!)
  // A document's stay goes on where the traveller has not left the zone, or the country.
  const goesOn = (place: number) => {
    const [previous, next] = [stops[place - 1]!, stops[place]!]
    return isInside(place) || (isInCountry(previous, next) && dayOf(next.from) <= dayOf(previous.to) + 1)
  }
  // The last day on which an expired passport is still shown at a stop that one leaves on a day; null where only a valid one serves.
  const lastShownAt = (at: number, held: OraclePassport, leaving: number) => {
    const expiry = expiryOf(held)
    const { destination, from } = stops[at]!
    const years = world.validity.find(
      each => each.destinations.includes(destination) && each.passports?.includes(namedAs(held)),
    )?.expiredWithinYears
    if (expiry === null || years == null || leaving >= addMonths(dayOf(from), 3)) return null
    return addMonths(expiry, 12 * years) - 1
  }
  const validityOf = (at: number, held: OraclePassport, terms: Terms | null, permitted: number | null) => {
    const rules = world.validity.filter(each => each.destinations.includes(stops[at]!.destination))
    const rule = rules.find(({ passports }) => passports?.includes(namedAs(held)) ?? true) ?? rules[0]
    if (rule === undefined) return terms?.homeThere === true ? "for visitors" : "no rule"
    if (terms?.free === true || way[at]!.isPermit) return "for visitors"
    if (terms === null && held.passportKind != null && world.passports.includes(held.passport)) return "other kind"
    if (rule.passports !== undefined && !rule.passports.includes(namedAs(held))) return "not named"
    const isUnseen = (place: number) => isInside(place) || comesUnseen(world, stops[place - 1]!, stops[place]!)
    let last = at
    while (last + 1 < stops.length && isUnseen(last + 1)) last++
    let first = at
    while (first > 0 && isUnseen(first)) first--
    // Days that a table alone has are no permitted stay; one that nobody knows does not end before the departure.
    const isNamed =
      permitted !== null &&
      !(terms?.table === true && ["e_visa", "visa_on_arrival"].includes(terms.requirement) && way[at]!.carried === null)
    const isAfterStay = rule.anchor === "permitted_stay"
    const expiry = lastShownAt(at, held, dayOf(stops[last]!.to)) ?? expiryOf(held)
    const from = dayOf(rule.anchor === "arrival" ? stops[at]!.from : stops[last]!.to)
    const anchor = isAfterStay && isNamed ? dayOf(stops[at]!.from) + permitted : from
    if (expiry !== null && expiry < addMonths(anchor, rule.months) + rule.days) return "not_met"
    const years = rule.issuedWithinYears
    if (years !== null && held.passportIssued) {
      if (dayOf(stops[first]!.from) >= addMonths(dayOf(held.passportIssued), 12 * years)) return "not_met"
    }
    if (expiry === null || (years !== null && !held.passportIssued && !(isAfterStay && !isNamed))) return "not given"
    return isAfterStay && !isNamed ? "stay not known" : "met"
  }

  const steps = stops.map((stop, at) => {
    const isHere = (stay: OracleStay) => isInCountry(stay, stop)
    const arrival = dayOf(stop.from)
    const exit = dayOf(stop.to)
    const held = chosen[at]!
    const entering = way[at]!
    const { terms, carried } = entering
    const movesFreely = terms?.free === true
    const atHome = terms?.homeThere === true
    const serves = (lastShownAt(at, held, exit) ?? 0) >= exit
    if (!atHome && !serves) lastExit.set(held, at)
    const hasDays = terms !== null && !terms.free && terms.days !== null && isWithoutVisa(terms.requirement)
    const isVisitor = entering.isInHand ? entering.isShortVisaOfZone : hasDays
    // The zone that the stop touches, and what may lift its rule: an agreement, or being a national of one of its states.
    const zone = movesFreely
      ? undefined
      : world.zones.find(each => daysFrom(stop).some(day => isMember(each, stop.destination, day)))
    // Who enters with a document is bound by what the document allows.
    // An agreement of a state holds in its territories of that zone where its own rules do.
    const isOfState = world.entries[held.passport + stop.destination] === undefined
    const states = [stop.destination, ...(isOfState ? [world.follows[stop.destination]] : [])]
    const agreement =
      isVisitor && zone !== undefined && carried === null
        ? (world.agreements ?? []).find(
            each =>
              each.zone === zone.id &&
              each.destinations.some(code => states.includes(code)) &&
              each.passports.includes(namedAs(held)),
          )
        : undefined
    // In a rolling zone every agreement only lets a stay be extended, on a request while its days are not used up.
    const isExempt = agreement?.days === null && agreement.mayExceed !== true && zone?.rule.kind !== "rolling"
    const isNational =
      isVisitor &&
      carried === null &&
      agreement === undefined &&
      (zone?.members.some(member => member.code === namedAs(held)) ?? false)
    const as = movesFreely
      ? "free"
      : isExempt || entering.isPermit
        ? "permit"
        : isVisitor && !isNational
          ? "visitor"
          : "perhaps"
    spent.push({ stay: stop, as, atHome })
    // A permit makes its holder no visitor, so that nothing is a longer stay except at home.
    const [asked, length] = entering.isPermit ? [0, 1] : entering.ease
    ease[0] += asked + costOfAsking(asked)
    ease[1] += length
    const note = (field: string, isDoubt: boolean) => {
      unknowns.push(`${at} ${field}`)
      if (isDoubt) doubts++
    }

    const duties = (world.borders?.own ?? []).filter(
      ({ destinations, citizensOf, others }) =>
        destinations.includes(stop.destination) &&
        travellers.some(each => each.passport === citizensOf && isOfNational(each)) &&
        held.passport !== citizensOf &&
        !others.includes(held.passport),
    )
    // A duty that is not asked at every border leaves the right of a citizen to come in.
    const byRight = duties.some(({ by }) => by !== undefined && (stop.by === undefined || !by.includes(stop.by)))
    if (terms === null) note("requirement", true)
    else if (terms.requirement === "no_admission") blockers[at]!.push("no_admission")
    else if (terms.requirement !== "visa_free" && !entering.isInHand && !byRight)
      conditions.push(`${at} ${terms.requirement}`)
    // The days of the answer; a visa of the destination has its own.
    const ownDays = entering.isInHand ? null : (terms?.days ?? null)
    const bounds = [ownDays, entering.boundDays, entering.until === null ? null : dayOf(entering.until) - arrival + 1]
    // The sticker of a visitor's visa says for how many days it is issued: its last day is not the end of every stay (Regulation (EC) No 810/2009, Annex VII).
    const isSetByVisa =
      entering.isOwn && entering.boundDays === null && carried !== null && !isLongStay(carried.document)
    const known = isSetByVisa ? [] : bounds.filter(days => days !== null)
    // Whoever has the visa or permit of the destination for the whole stay needs nothing easier. Stays before it there, or in its zone, may have
    // used up its days.
    const ownZone = zoneOf(world, stop.destination)
    const isFirst = [...earlier, ...stops.slice(0, at)].every(
      before => !isHere(before) && (ownZone === undefined || zoneOf(world, before.destination) !== ownZone),
    )
    const isEnough = entering.isInHand && isFirst && known.every(days => exit - arrival + 1 <= days)
    if (!isEnough) {
      for (let each = 0; each < entering.toCheck; each++) conditions.push(`${at} check_held_document`)
    }
    if (terms?.toCheck && carried === null) conditions.push(`${at} residents_only`)
    if (terms?.isAskedAtSome && carried === null && !byRight) conditions.push(`${at} asked_at`)
    for (const { by } of duties) {
      if (by === undefined || (stop.by !== undefined && by.includes(stop.by))) blockers[at]!.push("own_passport_needed")
      else if (stop.by === undefined) conditions.push(`${at} entry_points`)
    }
    let maxStay: number | string = known.length === 0 ? "unknown" : Math.min(...known)
    if (terms?.homeThere) maxStay = "unlimited"
    const blockAt = (code: string) => blockers[at]!.push(code)
    // Only the zone's instrument could allow the stay.
    const mayStay = isNational
    let isExtended = false
    const exceed = (isAccumulated: boolean) => {
      if (mayStay) maxStay = "unknown"
      else if (
        terms?.table === true &&
        carried === null &&
        ["e_visa", "visa_on_arrival"].includes(terms.requirement) &&
        !isRuled
      ) {
        conditions.push(`${at} check_permitted_stay`)
      } else blockAt(isAccumulated ? "stay_exceeded accumulated" : "stay_exceeded")
    }
    let isRuled = false

    // A rule for visitors binds nobody who moves freely, unless freedom of movement names a number of days.
    // Who holds a visa of the destination is somebody who needs one.
    const enteredAs =
      terms !== null && entering.isInHand && isWithoutVisa(terms.requirement) ? "visa_required" : terms?.requirement
    const rules =
      terms === null || (terms.free && terms.days === null)
        ? []
        : (world.stayRules ?? []).filter(
            ({ requirements }) => requirements === undefined || requirements.some(each => each === enteredAs),
          )

    if (entering.until !== null && stop.to > entering.until) blockAt("stay_exceeded held_document")
    // In a zone over the whole journey, or in any window where the visa gives as many days as the zone; else from the entry on.
    const countUnder = (boundDays: number) => {
      let first = at
      if (zoneOf(world, stop.destination) !== undefined) first = 0
      else while (first > 0 && goesOn(first)) first--
      const under = stops
        .slice(first, at + 1)
        .filter((_, place) => way[first + place]?.isOwn && way[first + place]?.carried?.place === carried?.place)
      const rule = zoneOf(world, stop.destination)?.rule
      const isAnew = rule?.kind === "rolling" && !entering.isPermit && boundDays >= rule.allowanceDays
      const since = isAnew ? exit - rule.windowDays + 1 : Number.NEGATIVE_INFINITY
      const days = new Set(under.flatMap(daysFrom).filter(day => day >= since))
      const isLater = pickRule(rules, namedAs(held), stop)?.firstDayCounted === false
      return days.size - Number(isLater)
    }
    if (entering.boundDays !== null && countUnder(entering.boundDays) > entering.boundDays)
      blockAt("stay_exceeded held_document")

    const inCountry = new Set<number>()
    for (const before of stops.slice(0, at + 1)) {
      if (isHere(before)) for (const day of daysFrom(before)) inCountry.add(day)
    }

    let zoneStay: number | string | null = null
    let zoneBlocks = false
    let heldHere: number | null = null
    if (zone !== undefined && as !== "permit") {
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
        const here = daysIn(each => certainly(each) && isHere(each.stay))
        const usedHere = usedOn(zone, { counted: here, inside }, zoneDay)
        const allowance = zone.rule.allowanceDays
        isExtended =
          agreement !== undefined &&
          used > allowance &&
          zoneDay - (used - allowance) >= arrival &&
          (agreement.days === null || daysOfVisit(isHere, spent) <= allowance + agreement.days)
        if (zoneDay === exit) heldHere = usedHere
        zoneStay = used === usedOn(zone, { counted: possible, inside }, zoneDay) ? used : "unknown"
        if (used > allowance) {
          if (carried === null && (ownDays ?? 0) > allowance && usedHere === used) zoneStay = "unknown"
          else if (mayStay) zoneStay = "unknown"
          else zoneBlocks = true
        }
      }
    }

    let countedStay: string | null = null
    if (isExempt) {
      if (exit - arrival + 1 > (ownDays ?? 0)) maxStay = "unknown"
    } else if (heldHere !== null) {
      if (ownDays !== null && heldHere > ownDays && !isExtended) exceed(false)
    } else {
      const visits = spent.filter(each => each.as !== "permit" && !each.atHome)
      const own = countOwnDays(
        rules,
        namedAs(held),
        stop,
        spent.map(each => each.stay),
        visits.map(each => each.stay),
        isHere,
        ownDays,
        {
          isWaived: carried !== null && !entering.isInHand,
          livesIn: [
            ...travellers.filter(isOfNational).map(each => each.passport),
            ...(itinerary.residence ? [itinerary.residence] : []),
            ...(itinerary.held ?? []).filter(({ kind }) => kind === "residence_permit").map(({ issuer }) => issuer),
          ],
          onDocument: stops.slice(0, at).filter((_, place) => way[place]?.isOwn === true),
        },
      )
      isRuled = own?.isRuled === true
      // What a rule allows from one entry on is the longest stay.
      // Of an admission that goes on, what is left of it.
      if (own?.counting === "admission") maxStay = Math.max(0, own.allowed - (own.days - (exit - arrival + 1)))
      else if (own !== null && (maxStay === "unknown" || (own.counting === "per_entry" && carried === null))) {
        maxStay = own.allowed
      }
      if (own !== null && own.days > own.allowed) exceed(own.counting === "accumulated")
      const wasHere = earlier.some(isHere)
      const isAlone = !wasHere && inCountry.size === exit - arrival + 1 && own?.hasRule !== true
      if (own !== null && !isAlone) countedStay = `${own.days} of ${own.allowed} ${own.counting}`
    }
    if (zoneBlocks) blockAt(`zone_stay_exceeded ${zone?.id}`)

    // That freedom of movement names no number of days hides nothing, nor that the document in hand names none.
    const isSetByDocument = (entering.isInHand || isSetByVisa) && known.length === 0 && !mayStay && !isExempt
    if (maxStay === "unknown") {
      note("maxStay", !movesFreely && !isSetByDocument)
      // A visitor's visa of one day at least: a longer stay has to be checked, unless nobody needs a visa for it.
      const { without } = entering
      const isNeeded =
        without === null ||
        ["visa_required", "e_visa"].includes(without.requirement) ||
        without.days === null ||
        countUnder(0) > without.days
      const isVisitors = carried !== null && !isLongStay(carried.document)
      if (isSetByDocument && isVisitors && isNeeded && countUnder(0) > 1) staysToCheck++
    }
    if (zoneStay === "unknown") note("zoneStay", true)
    // Whether one may wait inside for a permit, or stay on after it, is open.
    const tooLong = blockers[at]!.filter(code => code.includes("stay_exceeded"))
    if (mayWait && tooLong.length > 0 && fitsWithout(world, itinerary, way, at)) {
      blockers[at] = blockers[at]!.filter(code => !tooLong.includes(code))
      if (tooLong.some(code => code.startsWith("stay"))) {
        maxStay = "unknown"
        note("maxStay", false)
        staysToCheck++
      }
      if (tooLong.some(code => code.startsWith("zone"))) {
        zoneStay = "unknown"
        note("zoneStay", false)
        staysToCheck++
      }
    }
    const expiry = expiryOf(held)
    if (expiry !== null && serves && expiry < (atHome ? arrival : exit)) {
      conditions.push(`${at} expired_accepted`)
      if (!atHome) doubts++
    } else if (expiry !== null && expiry < arrival) blockers[at]!.push("passport_expired")
    const validity = validityOf(at, held, terms, known.length === 0 ? null : Math.min(...known))
    if (validity === "not_met") blockers[at]!.push("passport_validity_short")
    // How long a passport must outlast a stay of unknown length is to be checked, and leaves the entry itself as it is.
    if (validity === "stay not known") staysToCheck++
    if (!validity.includes("met")) note("passportValidity", !["for visitors", "stay not known"].includes(validity))
    return {
      passport: held.passport,
      document: carried === null ? null : (carried.place ?? "residence"),
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
    staysToCheck,
    ease,
  }
}
