/** The parameters of a list of spots, with the bounds that its specification names. */
import { ASK_NOTHING, type Position, type SpotQuery } from "../../../spots/search-spots.ts"
import { optional, type Parameter, readDecimal, type ValuesOf, whole } from "../../pipeline/parameters.ts"

/** Bounds of a list's parameters. */
const QUERY_LIMITS = {
  textLength: 200,
  wordLength: 40,
  tags: 20,
  radiusKm: 500,
  rating: 5,
  limit: 50,
  offset: 2_000,
} as const

const DEFAULT_LIMIT = ASK_NOTHING.limit

const country: Parameter<string> = {
  expected: "an ISO 3166-1 alpha-2 code of two letters, such as JP",
  isRequired: false,
  document: { type: "string", pattern: "^[A-Za-z]{2}$", description: "Only spots in this country.", example: "JP" },
  read: text => (/^[A-Za-z]{2}$/.test(text) ? text.toUpperCase() : undefined),
}

const q: Parameter<string> = {
  expected: `a text of at most ${QUERY_LIMITS.textLength} characters`,
  isRequired: false,
  document: {
    type: "string",
    maxLength: QUERY_LIMITS.textLength,
    description: "A part of the title; case and accents do not count.",
    example: "temple",
  },
  read: text => (text.length <= QUERY_LIMITS.textLength ? text : undefined),
}

const near: Parameter<Position> = {
  expected: "a position lat,lng in degrees (-90 to 90, -180 to 180), such as 48.8584,2.2945",
  isRequired: false,
  document: {
    type: "string",
    description: "Only spots around this point, the nearest first; every spot then has `distance_m`.",
    example: "48.8584,2.2945",
  },
  read: text => {
    const [latitude, longitude, ...others] = text.split(",").map(part => readDecimal(part.trim()))
    if (latitude === undefined || longitude === undefined || others.length > 0) return undefined
    return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { latitude, longitude } : undefined
  },
}

const radiusKm: Parameter<number> = {
  expected: `a number above 0 and at most ${QUERY_LIMITS.radiusKm}`,
  isRequired: false,
  document: {
    type: "number",
    maximum: QUERY_LIMITS.radiusKm,
    description: "The largest distance from `near` in kilometres, inclusive.",
    example: 50,
    default: ASK_NOTHING.radiusKm,
  },
  read: text => {
    const value = readDecimal(text.trim())
    return value !== undefined && value > 0 && value <= QUERY_LIMITS.radiusKm ? value : undefined
  },
}

const tags: Parameter<readonly string[]> = {
  expected: `at most ${QUERY_LIMITS.tags} tags of at most ${QUERY_LIMITS.wordLength} characters, separated by commas`,
  isRequired: false,
  document: {
    type: "string",
    description: "Only spots with all of these tags, separated by commas.",
    example: "unesco",
  },
  read: text => {
    const words = text.split(",").map(word => word.trim())
    const isList =
      words.length <= QUERY_LIMITS.tags && words.every(word => word !== "" && word.length <= QUERY_LIMITS.wordLength)
    return isList ? words : undefined
  },
}

const category: Parameter<string> = {
  expected: `a category of at most ${QUERY_LIMITS.wordLength} characters, such as museum`,
  isRequired: false,
  document: {
    type: "string",
    maxLength: QUERY_LIMITS.wordLength,
    description: "Only spots of this category.",
    example: "museum",
  },
  read: text => {
    const word = text.trim()
    return word !== "" && word.length <= QUERY_LIMITS.wordLength ? word : undefined
  },
}

const minRating: Parameter<number> = {
  expected: `a number from 0 to ${QUERY_LIMITS.rating}`,
  isRequired: false,
  document: {
    type: "number",
    minimum: 0,
    maximum: QUERY_LIMITS.rating,
    description: "The least average rating. Spots without a rating have 0.",
    example: 4,
  },
  read: text => {
    const value = readDecimal(text.trim())
    return value !== undefined && value >= 0 && value <= QUERY_LIMITS.rating ? value : undefined
  },
}

export const listParameters = {
  country: optional(country),
  q: optional(q),
  near: optional(near),
  radius_km: optional(radiusKm),
  tags: optional(tags),
  category: optional(category),
  min_rating: optional(minRating),
  limit: optional(
    whole(1, QUERY_LIMITS.limit, {
      description: "The number of spots on a page.",
      example: 20,
      default: DEFAULT_LIMIT,
    }),
  ),
  offset: optional(
    whole(0, QUERY_LIMITS.offset, { description: "The number of spots to skip.", example: 0, default: 0 }),
  ),
}

/** Makes the question from decoded parameters. */
export function readQuestion(values: ValuesOf<typeof listParameters>): SpotQuery {
  const { country = null, q = "", near = null, category = null, tags = [] } = values
  return {
    country,
    text: q.trim() === "" ? null : q,
    near,
    radiusKm: values.radius_km ?? ASK_NOTHING.radiusKm,
    tags,
    category,
    minRating: values.min_rating ?? null,
    limit: values.limit ?? DEFAULT_LIMIT,
    offset: values.offset ?? 0,
  }
}

/** The id of one spot; any text is read, and an unknown one is 404. */
export const id: Parameter<string> = {
  expected: "the id of a spot",
  isRequired: true,
  takesAnything: true,
  document: { type: "string", description: "The id of a spot, as in a list.", example: "aachen-cathedral" },
  read: text => text,
}
