/**
 * Which colour does each country have on the map?
 *
 * There is one answer for each country, from the engine as in any app: the requirement of a passport, the best of several, the hardest of a
 * group's members, or which of two passports is easier to travel on; or a destination's requirement for each country's passport. A country
 * without a record is `unknown`; it is never coloured as if no visa were needed.
 */
import {
  chooseBestPassports,
  easeRank,
  type Found,
  intersectGroup,
  listEntrants,
  lookupRequirement,
  type PairsDataset,
  type PassportAnswer,
  REQUIREMENTS,
  type Requirement,
  unlocks,
} from "landfall"
import type { MapAddress } from "../address.ts"
import type { Holding } from "../holdings.ts"
import { PLACES } from "../places.ts"
import { isOfOtherKind } from "../trip/kinds.ts"

/** How two passports differ at a destination. */
export const DIFFERENCES = ["only_first", "first_easier", "same", "second_easier", "only_second"] as const
/** One of {@link DIFFERENCES}. */
export type Difference = (typeof DIFFERENCES)[number]

/** The category of a country's colour. `no_passport`: it issues none of the dataset's passports. `plain`: the map is not about it. */
export type Category = Requirement | Difference | "home" | "unknown" | "no_passport" | "plain"

/** The map's contents for one country. */
export interface Paint {
  readonly category: Category
  /** Allowed days, where they are a fixed number. */
  readonly days: number | null
  /** The passport to use, where one of several was chosen. */
  readonly use: string | null
  /** The document that eases the answer, where one is held that does. */
  readonly by: Holding | null
  /** The answers behind this, one for each passport asked about; null where there is no record. */
  readonly answers: readonly { readonly passport: string; readonly answer: Found | null }[]
}

export interface Colouring {
  readonly paints: ReadonlyMap<string, Paint>
  /** The categories of the legend, in its order, including those that no country has. */
  readonly legend: readonly Category[]
  readonly counts: ReadonlyMap<Category, number>
}

const PLAIN: Paint = { category: "plain", days: null, use: null, by: null, answers: [] }
/** The categories of a map by requirement, in the order of its legend. */
export const BY_REQUIREMENT: readonly Category[] = ["home", ...REQUIREMENTS, "unknown"]
const BY_DIFFERENCE: readonly Category[] = [...DIFFERENCES, "unknown"]

/** Says whether the reader first has to say to whom the passports belong. */
export function isUnasked({ passports, together, destination }: MapAddress): boolean {
  return destination === null && passports.length > 1 && together === null
}

/** Says whether one passport is asked about, of another kind than the ordinary one. */
export function isOfKind({ passports, kind, destination }: MapAddress): boolean {
  return destination === null && passports.length === 1 && isOfOtherKind(passports[0] ?? "", kind)
}

/** Says whether the documents that are held count: those of one traveller with ordinary passports. */
export function holdsDocuments(chosen: MapAddress): boolean {
  const { passports, together, destination } = chosen
  if (isOfKind(chosen)) return false
  return destination === null && (passports.length === 1 || (passports.length > 1 && together === "best"))
}

/** Colours the map for the passports or the destination that were chosen; plain if nothing was chosen, or nothing that is in the dataset. */
export function colourMap(dataset: PairsDataset, chosen: MapAddress): Colouring {
  const { passports, together, destination } = chosen
  if (destination !== null) return colourEntrants(dataset, destination)
  const known = passports.filter(passport => dataset.passports.includes(passport))
  if (known.length === 0 || isUnasked(chosen)) return count(new Map(), BY_REQUIREMENT)
  const [first, second] = known
  if (known.length === 2 && together === "difference" && first !== undefined && second !== undefined) {
    return colourDifference(dataset, first, second)
  }
  if (known.length > 1 && together === "group") return colourGroup(dataset, known)
  return colourBest(dataset, known)
}

export function count(paints: ReadonlyMap<string, Paint>, legend: readonly Category[]): Colouring {
  const counts = new Map<Category, number>(legend.map(category => [category, 0]))
  for (const { category } of paints.values()) counts.set(category, (counts.get(category) ?? 0) + 1)
  return { paints, legend, counts }
}

function listAnswers(dataset: PairsDataset, passports: readonly string[], destination: string): Paint["answers"] {
  return passports.map(passport => {
    const answer = lookupRequirement(dataset, passport, destination)
    return { passport, answer: answer.kind === "found" ? answer : null }
  })
}

function categoryOf(answer: Found | PassportAnswer): Category {
  return answer.home ? "home" : answer.requirement
}

function colourBest(dataset: PairsDataset, passports: readonly string[]): Colouring {
  const result = chooseBestPassports(dataset, passports)
  const paints = new Map<string, Paint>()
  if (result.ok && result.value.kind === "found") {
    for (const { destination, best } of result.value.destinations) {
      paints.set(destination, {
        category: best === null ? "unknown" : categoryOf(best),
        days: best?.days ?? null,
        use: passports.length > 1 && best !== null ? best.passport : null,
        by: null,
        answers: listAnswers(dataset, passports, destination),
      })
    }
  }
  return count(paints, BY_REQUIREMENT)
}

function colourGroup(dataset: PairsDataset, passports: readonly string[]): Colouring {
  const result = intersectGroup(dataset, passports, { allow: REQUIREMENTS })
  const paints = new Map<string, Paint>(
    dataset.destinations.map(destination => [
      destination,
      { category: "unknown", days: null, use: null, by: null, answers: listAnswers(dataset, passports, destination) },
    ]),
  )
  if (result.ok && result.value.kind === "found") {
    for (const { destination, worstRequirement, groupVisaFreeDays } of result.value.destinations) {
      const answers = listAnswers(dataset, passports, destination)
      paints.set(destination, { category: worstRequirement, days: groupVisaFreeDays, use: null, by: null, answers })
    }
  }
  return count(
    paints,
    BY_REQUIREMENT.filter(category => category !== "home"),
  )
}

function colourDifference(dataset: PairsDataset, first: string, second: string): Colouring {
  const paints = new Map<string, Paint>()
  for (const destination of dataset.destinations) {
    const answers = listAnswers(dataset, [first, second], destination)
    const category = judgeDifference(answers[0]?.answer ?? null, answers[1]?.answer ?? null)
    paints.set(destination, { category, days: null, use: null, by: null, answers })
  }
  return count(paints, BY_DIFFERENCE)
}

/** Says which of two passports has the easier requirement; days do not count. */
function judgeDifference(first: Found | null, second: Found | null): Category {
  if (first === null || second === null) return "unknown"
  const opens = unlocks(first.requirement)
  if (opens !== unlocks(second.requirement)) return opens ? "only_first" : "only_second"
  const step = easeRank(first.requirement) - easeRank(second.requirement)
  if (step === 0) return "same"
  return step < 0 ? "first_easier" : "second_easier"
}

function colourEntrants(dataset: PairsDataset, destination: string): Colouring {
  const result = listEntrants(dataset, destination)
  const paints = new Map<string, Paint>(PLACES.map(({ code }) => [code, { ...PLAIN, category: "no_passport" }]))
  for (const passport of dataset.passports) {
    paints.set(passport, { ...PLAIN, category: "unknown", answers: [{ passport, answer: null }] })
  }
  if (result.ok && result.value.kind === "found") {
    for (const answers of Object.values(result.value.byRequirement)) {
      for (const answer of answers) {
        const { passport, days } = answer
        paints.set(passport, { ...PLAIN, category: categoryOf(answer), days, answers: [{ passport, answer }] })
      }
    }
  }
  return count(paints, [...BY_REQUIREMENT, "no_passport"])
}

/** Returns the map's contents for a country; plain if there are none. */
export function paintOf(colouring: Colouring, code: string): Paint {
  return colouring.paints.get(code) ?? PLAIN
}
