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

/** An opened set of spots. */
export interface SpotSet {
  /** In the order of their ids. */
  readonly spots: readonly Spot[]
  readonly placeOf: ReadonlyMap<string, number>
  /** Three numbers a spot: the unit vector of its position. */
  readonly vectors: Float64Array<ArrayBuffer>
  readonly ratings: Float64Array<ArrayBuffer>
  readonly foldedTitles: readonly string[]
  /** A bit for each letter and digit of a folded title, by {@link maskOf}. */
  readonly titleMasks: Uint32Array<ArrayBuffer>
  /** The spots of a country by its code, of a category and of a tag by their folded names. */
  readonly countries: ReadonlyMap<string, PlaceList>
  readonly categories: ReadonlyMap<string, PlaceList>
  readonly tags: ReadonlyMap<string, PlaceList>
  readonly all: Places
  /** All places in the order of their latitudes, from south to north, with those latitudes and the vectors in that order. */
  readonly byLatitude: Places
  readonly latitudes: Float64Array<ArrayBuffer>
  readonly vectorsByLatitude: Float64Array<ArrayBuffer>
}

/** Opens a set. Ids have to be distinct, and there may be at most {@link MAX_SPOTS}: whoever reads spots has checked both. */
export function openSpotSet(given: readonly Spot[]): SpotSet {
  const spots = [...given].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
  const all = Uint32Array.from(spots, (_, place) => place)
  const byLatitude = all.slice().sort((a, b) => (spots[a] as Spot).latitude - (spots[b] as Spot).latitude)
  const foldedTitles = spots.map(({ title }) => foldText(title))
  const foldWord = foldOnce()
  const vectors = listVectors(spots)
  return {
    spots,
    placeOf: new Map(spots.map(({ id }, place) => [id, place])),
    vectors,
    ratings: Float64Array.from(spots, ({ avgRating }) => avgRating),
    foldedTitles,
    titleMasks: Uint32Array.from(foldedTitles, maskOf),
    countries: listByValue(spots, ({ countryCode }) => [countryCode]),
    categories: listByValue(spots, ({ category }) => (category === null ? [] : [foldWord(category)])),
    tags: listByValue(spots, ({ tags }) => new Set(tags.map(foldWord))),
    all,
    byLatitude,
    latitudes: Float64Array.from(byLatitude, place => (spots[place] as Spot).latitude),
    vectorsByLatitude: Float64Array.from(
      { length: vectors.length },
      (_, at) => vectors[(byLatitude[Math.floor(at / 3)] as number) * 3 + (at % 3)] as number,
    ),
  }
}

/**
 * A bit for each letter a to z, one for all digits, one for the blank and one for everything else: a text that contains another has all of its bits.
 *
 * @example
 * ```ts
 * maskOf("ab") // => 3
 * maskOf("route 66") === maskOf("6 outer") // => true
 * ```
 */
export function maskOf(folded: string): number {
  let mask = 0
  for (let at = 0; at < folded.length; at++) {
    const unit = folded.charCodeAt(at)
    mask |= 1 << (unit >= 97 && unit <= 122 ? unit - 97 : unit >= 48 && unit <= 57 ? 26 : unit === 32 ? 27 : 28)
  }
  return mask
}

function listVectors(spots: readonly Spot[]): Float64Array<ArrayBuffer> {
  const vectors = new Float64Array(spots.length * 3)
  spots.forEach(({ latitude, longitude }, place) => {
    const { x, y, z } = toUnitVector(latitude, longitude)
    vectors.set([x, y, z], place * 3)
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
