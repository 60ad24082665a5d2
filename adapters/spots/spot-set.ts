/**
 * How are spots laid out so that any question about them is a short walk over numbers?
 *
 * A set is opened once and never changed. Spots stand in the order of their ids, and everything that a filter asks is a column beside them: unit
 * vectors, ratings, numbers of countries and categories, folded titles. For each country, category and tag there is the list of its spots, and all
 * spots are also listed by latitude. A question walks the shortest list that can hold its answers.
 */
import { foldText } from "./fold-text.ts"
import { toUnitVector } from "./sphere.ts"
import type { Spot } from "./spot.ts"

/** The most spots of one set: with more, a distance and a place no longer fit into one number that is exact. */
export const MAX_SPOTS = 1_048_576

/** Places in {@link SpotSet.spots}, ascending unless it is said otherwise. */
export type Places = Uint32Array<ArrayBuffer>

/** The spots that have one value of something. */
export interface PlaceList {
  readonly places: Places
  /** The same as one bit a spot of the set, where the list is long enough for that to be the shorter way. */
  readonly bits: Places | null
}

/** The unit vectors of positions, a column a coordinate. */
export interface Vectors {
  readonly x: Float64Array<ArrayBuffer>
  readonly y: Float64Array<ArrayBuffer>
  readonly z: Float64Array<ArrayBuffer>
}

/** An opened set of spots. */
export interface SpotSet {
  /** In the order of their ids. */
  readonly spots: readonly Spot[]
  readonly placeOf: ReadonlyMap<string, number>
  readonly vectors: Vectors
  readonly ratings: Float64Array<ArrayBuffer>
  readonly foldedTitles: readonly string[]
  /** What letters a folded title has, by {@link maskLetters}, and what pairs of them, by {@link maskPairs}. */
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

/** Opens a set. Ids have to be distinct, and there may be at most {@link MAX_SPOTS}: whoever reads spots has checked both. */
export function openSpotSet(given: readonly Spot[]): SpotSet {
  const spots = [...given].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
  const all = Uint32Array.from(spots, (_, place) => place)
  const byLatitude = all.slice().sort((a, b) => (spots[a] as Spot).latitude - (spots[b] as Spot).latitude)
  const foldedTitles = spots.map(({ title }) => foldText(title))
  const foldWord = foldOnce()
  return {
    spots,
    placeOf: new Map(spots.map(({ id }, place) => [id, place])),
    vectors: listVectors(spots),
    ratings: Float64Array.from(spots, ({ avgRating }) => avgRating),
    foldedTitles,
    letterMasks: Uint32Array.from(foldedTitles, maskLetters),
    pairMasks: Uint32Array.from(foldedTitles, maskPairs),
    countries: listByValue(spots, ({ countryCode }) => [countryCode]),
    categories: listByValue(spots, ({ category }) => (category === null ? [] : [foldWord(category)])),
    tags: listByValue(spots, ({ tags }) => new Set(tags.map(foldWord))),
    all,
    byLatitude,
    latitudes: Float64Array.from(byLatitude, place => (spots[place] as Spot).latitude),
    vectorsByLatitude: listVectors(Array.from(byLatitude, place => spots[place] as Spot)),
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
  const vectors = spots.map(({ latitude, longitude }) => toUnitVector(latitude, longitude))
  return {
    x: Float64Array.from(vectors, ({ x }) => x),
    y: Float64Array.from(vectors, ({ y }) => y),
    z: Float64Array.from(vectors, ({ z }) => z),
  }
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

function listByValue(
  spots: readonly Spot[],
  valuesOf: (spot: Spot) => Iterable<string>,
): ReadonlyMap<string, PlaceList> {
  const found = new Map<string, number[]>()
  spots.forEach((spot, place) => {
    for (const value of valuesOf(spot)) {
      const list = found.get(value)
      if (list === undefined) found.set(value, [place])
      else list.push(place)
    }
  })
  return new Map(
    [...found].map(([value, places]) => [
      value,
      {
        places: Uint32Array.from(places),
        bits: places.length * 32 < spots.length ? null : toBits(places, spots.length),
      },
    ]),
  )
}

function toBits(places: readonly number[], size: number): Places {
  const bits = new Uint32Array(Math.ceil(size / 32))
  for (const place of places) bits[place >>> 5] = (bits[place >>> 5] as number) | (1 << (place & 31))
  return bits
}
