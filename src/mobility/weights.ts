/**
 * How much does each kind of entry count, and how much each part of a score?
 *
 * Weights are an argument, because there is no right answer; the defaults are the project's opinion, given with its reasons. Harder
 * demands never count more than easier ones: that keeps the better of two passports the better one under any weights.
 */

import { REQUIREMENTS, type Requirement } from "../dataset/requirement.ts"
import { describe, type InputIssue } from "../errors.ts"
import { readObject } from "../requirement/question.ts"

/** The weights of a mobility score. */
export interface Weights {
  /** Weight of the share of destinations that are open; only the ratio of the three parts counts. */
  readonly access: number
  /** Weight of how the open destinations spread over the regions of the world. */
  readonly diversity: number
  /** Weight of the share of the world's economy that is open. */
  readonly economy: number
  /** The worth of a destination by requirement, from 0 (closed) to 1 (open); a harder requirement never counts more. */
  readonly requirements: Readonly<Record<Requirement, number>>
}

/** Weights of which some are given; the others are those of {@link DEFAULT_WEIGHTS}. */
export interface WeightsInput extends Partial<Omit<Weights, "requirements">> {
  readonly requirements?: { readonly [Name in Requirement]?: number | undefined } | undefined
}

/**
 * The weights that hold when none are given.
 *
 * A visa-free entry counts whole. An eTA is asked for online and seldom refused, but it can be: nine tenths. A visa on arrival needs no application, but a fee, a queue and an officer who
 * may refuse: eight tenths. An e-visa is an application decided before the journey: half. A visa from a consulate opens nothing by itself. Access counts as much as the other two parts
 * together and half again: it matters most to travellers. The other two keep many small neighbouring countries from counting as the whole world.
 *
 * @example
 * ```ts
 * DEFAULT_WEIGHTS.requirements.eta // => 0.9
 * ```
 */
export const DEFAULT_WEIGHTS: Weights = Object.freeze({
  access: 0.6,
  diversity: 0.2,
  economy: 0.2,
  requirements: Object.freeze({
    visa_free: 1,
    eta: 0.9,
    visa_on_arrival: 0.8,
    e_visa: 0.5,
    visa_required: 0,
    no_admission: 0,
  }),
})

/** Reads weights; the default object itself where none are given. */
export function readWeights(value: unknown, issues: InputIssue[]): Weights {
  if (value === undefined) return DEFAULT_WEIGHTS
  const weights = readLike(DEFAULT_WEIGHTS, value, "weights", issues)
  const { access, diversity, economy, requirements } = weights
  if (access + diversity + economy === 0)
    issues.push({ path: "weights", message: "At least one part must have a weight above 0." })
  REQUIREMENTS.forEach((harder, rank) => {
    const easier = REQUIREMENTS[rank - 1] ?? harder
    if (requirements[harder] <= requirements[easier]) return
    const message = `${requirements[harder]} is more than ${requirements[easier]}, the weight of the easier ${easier}.`
    issues.push({ path: `weights.requirements.${harder}`, message })
  })
  return weights
}

// Reads an object shaped like its defaults, which apply where nothing is given. An unknown name is refused: if it is misspelt, a default would silently apply.
function readLike<Shape extends object>(defaults: Shape, value: unknown, path: string, issues: InputIssue[]): Shape {
  const given = readObject(value, path, issues)
  const stray = Object.keys(given).find(name => !Object.hasOwn(defaults, name))
  if (stray !== undefined) {
    issues.push({ path, message: `${describe(stray)} is not a weight; those are ${Object.keys(defaults).join(", ")}.` })
  }
  const read = Object.entries(defaults).map(([name, fallback]) => {
    const found = given[name]
    const field = `${path}.${name}`
    if (found === undefined) return [name, fallback]
    if (typeof fallback === "object") return [name, readLike(fallback, found, field, issues)]
    if (typeof found === "number" && found >= 0 && found <= 1) return [name, found]
    issues.push({ path: field, message: `${describe(found)} is not a number from 0 to 1.` })
    return [name, fallback]
  })
  return Object.fromEntries(read)
}
