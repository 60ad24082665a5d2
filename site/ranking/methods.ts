/**
 * How is a ranking ordered, and what does it list?
 *
 * A method is the engine's score with other weights, so that a rank is always the engine's. The score of the project weighs three parts;
 * the others count one thing each.
 */
import type { WeightsInput } from "landfall"

/** How many passports can be compared: more than fifteen sets are not readable. */
export const MOST_COMPARED = 4

/** The listed items: passports by their destinations, or destinations by the passports that they admit. */
export const AXES = ["passports", "destinations"] as const
export type Axis = (typeof AXES)[number]

const ACCESS_ALONE = { access: 1, diversity: 0, economy: 0 }

/** The weights of each method, the usual one first; those of the project where none are given. */
export const WEIGHTS = {
  no_visa: { ...ACCESS_ALONE, requirements: { visa_free: 1, eta: 1, visa_on_arrival: 1, e_visa: 0 } },
  visa_free: { ...ACCESS_ALONE, requirements: { visa_free: 1, eta: 0, visa_on_arrival: 0, e_visa: 0 } },
  economy: { access: 0, diversity: 0, economy: 1 },
  score: undefined,
} as const satisfies Readonly<Record<string, WeightsInput | undefined>>

export type Method = keyof typeof WEIGHTS
export const METHODS = Object.keys(WEIGHTS) as readonly Method[]
