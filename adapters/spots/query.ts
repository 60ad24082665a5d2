/**
 * What does a request for spots ask?
 *
 * Reads the parameters of a list as text and names each one that is refused, what was given and what is allowed: nothing is cut to a limit or
 * replaced by a default in silence. A parameter that is given twice is refused, because nobody could say which one was meant; one that no list has is passed
 * over, because keys and proxies add theirs. It refuses to know which categories and tags a set has: one that no spot has finds none.
 */
import { ASK_NOTHING, type SpotQuery } from "./search.ts"
import type { Position } from "./sphere.ts"

/** The bounds of a list's parameters. */
export const QUERY_LIMITS = {
  textLength: 200,
  wordLength: 40,
  tags: 20,
  radiusKm: 500,
  rating: 5,
  limit: 50,
  offset: 2_000,
} as const

/** A question, or a sentence for each parameter that was refused. */
export type ReadSpotQuery =
  | { readonly ok: true; readonly query: SpotQuery }
  | { readonly ok: false; readonly error: string }

/** Reads the parameters of a list, each as its name and its decoded text. */
export function readSpotQuery(parameters: Iterable<readonly [name: string, text: string]>): ReadSpotQuery {
  const refused: string[] = []
  const given = new Map<string, string>()
  for (const [name, text] of parameters) {
    if (!READERS.has(name)) continue
    if (given.has(name)) refused.push(`${name} is given more than once.`)
    given.set(name, text)
  }
  let query: SpotQuery = ASK_NOTHING
  for (const [name, text] of given) {
    const read = READERS.get(name)?.(text)
    if (read === undefined) continue
    if (typeof read === "string") refused.push(`${name}: ${read} is expected, not ${quote(text)}.`)
    else query = { ...query, ...read }
  }
  return refused.length === 0 ? { ok: true, query } : { ok: false, error: refused.join(" ") }
}

/** What a parameter says, or what it is expected to be. */
type Reader = (text: string) => Partial<SpotQuery> | string

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  [
    "country",
    text =>
      /^[A-Za-z]{2}$/.test(text)
        ? { country: text.toUpperCase() }
        : "an ISO 3166-1 alpha-2 code of two letters, such as JP,",
  ],
  [
    "q",
    text =>
      text.length <= QUERY_LIMITS.textLength
        ? { text: text.trim() === "" ? null : text }
        : `a text of at most ${QUERY_LIMITS.textLength} characters`,
  ],
  [
    "near",
    text => readPosition(text) ?? "a position lat,lng in degrees (-90 to 90, -180 to 180), such as 48.8584,2.2945,",
  ],
  [
    "radius_km",
    readNumber(
      "a number above 0 and at most 500",
      radiusKm => radiusKm > 0 && radiusKm <= QUERY_LIMITS.radiusKm,
      radiusKm => ({ radiusKm }),
    ),
  ],
  ["tags", readTags],
  [
    "category",
    text => {
      const category = text.trim()
      return category !== "" && category.length <= QUERY_LIMITS.wordLength
        ? { category }
        : `a category of at most ${QUERY_LIMITS.wordLength} characters, such as museum,`
    },
  ],
  [
    "min_rating",
    readNumber(
      "a number from 0 to 5",
      rating => rating >= 0 && rating <= QUERY_LIMITS.rating,
      minRating => ({ minRating }),
    ),
  ],
  ["limit", readWhole(1, QUERY_LIMITS.limit, limit => ({ limit }))],
  ["offset", readWhole(0, QUERY_LIMITS.offset, offset => ({ offset }))],
])

function readPosition(text: string): { readonly near: Position } | null {
  const parts = text.split(",").map(part => part.trim())
  const [latitude = Number.NaN, longitude = Number.NaN] = parts.map(part =>
    DECIMAL.test(part) ? Number(part) : Number.NaN,
  )
  const isPosition = parts.length === 2 && Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180
  return isPosition ? { near: { latitude, longitude } } : null
}

function readTags(text: string): Partial<SpotQuery> | string {
  const tags = text.split(",").map(tag => tag.trim())
  const isList =
    tags.length <= QUERY_LIMITS.tags && tags.every(tag => tag !== "" && tag.length <= QUERY_LIMITS.wordLength)
  return isList
    ? { tags }
    : `a list of at most ${QUERY_LIMITS.tags} tags, separated by commas, each of at most ${QUERY_LIMITS.wordLength} characters,`
}

const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)$/

function readNumber(
  expected: string,
  isAllowed: (value: number) => boolean,
  toQuery: (value: number) => Partial<SpotQuery>,
): Reader {
  return text => {
    const value = DECIMAL.test(text.trim()) ? Number(text) : Number.NaN
    return isAllowed(value) ? toQuery(value) : expected
  }
}

function readWhole(least: number, most: number, toQuery: (value: number) => Partial<SpotQuery>): Reader {
  return text => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    return value >= least && value <= most ? toQuery(value) : `a whole number from ${least} to ${most}`
  }
}

function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}
