/**
 * What is the engine's decision on a trip as far as it is planned, and which remedies are there?
 *
 * Incomplete stops and earlier stays are left out. The engine also applies remedies, so that the page makes exactly the change that was
 * proved to help.
 */
import {
  applyRemedy,
  type Dataset,
  type Decision,
  decideWithRemedies,
  type InputIssue,
  type ItineraryRequest,
  type Remedy,
  type Stay,
} from "landfall"
import { isTooFarAhead } from "../answers.ts"
import { PURPOSES } from "../ask/question.ts"
import { wholeDataset } from "../whole-dataset.ts"
import type { Trip } from "./trip.ts"

export interface Judgement {
  /** Null while there is nothing to judge, the trip was refused, or its passports are unknown. */
  readonly decision: Decision | null
  /** The mistakes, with the index of the stop in the trip if it is about one. */
  readonly issues: readonly (InputIssue & { readonly stop: number | null })[]
  /** By step of the decision: the index of its stop in the trip. */
  readonly stopOf: readonly number[]
  /** True where a passport, or the dates of a stop or an earlier stay are missing. */
  readonly isUnfinished: boolean
}

/** Judges a trip; a past one with a dataset that has its past. */
export function judgeTrip(trip: Trip, dataset: Dataset = wholeDataset()): Judgement {
  const stopOf = findWholeStops(trip)
  const isUnfinished =
    trip.passports.length === 0 ||
    stopOf.length < Math.max(1, trip.stops.length) ||
    trip.earlierStays.some(stay => !isWhole(stay))
  const refuse = (issues: Judgement["issues"]): Judgement => ({ decision: null, issues, stopOf, isUnfinished })
  if (trip.passports.length === 0 || stopOf.length === 0) return refuse([])
  const tooFar = stopOf.filter(at => isTooFarAhead(trip.stops[at]?.from ?? ""))
  if (tooFar.length > 0) return refuse(tooFar.map(stop => ({ path: `stops[${stop}]`, message: "", stop })))
  const result = decideWithRemedies(dataset, requestOf(trip, stopOf))
  if (!result.ok) return refuse(result.error.issues.map(issue => ({ ...issue, stop: placeOf(issue.path, stopOf) })))
  const decision = result.value
  if (decision.kind !== "decided") return refuse([{ path: "passports", message: decision.message, stop: null }])
  return { decision, issues: [], stopOf, isUnfinished }
}

/** Says whether something blocks the stop with an index in the trip. */
export const isStopBlocked = ({ decision, stopOf }: Judgement, at: number): boolean =>
  decision?.blockers.some(({ step }) => step !== null && stopOf[step] === at) ?? false

/** Says whether an earlier stay can be judged; one that cannot is marked where it stands. */
const isWhole = ({ destination, from, to }: Stay): boolean => destination !== "" && from !== "" && to >= from

function findWholeStops({ stops }: Trip): readonly number[] {
  return stops.flatMap(({ destination, from, to }, at) => (destination !== "" && from !== "" && to !== "" ? [at] : []))
}

function placeOf(path: string, stopOf: readonly number[]): number | null {
  const step = /^stops\[(\d+)\]/.exec(path)?.[1]
  return step === undefined ? null : (stopOf[Number(step)] ?? null)
}

const requestOf = ({ others: _, ...trip }: Trip, stopOf: readonly number[]): ItineraryRequest => ({
  ...trip,
  stops: stopOf.flatMap(at => trip.stops[at] ?? []),
  earlierStays: trip.earlierStays.filter(isWhole),
  residence: trip.residence || null,
  // The page shows the purpose that it takes where none was chosen.
  purpose: trip.purpose || PURPOSES[0],
})

/** Changes a trip as a remedy of its judgement says. */
export function followRemedy(trip: Trip, remedy: Remedy): Pick<Trip, "stops" | "transit" | "passports" | "held"> {
  const stopOf = findWholeStops(trip)
  const { stops, transit, passports, held } = applyRemedy(requestOf(trip, stopOf), remedy)
  const changed = trip.stops.map((stop, at) => stops[stopOf.indexOf(at)] ?? stop)
  return { stops: changed, transit, passports, held } as ReturnType<typeof followRemedy>
}
