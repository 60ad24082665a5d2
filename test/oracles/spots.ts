/**
 * The slow, obvious search: look at every spot, ask each filter in the words of the specification, measure with the haversine formula, sort. Letters are
 * folded by a table of the few that the tests use. Imports nothing of what it judges.
 */

export interface OracleSpot {
  readonly id: string
  readonly title: string
  readonly latitude: number
  readonly longitude: number
  readonly category: string | null
  readonly tags: readonly string[]
  readonly country_code: string
  readonly avg_rating: number
}

export interface OracleQuery {
  readonly country: string | null
  readonly text: string | null
  readonly near: { readonly latitude: number; readonly longitude: number } | null
  readonly radiusKm: number
  readonly tags: readonly string[]
  readonly category: string | null
  readonly minRating: number | null
}

const BASE: Readonly<Record<string, string>> = {
  É: "e",
  é: "e",
  Ö: "o",
  ö: "o",
  ø: "o",
  Ø: "o",
  ß: "ss",
  Ł: "l",
  ł: "l",
}

const foldLetters = (text: string): string => [...text].map(letter => BASE[letter] ?? letter.toLowerCase()).join("")

const RADIANS = Math.PI / 180

/** The great-circle distance in metres on a sphere of the radius 6,371,008.8 m, by haversines. */
export function haversineMetres(
  from: { readonly latitude: number; readonly longitude: number },
  to: { readonly latitude: number; readonly longitude: number },
): number {
  const haversine = (degrees: number) => Math.sin((degrees * RADIANS) / 2) ** 2
  const square =
    haversine(to.latitude - from.latitude) +
    Math.cos(from.latitude * RADIANS) * Math.cos(to.latitude * RADIANS) * haversine(to.longitude - from.longitude)
  return 2 * 6_371_008.8 * Math.asin(Math.min(1, Math.sqrt(square)))
}

/** Every spot that passes all filters, with its distance; by id, or by distance where a point is asked. */
export function searchSlowly(
  spots: readonly OracleSpot[],
  query: OracleQuery,
): readonly { readonly id: string; readonly metres: number | null }[] {
  const isSame = (a: string, b: string) => foldLetters(a) === foldLetters(b)
  return spots
    .filter(spot => query.country === null || spot.country_code === query.country)
    .filter(spot => query.category === null || (spot.category !== null && isSame(spot.category, query.category)))
    .filter(spot => query.tags.every(wanted => spot.tags.some(tag => isSame(tag, wanted))))
    .filter(spot => query.minRating === null || spot.avg_rating >= query.minRating)
    .filter(spot => query.text === null || foldLetters(spot.title).includes(foldLetters(query.text)))
    .map(spot => ({ id: spot.id, metres: query.near === null ? null : haversineMetres(query.near, spot) }))
    .filter(({ metres }) => metres === null || metres <= query.radiusKm * 1_000)
    .sort((a, b) => (a.metres ?? 0) - (b.metres ?? 0) || (a.id < b.id ? -1 : 1))
}
