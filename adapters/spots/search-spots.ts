/**
 * Which spots does a question ask for, and in which order?
 *
 * Every filter narrows: a spot is found that passes all of them. Without a point the order is by id; with one it is by the distance that is shown, in tenths of a metre, and by id where
 * that is equal, so that pages never overlap. The count is that of all matches, not of the page.
 *
 * A search looks at every spot of the set: 737 take some twenty microseconds, a hundred thousand a few milliseconds. The Earth is the sphere of the radius that the specification names.
 * Positions are unit vectors, so that neither the poles nor the date line are a special case: the shorter the chord between two vectors, the nearer the points.
 */
import { foldText } from "../../src/engine.ts"
import type { Spot } from "./spot.ts"

/** The most spots of one set: a search of so many takes a few milliseconds. */
export const MAX_SPOTS = 50_000

/** A position in degrees. */
export interface Position {
  readonly latitude: number
  readonly longitude: number
}

/** A spot as a search compares it: words folded, its position as a unit vector. */
interface PlacedSpot {
  readonly spot: Spot
  readonly title: string
  readonly category: string | null
  readonly tags: readonly string[]
  readonly vector: Vector
}

/** Spots in the order of their ids, opened once and never changed. */
export interface SpotSet {
  readonly placed: readonly PlacedSpot[]
  readonly byId: ReadonlyMap<string, Spot>
}

/** A question about a set of spots; null asks for nothing. */
export interface SpotQuery {
  /** ISO 3166-1 alpha-2, in capital letters. */
  readonly country: string | null
  /** A part of the title, in any case and with or without accents. */
  readonly text: string | null
  readonly near: Position | null
  /** How far from `near`, that distance included. Ignored without `near`. */
  readonly radiusKm: number
  /** A spot has to have all of them. */
  readonly tags: readonly string[]
  readonly category: string | null
  /** The least average rating, that one included. */
  readonly minRating: number | null
  readonly limit: number
  readonly offset: number
}

export interface FoundSpot {
  readonly spot: Spot
  /** How far it is from the point that was asked, to a tenth of a metre; null where no point was asked. */
  readonly distanceMetres: number | null
}

/** A page of spots, and how many there are on all pages. */
export interface FoundSpots {
  readonly count: number
  readonly offset: number
  readonly spots: readonly FoundSpot[]
}

/** The question that asks for nothing: the first spots of all. */
export const ASK_NOTHING: SpotQuery = {
  country: null,
  text: null,
  near: null,
  radiusKm: 50,
  tags: [],
  category: null,
  minRating: null,
  limit: 20,
  offset: 0,
}

/** The mean radius of the Earth in metres (IUGG, R₁). */
const EARTH_RADIUS_METRES = 6_371_008.8

const RADIANS = Math.PI / 180

/** How many spots are folded in one step: a few milliseconds. */
const STEP = 2_000

/** Opens a set. Ids have to be distinct, and there may be at most {@link MAX_SPOTS}: the readers of spots check both. */
export function openSpotSet(given: readonly Spot[]): SpotSet {
  const steps = openInSteps(given)
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** Opens a set in steps, so that a service can answer in between. */
export function* openInSteps(given: readonly Spot[]): Generator<void, SpotSet, void> {
  const spots = [...given].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
  const placed: PlacedSpot[] = []
  for (let at = 0; at < spots.length; at += STEP) {
    yield
    for (const spot of spots.slice(at, at + STEP)) {
      const category = spot.category === null ? null : foldText(spot.category)
      const tags = spot.tags.map(foldText)
      placed.push({ spot, title: foldText(spot.title), category, tags, vector: toUnitVector(spot) })
    }
  }
  yield
  return { placed, byId: new Map(spots.map(spot => [spot.id, spot])) }
}

/** Searches a set. Cannot fail. */
export function searchSpots({ placed }: SpotSet, query: SpotQuery): FoundSpots {
  const { country, near, radiusKm, minRating, limit, offset } = query
  const text = foldText(query.text ?? "")
  const category = query.category === null ? null : foldText(query.category)
  const tags = query.tags.map(foldText)
  const point = near === null ? null : toUnitVector(near)
  const reach = squareChord(radiusKm * 1_000)
  // A distance in tenths of a metre, then the place in the order of ids: one number that is exact.
  const keys: number[] = []
  placed.forEach((found, place) => {
    const square = point === null ? 0 : measureSquare(point, found.vector)
    if (square > reach || !found.title.includes(text)) return
    if (country !== null && found.spot.country_code !== country) return
    if (category !== null && found.category !== category) return
    if (minRating !== null && found.spot.avg_rating < minRating) return
    if (!tags.every(tag => found.tags.includes(tag))) return
    keys.push(square === 0 ? place : Math.round(chordToMetres(square) * 10) * MAX_SPOTS + place)
  })
  const ordered = near === null ? keys : Float64Array.from(keys).sort()
  const spots = Array.from(ordered.slice(offset, offset + limit), key => ({
    spot: (placed[key % MAX_SPOTS] as PlacedSpot).spot,
    distanceMetres: near === null ? null : Math.floor(key / MAX_SPOTS) / 10,
  }))
  return { count: keys.length, offset, spots }
}

/** How many spots there are in each country, in the order of the codes. */
export function countByCountry({
  placed,
}: SpotSet): readonly { readonly country_code: string; readonly spot_count: number }[] {
  const counts = new Map<string, number>()
  for (const { spot } of placed) counts.set(spot.country_code, (counts.get(spot.country_code) ?? 0) + 1)
  return [...counts]
    .map(([country_code, spot_count]) => ({ country_code, spot_count }))
    .sort((a, b) => (a.country_code < b.country_code ? -1 : 1))
}

/** The spots nearest to one of the set, without itself, up to a number and a distance. */
export function findNearby(set: SpotSet, spot: Spot, most: number, radiusKm: number): readonly FoundSpot[] {
  return searchSpots(set, { ...ASK_NOTHING, near: spot, radiusKm, limit: most + 1 })
    .spots.filter(found => found.spot.id !== spot.id)
    .slice(0, most)
}

interface Vector {
  readonly x: number
  readonly y: number
  readonly z: number
}

function toUnitVector({ latitude, longitude }: Position): Vector {
  const level = Math.cos(latitude * RADIANS)
  return {
    x: level * Math.cos(longitude * RADIANS),
    y: level * Math.sin(longitude * RADIANS),
    z: Math.sin(latitude * RADIANS),
  }
}

const measureSquare = (a: Vector, b: Vector): number => (a.x - b.x) ** 2 + (a.y - b.y) ** 2 + (a.z - b.z) ** 2

// The square of the chord that a distance along the surface spans, on the unit sphere; 4 from half of the Earth on.
function squareChord(metres: number): number {
  const angle = metres / EARTH_RADIUS_METRES
  return angle >= Math.PI ? 4 : 4 * Math.sin(angle / 2) ** 2
}

const chordToMetres = (square: number): number =>
  2 * EARTH_RADIUS_METRES * Math.asin(Math.min(1, Math.sqrt(square) / 2))

/** The distance between two positions along the surface, in metres. */
export const measureMetres = (from: Position, to: Position): number =>
  chordToMetres(measureSquare(toUnitVector(from), toUnitVector(to)))
