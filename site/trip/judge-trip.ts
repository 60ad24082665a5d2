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
} from "landfall"
import { isTooFarAhead } from "../answers.ts"
import { PURPOSES } from "../ask/question.ts"
import { wholeDataset } from "../whole-dataset.ts"
import { type EarlierStay, NO_TRANSIT, type Trip } from "./trip.ts"

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
  if (trip.passports.length === 0 || stopOf.length === 0) return { decision: null, issues: [], stopOf, isUnfinished }
  const tooFar = stopOf.filter(at => isTooFarAhead(trip.stops[at]?.from ?? ""))
  if (tooFar.length > 0) {
    const issues = tooFar.map(stop => ({ path: `stops[${stop}]`, message: "", stop }))
    return { decision: null, issues, stopOf, isUnfinished }
  }
  const result = decideWithRemedies(dataset, requestOf(trip, stopOf))
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

/** Says whether something blocks the stop with an index in the trip. */
export const isStopBlocked = ({ decision, stopOf }: Judgement, at: number): boolean =>
  decision?.blockers.some(({ step }) => step !== null && stopOf[step] === at) ?? false

/** Says whether an earlier stay can be judged; one that cannot is marked where it stands. */
const isWhole = ({ destination, from, to }: EarlierStay): boolean => destination !== "" && from !== "" && to >= from

function findWholeStops({ stops }: Trip): readonly number[] {
  return stops.flatMap(({ destination, from, to }, at) => (destination !== "" && from !== "" && to !== "" ? [at] : []))
}

function placeOf(path: string, stopOf: readonly number[]): number | null {
  const step = /^stops\[(\d+)\]/.exec(path)?.[1]
  return step === undefined ? null : (stopOf[Number(step)] ?? null)
}

const orNull = <Text extends string>(text: Text | "") => (text === "" ? null : text)

function requestOf(trip: Trip, stopOf: readonly number[]): ItineraryRequest {
  const { passports, stops, transit, held, earlierStays, residence, purpose } = trip
  return {
    passports: passports.map(({ passport, passportExpiry, passportIssued, passportKind }) => ({
      passport,
      passportExpiry: orNull(passportExpiry),
      passportIssued: orNull(passportIssued),
      passportKind: orNull(passportKind),
    })),
    stops: stopOf
      .flatMap(at => stops[at] ?? [])
      .map(stop => ({ ...stop, passport: orNull(stop.passport), by: orNull(stop.by) })),
    transit,
    held,
    earlierStays: earlierStays
      .filter(isWhole)
      .map(({ permit, ...stay }) => (permit === "" ? stay : { ...stay, permit })),
    residence: orNull(residence),
    // The page shows the purpose that it takes where none was chosen.
    purpose: purpose === "" ? PURPOSES[0] : purpose,
  }
}

/** Changes a trip as a remedy of its judgement says. */
export function followRemedy(trip: Trip, remedy: Remedy): Pick<Trip, "stops" | "transit" | "passports" | "held"> {
  const stopOf = findWholeStops(trip)
  const { stops, transit, passports, held } = applyRemedy(requestOf(trip, stopOf), remedy)
  return {
    stops: trip.stops.map((stop, at) => {
      const changed = stops[stopOf.indexOf(at)]
      if (changed === undefined) return stop
      const { destination, from, to, passport, by } = changed
      return { destination, from, to: to ?? "", passport: passport ?? "", by: by ?? "" }
    }),
    passports: (passports ?? []).flatMap(given => {
      if (typeof given === "string") return []
      const { passport, passportExpiry, passportIssued, passportKind } = given
      return [
        {
          passport,
          passportExpiry: passportExpiry ?? "",
          passportIssued: passportIssued ?? "",
          passportKind: passportKind ?? "",
        },
      ]
    }),
    transit: (transit ?? []).map(each =>
      typeof each === "string"
        ? { ...NO_TRANSIT, country: each }
        : { country: each.country, airside: each.airside ?? null },
    ),
    held: (held ?? []) as Trip["held"],
  }
}
