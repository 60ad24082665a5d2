/** Weights for laws, all kinds that are allowed. */
import fc from "fast-check"
import { REQUIREMENTS, type Requirement } from "../../src/index.ts"
import { DEFAULT_WEIGHTS } from "../../src/mobility/score.ts"

const part = fc.constantFrom(0, 0.1, 0.25, 0.5, 1)

/** Weights of which a harder demand never counts more. */
export const weights: fc.Arbitrary<typeof DEFAULT_WEIGHTS> = fc
  .tuple(fc.tuple(part, part, fc.constantFrom(0.2, 1)), fc.array(part, { minLength: 6, maxLength: 6 }))
  .map(([[access, diversity, economy], worth]) => {
    const falling = [...worth].sort((a, b) => b - a)
    const requirements = Object.fromEntries(REQUIREMENTS.map((name, place) => [name, falling[place] as number]))
    return { access, diversity, economy, requirements: requirements as Record<Requirement, number> }
  })

/** The weights that hold when some are given or none are. */
export const weightsInForce = (given: typeof DEFAULT_WEIGHTS | undefined): typeof DEFAULT_WEIGHTS =>
  given ?? DEFAULT_WEIGHTS
