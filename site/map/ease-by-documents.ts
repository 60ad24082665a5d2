/**
 * Which entries on the map become easier with documents of other countries, by the engine's own judgement of a visit on the day?
 *
 * The rules about such documents are a large part of the dataset, so this is loaded when a document is chosen.
 */
import { easeRank, lookupHeld, type Requirement } from "landfall"
import type { MapAddress } from "../address.ts"
import { documentOf } from "../holdings.ts"
import { wholeViewOn } from "../whole-dataset.ts"
import { BY_REQUIREMENT, type Colouring, count } from "./colouring.ts"

/** Changes the colours of the countries that the traveller's documents make easier. */
export function easeByDocuments({ on, passports, held }: MapAddress, { paints }: Colouring): Colouring {
  const dataset = wholeViewOn(on)
  const documents = held.map(documentOf)
  const eased = new Map(paints)
  for (const [destination, paint] of paints) {
    if (paint.category === "home" || paint.category === "visa_free") continue
    for (const passport of passports) {
      const result = lookupHeld(dataset, passport, destination, { held: documents, exitOn: dataset.asOf })
      if (!result.ok || result.value.kind !== "found") continue
      const { requirement, days, because } = result.value
      const now = eased.get(destination)?.category
      if (because.length === 0 || easeRank(requirement) >= easeRank(now as Requirement)) continue
      const by = held[because[0]?.document ?? 0] ?? null
      const use = passports.length > 1 ? passport : null
      eased.set(destination, { ...paint, category: requirement, days, use, by })
    }
  }
  return count(eased, BY_REQUIREMENT)
}
