/**
 * Which spots does this service answer from?
 *
 * The set that ships with the package, read and laid out when somebody first asks for a spot, so that a start need not wait for it.
 */
import { Result } from "effect"
import { readSeedSpots } from "./seed.ts"
import { openSpotSet, type SpotSet } from "./spot-set.ts"

/** The set that is answered from. */
export class SpotSource {
  #set: SpotSet | undefined

  /** Gives the set. Throws where the file that ships with the package is not what it should be. */
  read(): SpotSet {
    this.#set ??= openSpotSet(Result.getOrThrow(readSeedSpots()))
    return this.#set
  }
}
