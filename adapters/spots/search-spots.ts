/**
 * Which spots does a question ask for, and in which order?
 *
 * Every filter narrows: a spot is found that passes all of them. Without a point the order is by id; with one it is by the
 * distance that is shown, in tenths of a metre, and by id where that is equal, so that pages never overlap. The count is that of
 * all matches, not of the page.
 *
 * A search begins with the shortest list that holds every answer (the spots of the country, category or tag, those between the
 * two latitudes that the radius reaches, or all). It narrows that list by one filter after the other, the cheap ones first, each
 * in a loop over one column.
 */
import { foldText } from "../../src/engine.ts"
import { chordToMetres, EARTH_RADIUS_METRES, type Position, squareChord, toUnitVector } from "./sphere.ts"
import type { Spot } from "./spot.ts"
import { maskLetters, maskPairs, type PlaceList, type Places, type SpotSet } from "./spot-set.ts"

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

/** Searches a set. Cannot fail; takes microseconds for hundreds of spots. */
export function searchSpots(set: SpotSet, query: SpotQuery): FoundSpots {
  const { near, radiusKm, limit, offset } = query
  const filters = readFilters(set, query)
  if (filters === null) return { count: 0, offset, spots: [] }
  if (near === null) {
    const matches = narrow(set, filters, filters.lists)
    const spots = Array.from(matches.subarray(offset, offset + limit), place => toFound(set, place, null))
    return { count: matches.length, offset, spots }
  }
  const { places, squares } = measureNear(set, narrowAround(set, filters, { near, radiusKm }), { near, radiusKm })
  const page = takeNearest(places, squares, offset + limit).subarray(offset)
  const spots = Array.from(page, key => toFound(set, key % PLACES, Math.floor(key / PLACES) / 10))
  return { count: places.length, offset, spots }
}

/** How many spots there are in each country, in the order of the codes. */
export function countByCountry(set: SpotSet): readonly { readonly countryCode: string; readonly count: number }[] {
  return [...set.countries]
    .map(([countryCode, { places }]) => ({ countryCode, count: places.length }))
    .sort((a, b) => (a.countryCode < b.countryCode ? -1 : 1))
}

/** The spots nearest to one of the set, without itself, up to a number and a distance. */
export function findNearby(set: SpotSet, spot: Spot, most: number, radiusKm: number): readonly FoundSpot[] {
  return searchSpots(set, { ...ASK_NOTHING, near: spot, radiusKm, limit: most + 1 })
    .spots.filter(found => found.spot.id !== spot.id)
    .slice(0, most)
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

/** A distance in tenths of a metre times this, plus a place, is one exact number, up to a million spots and half the Earth's circumference. */
const PLACES = 1_048_576

const toFound = ({ spots }: SpotSet, place: number, distanceMetres: number | null): FoundSpot => ({
  spot: spots[place] as Spot,
  distanceMetres,
})

/** The filters of a question besides the point: each list has all spots that pass; the text and the rating are checked one by one. */
interface Filters {
  readonly lists: readonly PlaceList[]
  readonly text: string
  readonly minRating: number
}

/** A point, and how far from it. */
interface Around {
  readonly near: Position
  readonly radiusKm: number
}

// Null where nothing can match, because no spot has the country, the category or a tag.
function readFilters(set: SpotSet, { country, category, tags, text, minRating }: SpotQuery): Filters | null {
  const lists = [
    ...(country === null ? [] : [set.countries.get(country)]),
    ...(category === null ? [] : [set.categories.get(foldText(category))]),
    ...tags.map(tag => set.tags.get(foldText(tag))),
  ]
  if (lists.includes(undefined)) return null
  return { lists: lists as PlaceList[], text: text === null ? "" : foldText(text), minRating: minRating ?? 0 }
}

function narrow(set: SpotSet, { text, minRating }: Filters, lists: readonly PlaceList[]): Places {
  const ordered = [...lists].sort((a, b) => a.places.length - b.places.length)
  return keepTitled(set, keepRated(set, intersect(ordered) ?? set.all, minRating), text)
}

// If only few spots are between the two latitudes of the radius, only those are checked; otherwise the point is the last filter.
function narrowAround(set: SpotSet, filters: Filters, around: Around): Places {
  const band = findBand(set, around)
  const shortest = Math.min(set.all.length, ...filters.lists.map(({ places }) => places.length))
  if ((band.to - band.from) * 4 >= shortest) return narrow(set, filters, filters.lists)
  const near = keepNear(set, band, around).sort()
  return narrow(set, filters, [{ places: near, bits: null }, ...filters.lists])
}

/** Places in the order of latitudes. */
interface Band {
  readonly from: number
  readonly to: number
}

// A radius reaches no latitude beyond its own angle, at the poles and across the date line too.
function findBand({ latitudes }: SpotSet, { near, radiusKm }: Around): Band {
  const angle = ((radiusKm * 1_000) / EARTH_RADIUS_METRES) * (180 / Math.PI) + 1e-9
  return { from: findFirst(latitudes, near.latitude - angle), to: findFirst(latitudes, near.latitude + angle) }
}

// The place of the first number that is not less; the length where there is none.
function findFirst(sorted: Float64Array, least: number): number {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((sorted[middle] as number) < least) from = middle + 1
    else to = middle
  }
  return from
}

function keepNear({ byLatitude, vectorsByLatitude }: SpotSet, { from, to }: Band, { near, radiusKm }: Around): Places {
  const kept = new Uint32Array(to - from)
  const { x: xs, y: ys, z: zs } = vectorsByLatitude
  const { x, y, z } = toUnitVector(near.latitude, near.longitude)
  const reach = squareChord(radiusKm * 1_000)
  let count = 0
  for (let at = from; at < to; at++) {
    const dx = (xs[at] as number) - x
    const dy = (ys[at] as number) - y
    const dz = (zs[at] as number) - z
    if (dx * dx + dy * dy + dz * dz <= reach) kept[count++] = byLatitude[at] as number
  }
  return kept.subarray(0, count)
}

// The places that are in all lists, taken from the shortest; null where there is no list. If even the shortest is long, all are
// compared as bits, thirty-two spots in one operation.
function intersect([first, ...others]: readonly PlaceList[]): Places | null {
  if (first === undefined || others.length === 0) return first?.places ?? null
  if (first.bits === null) return others.reduce(keepCommon, first.places)
  const common = first.bits.slice()
  for (const { bits } of others as { readonly bits: Places }[]) {
    for (let at = 0; at < common.length; at++) common[at] = (common[at] as number) & (bits[at] as number)
  }
  const kept = new Uint32Array(first.places.length)
  let count = 0
  for (let at = 0; at < common.length; at++) {
    for (let word = common[at] as number; word !== 0; word &= word - 1)
      kept[count++] = at * 32 + 31 - Math.clz32(word & -word)
  }
  return kept.subarray(0, count)
}

// Both lists are in ascending order.
function keepCommon(places: Places, { places: list, bits }: PlaceList): Places {
  const kept = new Uint32Array(Math.min(places.length, list.length))
  let count = 0
  let other = 0
  for (let at = 0; at < places.length; at++) {
    const place = places[at] as number
    if (bits !== null) {
      if ((((bits[place >>> 5] as number) >>> (place & 31)) & 1) === 1) kept[count++] = place
      continue
    }
    while (other < list.length && (list[other] as number) < place) other++
    if (list[other] === place) kept[count++] = place
  }
  return kept.subarray(0, count)
}

function keepRated({ ratings }: SpotSet, places: Places, least: number): Places {
  if (least <= 0) return places
  const kept = new Uint32Array(places.length)
  let count = 0
  for (let at = 0; at < places.length; at++) {
    const place = places[at] as number
    if ((ratings[place] as number) >= least) kept[count++] = place
  }
  return kept.subarray(0, count)
}

function keepTitled({ foldedTitles, letterMasks, pairMasks }: SpotSet, places: Places, text: string): Places {
  if (text === "") return places
  const kept = new Uint32Array(places.length)
  const [letters, pairs] = [maskLetters(text), maskPairs(text)]
  // A letter has a bit of its own, so the mask decides.
  const isLetter = /^[a-z]$/.test(text)
  let count = 0
  for (let at = 0; at < places.length; at++) {
    const place = places[at] as number
    if (((letterMasks[place] as number) & letters) !== letters || ((pairMasks[place] as number) & pairs) !== pairs)
      continue
    if (isLetter || (foldedTitles[place] as string).includes(text)) kept[count++] = place
  }
  return kept.subarray(0, count)
}

// The spots within the radius, and the squares of their chords, which are in the order of their distances.
function measureNear(
  { vectors }: SpotSet,
  places: Places,
  { near, radiusKm }: Around,
): { readonly places: Places; readonly squares: Float64Array } {
  const { x: xs, y: ys, z: zs } = vectors
  const { x, y, z } = toUnitVector(near.latitude, near.longitude)
  const reach = squareChord(radiusKm * 1_000)
  const kept = new Uint32Array(places.length)
  const squares = new Float64Array(places.length)
  let count = 0
  for (let at = 0; at < places.length; at++) {
    const place = places[at] as number
    const dx = (xs[place] as number) - x
    const dy = (ys[place] as number) - y
    const dz = (zs[place] as number) - z
    const square = dx * dx + dy * dy + dz * dz
    if (square > reach) continue
    kept[count] = place
    squares[count++] = square
  }
  return { places: kept.subarray(0, count), squares: squares.subarray(0, count) }
}

// The nearest spots, up to a number: for each its shown distance followed by its place, ordered by both. Only spots that may be
// among them, or at the same shown distance as the last, are measured in metres.
function takeNearest(places: Places, squares: Float64Array, most: number): Float64Array {
  const last =
    most < squares.length ? (takeSmallest(squares.slice(), most)[most - 1] as number) : Number.POSITIVE_INFINITY
  const reach = last < 4 ? squareChord(chordToMetres(last) + 0.2) : last
  const keys = new Float64Array(places.length)
  let count = 0
  for (let at = 0; at < places.length; at++) {
    const square = squares[at] as number
    if (square <= reach) keys[count++] = Math.round(chordToMetres(square) * 10) * PLACES + (places[at] as number)
  }
  return takeSmallest(keys.subarray(0, count), most)
}

/** Moves the smallest numbers, up to `most`, to the front in order and returns them; the others are left unordered. */
function takeSmallest(keys: Float64Array, most: number): Float64Array {
  let [from, to] = [0, keys.length - 1]
  // Hoare's selection: each round settles numbers that are certainly in or certainly out.
  while (most < keys.length && from < to) {
    const pivot = keys[(from + to) >> 1] as number
    let [low, high] = [from, to]
    while (low <= high) {
      while ((keys[low] as number) < pivot) low++
      while ((keys[high] as number) > pivot) high--
      if (low <= high) {
        const held = keys[low] as number
        keys[low++] = keys[high] as number
        keys[high--] = held
      }
    }
    if (most - 1 <= high) to = high
    else if (most - 1 >= low) from = low
    else break
  }
  return keys.subarray(0, most).sort()
}
