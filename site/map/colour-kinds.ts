/** The map of one passport of another kind than the ordinary one; loaded when such a kind is chosen. */

import type { MapAddress } from "../address.ts"
import { answerVisit } from "../answer-kinds.ts"
import { BY_REQUIREMENT, type Colouring, count, type Paint } from "./colouring.ts"

export function colourByKind(
  { passports: [passport = ""], kind, on }: MapAddress,
  destinations: readonly string[],
): Colouring {
  const paints = destinations.map((destination): readonly [string, Paint] => {
    const answer = answerVisit(passport, kind, destination, on)
    const category = answer === null ? "unknown" : answer.home ? "home" : answer.requirement
    const days = answer?.days ?? null
    return [destination, { category, days, use: null, by: null, answers: [{ passport, answer }] }]
  })
  return count(new Map(paints), BY_REQUIREMENT)
}
