/**
 * An itinerary judged by hand: every way through the passports and documents is tried, and the best one kept.
 *
 * Slow and obvious on purpose. It knows a world of plain objects and imports nothing of what it judges.
 */
import { type Carried, carriedBy, type Entering, listEnterings } from "./held.ts"
import {
  comesFromInside,
  comesUnseen,
  countryOf,
  entryWith,
  type OracleItinerary,
  REQUIREMENTS,
  type Summary,
  type Terms,
  type World,
  zoneOf,
} from "./journeys.ts"
import { expiryOf, judgeWay } from "./judge-way.ts"
import { dayOf } from "./stay-days.ts"

export type {
  OracleAskedAt,
  OracleDocument,
  OracleDocumentTerms,
  OracleItinerary,
  OracleKindRule,
  OracleWaiver,
  Summary,
  World,
  WorldEntry,
} from "./journeys.ts"

// The easier the entry, the smaller both: what is asked, and then the stay: home, free without a number, from long to short, not known.
function easeOf(terms: Terms | null): readonly [asked: number, stay: number] {
  if (terms === null) return [REQUIREMENTS.length, 0]
  const asked = REQUIREMENTS.indexOf(terms.requirement)
  if (terms.homeThere) return [asked, 0]
  if (terms.days !== null) return [asked, 9_999 - terms.days]
  return [asked, terms.free ? 1 : 9_999]
}

// What has to be obtained counts most, then what has to be checked, then what else is asked, then the stays. The worlds have nothing to obtain besides the requirement.
const effortOf = ({ ease: [asked, stay], conditions, staysToCheck }: ReturnType<typeof judgeWay>) =>
  asked * 1_000_000 + (conditions.filter(isToCheck).length + staysToCheck) * 30_000_000 + stay

const isToCheck = (condition: string) =>
  ["expired_accepted", "residents_only", "entry_points", "check_permitted_stay"].includes(condition.split(" ")[1]!)

/** Whether a pair's answer is that of the country that the destination follows. */
const isInherited = (world: World, passport: string, destination: string) =>
  world.follows[destination] !== undefined && world.entries[passport + destination] === undefined

/** For each stop the ways of entering it, passports in the order named, each alone and then with each document. */
function listAll(world: World, itinerary: OracleItinerary, documents: readonly Carried[]): Entering[][] {
  return itinerary.stops.map(stop =>
    itinerary.travellers.flatMap((held, place) => {
      const { passport } = held
      const isUsable = stop.passport == null ? world.passports.includes(passport) : stop.passport === passport
      if (!isUsable) return []
      const terms = entryWith(world, itinerary, held, stop)
      const follows = held.passportKind == null && isInherited(world, passport, stop.destination)
      return listEnterings(world, documents, place, stop, terms, easeOf, follows)
    }),
  )
}

/** Every way through the stops: a document without an entry left opens nothing, and who holds what is asked for enters on it. */
function listWays(world: World, { stops }: OracleItinerary, enterings: readonly (readonly Entering[])[]): Entering[][] {
  const comesOn = (at: number) => {
    const [previous, next] = [stops[at - 1]!, stops[at]!]
    const isCountry = countryOf(world, previous.destination) === countryOf(world, next.destination)
    const isSame = isCountry && dayOf(next.from) <= dayOf(previous.to) + 1
    return isSame || comesFromInside(world, previous, next)
  }
  const hasEntryLeft = (way: readonly Entering[]) => {
    const { carried, isOwn } = way[way.length - 1]!
    const entries = carried?.document.entries
    if (!isOwn || typeof entries !== "number") return true
    // Showing a document to another state is no entry under it.
    const isUnder = (at: number) => way[at]?.carried === carried && way[at]?.isOwn === true
    // On the way may lie a place outside all zones that is entered without anybody seeing it.
    const wasUnder = (at: number): boolean => {
      if (at === 0) return false
      const [before, here] = [stops[at - 1]!, stops[at]!]
      const isUnseen = comesUnseen(world, before, here)
      if (!comesOn(at) && !isUnseen) return false
      if (isUnder(at - 1)) return true
      const isOpen = (world.borders?.open ?? []).some(pair => pair.includes(before.destination))
      return isOpen && zoneOf(world, before.destination) === undefined && wasUnder(at - 1)
    }
    return way.filter((_, at) => isUnder(at) && !wasUnder(at)).length <= entries
  }
  let ways: Entering[][] = [[]]
  for (const each of enterings) {
    ways = ways.flatMap(way => {
      const open = each.filter(entering => hasEntryLeft([...way, entering]))
      return open
        .filter(({ carried, terms, passport }) => {
          const asksNothing =
            carried !== null || terms === null || ["visa_free", "visa_on_arrival"].includes(terms.requirement)
          // Whoever may come with an authorisation needs no visa, so that one which bounds the stay leaves him the choice.
          const leavesChoice = ({ boundDays, until }: Entering) =>
            terms?.requirement === "eta" && (boundDays !== null || until !== null)
          return asksNothing || !open.some(other => other.passport === passport && other.isOwn && !leavesChoice(other))
        })
        .map(entering => [...way, entering])
    })
  }
  return ways
}

/**
 * Stops in one destination without a day between them are judged as one, and what was found is given for each of them. What changes nothing is not told: laws of
 * `not-used.test.ts` judge it.
 */
export function decideByHand(world: World, itinerary: OracleItinerary): Summary {
  const { stops } = itinerary
  const stays: (OracleItinerary["stops"][number] & { readonly places: readonly number[] })[] = []
  stops.forEach((stop, place) => {
    const before = stays.at(-1)
    const named = [before?.passport, stop.passport].filter(code => code != null)
    if (
      before?.destination === stop.destination &&
      dayOf(stop.from) <= dayOf(before.to) + 1 &&
      new Set(named).size < 2
    ) {
      const { places, ...entered } = before
      stays[stays.length - 1] = {
        ...entered,
        to: stop.to,
        passport: named[0] ?? null,
        places: [...places, place],
      }
    } else stays.push({ ...stop, places: [place] })
  })
  const summary = decideStays(world, { ...itinerary, stops: stays })
  const ofEntry = (found: string) => found.replace(/^\d+/, stay => String(stays[Number(stay)]!.places[0]))
  const ofEnd = (found: string) => found.replace(/^\d+/, stay => String(stays[Number(stay)]!.places.at(-1)))
  const blockers = summary.blockers.map(found => {
    const placed = /stay_exceeded|before_exit/.test(found) ? ofEnd(found) : ofEntry(found)
    return [Number(placed.split(" ")[0]), placed] as const
  })
  return {
    ...summary,
    steps: summary.steps.flatMap((step, stay) => {
      const { places, to } = stays[stay]!
      return places.map(place => ({
        ...step,
        days: dayOf(stops[place]!.to) - dayOf(stops[place]!.from) + 1,
        daysAccumulated: step.daysAccumulated - (dayOf(to) - dayOf(stops[place]!.to)),
      }))
    }),
    blockers: blockers.sort(([a], [b]) => a - b).map(([, found]) => found),
    conditions: summary.conditions.map(ofEntry),
    unknowns: summary.unknowns.map(ofEntry),
  }
}

function decideStays(world: World, itinerary: OracleItinerary): Summary {
  const { travellers, stops, transit, purpose } = itinerary
  const documents = carriedBy(itinerary)
  const enterings = listAll(world, itinerary, documents)
  const judged = listWays(world, itinerary, enterings).map(entries => ({
    entries,
    way: judgeWay(world, itinerary, entries),
  }))
  // A passport whose last day nobody knows is one doubt, however often it is used.
  const doubtsOf = (entries: readonly Entering[]) =>
    new Set(
      entries
        .map(({ passport }) => travellers[passport]!)
        .filter(held => world.passports.includes(held.passport) && expiryOf(held) === null),
    ).size
  const rank = ({ way, entries }: (typeof judged)[number]) => [
    way.blockers.length,
    way.doubts + doubtsOf(entries),
    effortOf(way),
  ]
  const { way, entries } = judged.reduce((a, b) => (compareRanks(rank(b), rank(a)) < 0 ? b : a))
  const unknowns = [...way.unknowns]
  transit.forEach((country, place) => {
    if (!world.transit.includes(country)) unknowns.push(`- transit[${place}].rule`)
  })
  travellers.forEach((passport, place) => {
    const path = travellers.length === 1 ? "" : `passports[${place}].`
    if (!world.passports.includes(passport.passport)) unknowns.push(`- ${path}passport`)
    else if (entries.some(entering => entering.passport === place) && expiryOf(passport) === null) {
      unknowns.push(`- ${path}passportExpiry`)
    }
  })
  const before = (itinerary.earlierStays ?? []).map((stay, place) => ({ ...stay, place }))
  before.sort((a, b) => dayOf(a.from) - dayOf(b.from) || dayOf(a.to) - dayOf(b.to))
  for (const { destination, place } of before) {
    if (!world.destinations.includes(destination)) unknowns.push(`- earlierStays[${place}]`)
  }
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
