/** What does the engine say of a trip as far as it is planned? Stops that are not whole yet are left out until they are. */
import { type Decision, decide, type InputIssue, type ItineraryRequest } from "landfall"
import { wholeDataset } from "../answers.ts"
import type { Trip, TripPassport } from "./trip.ts"

/** A trip that was judged. */
export interface Judgement {
  /** Null while there is nothing to judge, or what there is was refused, or its passports are unknown. */
  readonly decision: Decision | null
  /** What was refused, with the place of the stop in the trip where it is about one. */
  readonly issues: readonly (InputIssue & { readonly stop: number | null })[]
  /** By step of the decision, the place of its stop in the trip. */
  readonly stopOf: readonly number[]
  /** True where a passport or the dates of a stop are missing. */
  readonly isUnfinished: boolean
}

/** Judges a trip. */
export function judgeTrip(trip: Trip): Judgement {
  const stopOf = trip.stops.flatMap(({ destination, from, to }, at) =>
    destination !== "" && from !== "" && to !== "" ? [at] : [],
  )
  const isUnfinished = trip.passports.length === 0 || stopOf.length < Math.max(1, trip.stops.length)
  if (trip.passports.length === 0 || stopOf.length === 0) return { decision: null, issues: [], stopOf, isUnfinished }
  const result = decide(wholeDataset(), requestOf(trip, stopOf))
  if (!result.ok) {
    const issues = result.error.issues.map(issue => ({ ...issue, stop: placeOf(issue.path, stopOf) }))
    return { decision: null, issues, stopOf, isUnfinished }
  }
  const decision = result.value
  if (decision.kind !== "decided") {
    const issues = [{ path: "passports", message: decision.message, stop: null }]
    return { decision: null, issues, stopOf, isUnfinished }
  }
  return { decision, issues: [], stopOf, isUnfinished }
}

function placeOf(path: string, stopOf: readonly number[]): number | null {
  const step = /^stops\[(\d+)\]/.exec(path)?.[1]
  return step === undefined ? null : (stopOf[Number(step)] ?? null)
}

function requestOf({ passports, stops, transit, more }: Trip, stopOf: readonly number[]): ItineraryRequest {
  const [first, ...others] = passports.map(givePassport)
  const held = others.length === 0 ? first : { passports: [first, ...others] }
  const chosen = stopOf.flatMap(at => stops[at] ?? [])
  // Fields of a file that the page has no form for, by the engine's names; those that it does not know it leaves alone.
  return { ...(nameForEngine(more) as object), ...held, stops: chosen, transit } as ItineraryRequest
}

function givePassport({ passport, expiry, issued }: TripPassport) {
  return { passport, passportExpiry: expiry === "" ? null : expiry, passportIssued: issued === "" ? null : issued }
}

/** Gives fields at any depth the engine's names: `earlier_stays` becomes `earlierStays`. */
function nameForEngine(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(nameForEngine)
  if (typeof value !== "object" || value === null) return value
  const rename = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [rename(name), nameForEngine(held)]))
}
