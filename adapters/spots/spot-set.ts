/**
 * How are spots laid out so that any search reads few numbers?
 *
 * A set is opened once and never changed. Spots are in the order of their ids, and every value that a filter needs is a column: unit vectors, ratings, numbers of countries and categories,
 * folded titles. For each country, category and tag there is the list of its spots, and all spots are also listed by latitude. A search reads the shortest list that can contain its
 * answers.
 */
import { foldText } from "../../src/engine.ts"
import { toUnitVector } from "./sphere.ts"
import type { Spot } from "./spot.ts"

/** The most spots of one set: with more, a distance and a place no longer fit into one number that is exact. */
export const MAX_SPOTS = 1_048_576

/** Places in {@link SpotSet.spots}, ascending unless stated otherwise. */
export type Places = Uint32Array<ArrayBuffer>

/** The spots that have one value of something. */
export interface PlaceList {
  readonly places: Places
  /** The same as one bit for each spot of the set, where the list is long enough for that to be smaller. */
  readonly bits: Places | null
}

/** The unit vectors of positions, a column a coordinate. */
export interface Vectors {
  readonly x: Float64Array<ArrayBuffer>
  readonly y: Float64Array<ArrayBuffer>
  readonly z: Float64Array<ArrayBuffer>
}

export interface SpotSet {
  /** In the order of their ids. */
  readonly spots: readonly Spot[]
  readonly placeOf: ReadonlyMap<string, number>
  readonly vectors: Vectors
  readonly ratings: Float64Array<ArrayBuffer>
  readonly foldedTitles: readonly string[]
  /** Which letters a folded title has, by {@link maskLetters}, and which pairs of letters, by {@link maskPairs}. */
  readonly letterMasks: Uint32Array<ArrayBuffer>
  readonly pairMasks: Uint32Array<ArrayBuffer>
  /** The spots of a country by its code, of a category and of a tag by their folded names. */
  readonly countries: ReadonlyMap<string, PlaceList>
  readonly categories: ReadonlyMap<string, PlaceList>
  readonly tags: ReadonlyMap<string, PlaceList>
  readonly all: Places
  /** All places in the order of their latitudes, from south to north, with those latitudes and the vectors in that order. */
  readonly byLatitude: Places
  readonly latitudes: Float64Array<ArrayBuffer>
  readonly vectorsByLatitude: Vectors
}

/** Opens a set. Ids have to be distinct, and there may be at most {@link MAX_SPOTS}: the readers of spots check both. */
export function openSpotSet(given: readonly Spot[]): SpotSet {
  const steps = openInSteps(given)
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** How many spots are laid out in one step: a few milliseconds. */
const STEP = 2_000

/** Opens a set in steps, so that a service can answer in between. A hundred thousand spots take about a second in all. */
export function* openInSteps(given: readonly Spot[]): Generator<undefined, SpotSet> {
  const spots = [...given].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
  yield
  const all = Uint32Array.from(spots, (_, place) => place)
  const byLatitude = all.slice().sort((a, b) => (spots[a] as Spot).latitude - (spots[b] as Spot).latitude)
  yield
  const foldWord = foldOnce()
  const foldedTitles: string[] = []
  const placeOf = new Map<string, number>()
  const countries = new Map<string, number[]>()
  const categories = new Map<string, number[]>()
  const tags = new Map<string, number[]>()
  for (let place = 0; place < spots.length; place++) {
    if (place % STEP === STEP - 1) yield
    const { id, title, countryCode, category, tags: named } = spots[place] as Spot
    foldedTitles.push(foldText(title))
    placeOf.set(id, place)
    addPlace(countries, countryCode, place)
    if (category !== null) addPlace(categories, foldWord(category), place)
    for (const tag of new Set(named.map(foldWord))) addPlace(tags, tag, place)
  }
  const vectors = listVectors(spots)
  yield
  return {
    spots,
    placeOf,
    vectors,
    ratings: Float64Array.from(spots, ({ avgRating }) => avgRating),
    foldedTitles,
    letterMasks: Uint32Array.from(foldedTitles, maskLetters),
    pairMasks: Uint32Array.from(foldedTitles, maskPairs),
    countries: listPlaces(countries, spots.length),
    categories: listPlaces(categories, spots.length),
    tags: listPlaces(tags, spots.length),
    all,
    byLatitude,
    latitudes: Float64Array.from(byLatitude, place => (spots[place] as Spot).latitude),
    vectorsByLatitude: {
      x: Float64Array.from(byLatitude, place => vectors.x[place] as number),
      y: Float64Array.from(byLatitude, place => vectors.y[place] as number),
      z: Float64Array.from(byLatitude, place => vectors.z[place] as number),
    },
  }
}

/**
 * A bit for each letter a to z, one for all digits, one for the blank and one for everything else: a text that contains another has all of its bits.
 *
 * @example
 * ```ts
 * maskLetters("ab") // => 3
 * maskLetters("route 66") === maskLetters("6 outer") // => true
 * ```
 */
export function maskLetters(folded: string): number {
  let mask = 0
  for (let at = 0; at < folded.length; at++) {
    const unit = folded.charCodeAt(at)
    mask |= 1 << (unit >= 97 && unit <= 122 ? unit - 97 : unit >= 48 && unit <= 57 ? 26 : unit === 32 ? 27 : 28)
  }
  return mask
}

/**
 * A bit for each two neighbours of a text, of thirty-two that all pairs share: a text that contains another has all of its bits, and few others have.
 *
 * @example
 * ```ts
 * (maskPairs("castle") & maskPairs("ast")) === maskPairs("ast") // => true
 * maskPairs("a") // => 0
 * ```
 */
export function maskPairs(folded: string): number {
  let mask = 0
  for (let at = 1; at < folded.length; at++) {
    mask |= 1 << ((folded.charCodeAt(at - 1) * 5 + folded.charCodeAt(at)) & 31)
  }
  return mask
}

function listVectors(spots: readonly Spot[]): Vectors {
  const vectors = {
    x: new Float64Array(spots.length),
    y: new Float64Array(spots.length),
    z: new Float64Array(spots.length),
  }
  spots.forEach(({ latitude, longitude }, place) => {
    const { x, y, z } = toUnitVector(latitude, longitude)
    vectors.x[place] = x
    vectors.y[place] = y
    vectors.z[place] = z
  })
  return vectors
}

// Categories and tags are few words, each of many spots.
function foldOnce(): (word: string) => string {
  const folded = new Map<string, string>()
  return word => {
    const known = folded.get(word)
    if (known !== undefined) return known
    const fresh = foldText(word)
    folded.set(word, fresh)
    return fresh
  }
}

function addPlace(found: Map<string, number[]>, value: string, place: number): void {
  const list = found.get(value)
  if (list === undefined) found.set(value, [place])
  else list.push(place)
}

function listPlaces(found: ReadonlyMap<string, readonly number[]>, size: number): ReadonlyMap<string, PlaceList> {
  return new Map(
    [...found].map(([value, places]) => [
      value,
      { places: Uint32Array.from(places), bits: places.length * 32 < size ? null : toBits(places, size) },
    ]),
  )
}

function toBits(places: readonly number[], size: number): Places {
  const bits = new Uint32Array(Math.ceil(size / 32))
  for (const place of places) bits[place >>> 5] = (bits[place >>> 5] as number) | (1 << (place & 31))
  return bits
}
