/**
 * Which places can everybody enter and stay in, how easily, and what has to be done for it?
 *
 * The engine decides on a stay of each person in each place: with the passports, the documents and the day on which the passports expire. A
 * place is as easy as for the person with the hardest requirement. Places with a blocker or an unknown for somebody are listed separately.
 */
import { type Blocker, type Condition, type Dataset, decide, easeRank, type Requirement } from "landfall"
import { dateOf, dayOf } from "../answers.ts"
import { documentOf } from "../holdings.ts"
import { REGION_CODES } from "./region-codes.ts"
import type { Person, Search } from "./search.ts"

/** The requirements of one person in a place. */
export interface Need {
  /** Null where it is not known. */
  readonly requirement: Requirement | null
  readonly isHome: boolean
  /** Days that the stay may last; null where it is no fixed number. */
  readonly stayDays: number | null
  readonly blockers: readonly Blocker[]
  readonly conditions: readonly Condition[]
}

/** A place, and the requirements of each person there. */
export interface FoundPlace {
  readonly code: string
  readonly needs: readonly Need[]
  /** The hardest requirement of any person; null if it is unknown for somebody. */
  readonly requirement: Requirement | null
  readonly isBlocked: boolean
}

const MOST_OF = { nothing: easeRank("visa_free"), no_consulate: easeRank("e_visa"), any: easeRank("visa_required") }

/** Finds the places for a search whose first day is known: those that fit, the easiest first, and the others. */
export function findPlaces(dataset: Dataset, { people, from, days, effort, region }: Search) {
  const to = dateOf(dayOf(from) + days - 1)
  const places = dataset.destinations
    .filter((_, at) => region === null || codeOfRegion(dataset, at) === region)
    .map(code => judgePlace(dataset, code, people, { from, to }))
  const isSure = ({ requirement, isBlocked }: FoundPlace) => requirement !== null && !isBlocked
  return {
    fitting: places
      .filter(place => isSure(place) && easeRank(place.requirement as Requirement) <= MOST_OF[effort])
      .sort((one, other) => rankOf(one) - rankOf(other)),
    /** Places where somebody is blocked or whose requirement is unknown for somebody. */
    others: places.filter(place => !isSure(place)),
  }
}

function codeOfRegion(dataset: Dataset, at: number): string | undefined {
  const place = dataset.regionOf[at]
  const codes: Readonly<Record<string, string>> = REGION_CODES
  return place == null ? undefined : codes[dataset.regions[place] ?? ""]
}

function rankOf({ requirement, needs }: FoundPlace): number {
  const asked = needs.reduce((sum, need) => sum + (need.requirement === null ? 0 : easeRank(need.requirement)), 0)
  return (requirement === null ? 0 : easeRank(requirement)) * 100 + asked
}

interface Span {
  readonly from: string
  readonly to: string
}

function judgePlace(dataset: Dataset, code: string, people: readonly Person[], span: Span): FoundPlace {
  const needs = people.map(person => judgePerson(dataset, code, person, span))
  const requirements = needs.map(({ requirement }) => requirement)
  const hardest = requirements.includes(null)
    ? null
    : requirements.reduce((worst, each) =>
        easeRank(each as Requirement) > easeRank(worst as Requirement) ? each : worst,
      )
  return { code, needs, requirement: hardest ?? null, isBlocked: needs.some(({ blockers }) => blockers.length > 0) }
}

const UNKNOWN: Need = { requirement: null, isHome: false, stayDays: null, blockers: [], conditions: [] }

function judgePerson(dataset: Dataset, destination: string, { passports, held, expiry }: Person, span: Span): Need {
  const result = decide(dataset, {
    passports: passports.map(passport => ({ passport, passportExpiry: expiry === "" ? null : expiry })),
    stops: [{ destination, ...span }],
    held: held.map(documentOf),
  })
  if (!result.ok || result.value.kind !== "decided") return UNKNOWN
  const { steps, blockers, conditions } = result.value
  const [step] = steps
  if (step === undefined || step.requirement.status === "unknown") return { ...UNKNOWN, blockers }
  const { maxStay } = step
  return {
    requirement: step.requirement.value,
    isHome: maxStay.status === "known" && maxStay.value === "unlimited",
    stayDays: maxStay.status === "known" && typeof maxStay.value === "number" ? maxStay.value : null,
    blockers,
    conditions,
  }
}
