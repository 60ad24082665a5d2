/**
 * Are the spots where they say they are?
 *
 * Each has to lie in its country, within the tolerance of a map at one to ten million: on land a few kilometres across a border,
 * at sea the twelve nautical miles that a state's waters reach. That includes reefs and islands too small to be drawn. No two may
 * be in one place, and no two of a country may have one name. It repairs nothing.
 */

import { ASK_NOTHING, openSpotSet, searchSpots } from "../../adapters/spots/search-spots.ts"
import type { Spot } from "../../adapters/spots/spot.ts"
import { foldText } from "../../src/engine.ts"
import { type Boundaries, isWithin, measureToRings } from "./boundaries.ts"

/** How far a spot may lie beyond its country's border, in kilometres: the lines are drawn with that much freedom. */
const BORDER_TOLERANCE_KM = 5

/** How far from its country's coast a spot may lie at sea: twelve nautical miles. */
const SEA_TOLERANCE_KM = 22.224

/** Two spots nearer than this are taken for one, in metres. */
const COINCIDENCE_METRES = 50

/** A mistake, named by the spot's id. */
export interface SpotMistake {
  readonly id: string
  readonly message: string
}

/** Checks a set of spots against the outlines of countries: every mistake found. */
export function verifySpots(spots: readonly Spot[], boundaries: Boundaries): readonly SpotMistake[] {
  return [...findMisplaced(spots, boundaries), ...findCoincident(spots), ...findSameNames(spots)]
}

function findMisplaced(spots: readonly Spot[], boundaries: Boundaries): SpotMistake[] {
  return spots.flatMap(({ id, country_code, latitude, longitude }) => {
    const rings = boundaries.get(country_code)
    if (rings === undefined) return [{ id, message: `There is no outline of ${country_code}.` }]
    if (isWithin(rings, latitude, longitude)) return []
    const distanceKm = measureToRings(rings, latitude, longitude)
    if (distanceKm <= BORDER_TOLERANCE_KM) return []
    const [host] = [...boundaries].find(([, others]) => isWithin(others, latitude, longitude)) ?? []
    if (host === undefined && distanceKm <= SEA_TOLERANCE_KM) return []
    const place = host === undefined ? "at sea" : `in ${host}`
    return [
      { id, message: `${latitude},${longitude} lies ${place}, ${distanceKm.toFixed(1)} km from ${country_code}.` },
    ]
  })
}

function findCoincident(spots: readonly Spot[]): SpotMistake[] {
  const set = openSpotSet(spots)
  return spots.flatMap(spot => {
    const question = { ...ASK_NOTHING, near: spot, radiusKm: COINCIDENCE_METRES / 1_000, limit: 50 }
    return searchSpots(set, question)
      .spots.filter(found => found.spot.id > spot.id)
      .map(found => ({
        id: spot.id,
        message: `${found.spot.id} is only ${found.distanceMetres} m away: two spots are in one place.`,
      }))
  })
}

function findSameNames(spots: readonly Spot[]): SpotMistake[] {
  const idOf = new Map<string, string>()
  return spots.flatMap(({ id, title, country_code }) => {
    const name = `${country_code} ${foldText(title)}`
    const twin = idOf.get(name)
    idOf.set(name, id)
    return twin === undefined ? [] : [{ id, message: `${twin} in ${country_code} has the same name.` }]
  })
}
