/**
 * `GET /api/v1/spots`, `/api/v1/spots/{id}` and `/api/spots/countries`: places that travellers care about.
 *
 * JSON, or GeoJSON on `Accept: application/geo+json`. Each call costs one request of the surface's own pool.
 */

import { Schema } from "effect"
import type { PlanTable } from "../../../plans/plans.ts"
import { explainSpent, limitHeaders, type Refusal, retryHeaders } from "../../../quota/limits.ts"
import { LiveSpots } from "../../../spots/import-spots.ts"
import {
  ASK_NOTHING,
  countByCountry,
  type FoundSpot,
  type FoundSpots,
  findNearby,
  type Position,
  type SpotQuery,
  type SpotSet,
  searchSpots,
} from "../../../spots/search-spots.ts"
import { answerKeyRefused, findApiKey, type KeyRules, UNKNOWN_KEY } from "../../pipeline/admission.ts"
import { fieldsFrom, makeBody } from "../../pipeline/describe-row.ts"
import {
  type AnswerContext,
  endpoint,
  optional,
  type Parameter,
  type ParameterDocument,
  parsed,
  readDecimal,
  textThat,
  type ValuesOf,
  whole,
} from "../../pipeline/endpoint.ts"
import {
  type Answer,
  answerError,
  answerText,
  GEO_JSON_TYPE,
  JSON_TYPE,
  REVALIDATED,
  wantsGeoJson,
} from "../../pipeline/http-message.ts"
import { MountedSite } from "../../pipeline/process-state.ts"

// The parameters of a list of spots, with the bounds that its specification names.

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

const COUNTRY = /^[A-Za-z]{2}$/
const country = parsed(
  "an ISO 3166-1 alpha-2 code of two letters, such as JP",
  text => (COUNTRY.test(text) ? text.toUpperCase() : undefined),
  { pattern: COUNTRY, description: "Only spots in this country.", example: "JP" },
)

/** Whether a text was sent in UTF-8: bytes that are not, such as `%E9`, are read as U+FFFD, and would find nothing. */
const isUtf8 = (text: string) => !text.includes("\ufffd")

const q = textThat(
  `a text of at most ${QUERY_LIMITS.textLength} characters in UTF-8`,
  text => text.length <= QUERY_LIMITS.textLength && isUtf8(text),
  {
    maxLength: QUERY_LIMITS.textLength,
    description: "A part of the title; case and accents do not count.",
    example: "temple",
  },
)

const near = parsed<Position>(
  "a position lat,lng in degrees (-90 to 90, -180 to 180), such as 48.8584,2.2945",
  text => {
    const [latitude, longitude, ...others] = text.split(",").map(part => readDecimal(part.trim()))
    if (latitude === undefined || longitude === undefined || others.length > 0) return undefined
    return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { latitude, longitude } : undefined
  },
  {
    description: "Only spots around this point, the nearest first; every spot then has `distance_m`.",
    example: "48.8584,2.2945",
  },
)

/** A number that is valid, or is not; blanks around it do not count. */
const numberThat = (expected: string, isValid: (value: number) => boolean, document: ParameterDocument) => {
  const read = (text: string) => {
    const value = readDecimal(text.trim())
    return value !== undefined && isValid(value) ? value : undefined
  }
  return parsed(expected, read, { type: "number", ...document })
}

const radiusKm = numberThat(
  `a number above 0 and at most ${QUERY_LIMITS.radiusKm}`,
  value => value > 0 && value <= QUERY_LIMITS.radiusKm,
  {
    maximum: QUERY_LIMITS.radiusKm,
    description: "The largest distance from `near` in kilometres, inclusive.",
    example: 50,
    default: ASK_NOTHING.radiusKm,
  },
)

const isWord = (word: string) => word !== "" && word.length <= QUERY_LIMITS.wordLength && isUtf8(word)

const tags = parsed<readonly string[]>(
  `at most ${QUERY_LIMITS.tags} tags of at most ${QUERY_LIMITS.wordLength} characters, separated by commas`,
  text => {
    const words = text.split(",").map(word => word.trim())
    return words.length <= QUERY_LIMITS.tags && words.every(isWord) ? words : undefined
  },
  { description: "Only spots with all of these tags, separated by commas.", example: "unesco" },
)

const category = parsed(
  `a category of at most ${QUERY_LIMITS.wordLength} characters, such as museum`,
  text => (isWord(text.trim()) ? text.trim() : undefined),
  { maxLength: QUERY_LIMITS.wordLength, description: "Only spots of this category.", example: "museum" },
)

const minRating = numberThat(
  `a number from 0 to ${QUERY_LIMITS.rating}`,
  value => value >= 0 && value <= QUERY_LIMITS.rating,
  {
    minimum: 0,
    maximum: QUERY_LIMITS.rating,
    description: "The least average rating. Spots without a rating have 0.",
    example: 4,
  },
)

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
const id: Parameter<string> = {
  ...parsed("the id of a spot", text => text, {
    description: "The id of a spot, as in a list.",
    example: "aachen-cathedral",
  }),
  takesAnything: true,
}

// How does the spots surface treat keys and limits?
// No key is required: requests with one use the plan's monthly quota of spots, all others a daily allowance of the client's address. An
// unknown key is refused rather than ignored, so that its sender notices.

/** No row of this surface requires a key, a plan or a language. */
const cannotHappen = (what: string): never => {
  throw new Error(`a row of the spots ${what}`)
}

const describeRefusal = (refusal: Refusal): string =>
  explainSpent(refusal) ?? `The monthly quota of ${refusal.limit} requests for spots is spent.`

/** The rules of the spots, for the plans of a service. */
export function makeSpotsKeyRules(plans: PlanTable): KeyRules {
  return {
    pool: "spots",
    findKey: findApiKey,
    answerNoKey: () => cannotHappen("asked for a key"),
    answerUnknownKey: () => UNKNOWN_KEY,
    answerKeyRefused,
    answerPlanTooLow: () => cannotHappen("asked for a plan"),
    refuseLanguage: () => null,
    answerRefusal: (refusal, _, { nowMs }) => {
      const headers = [...limitHeaders(refusal.limits, nowMs), ...retryHeaders(refusal)]
      return answerError(429, describeRefusal(refusal), headers)
    },
    listQuotaHeaders: ({ limits }, _, nowMs) => limitHeaders(limits, nowMs),
    keyless: {
      pool: "spots",
      answerRefusal: (refusal, nowMs) => {
        const headers = [...limitHeaders(refusal.limits, nowMs), ...retryHeaders(refusal)]
        const message = `Without a key ${plans.keylessSpotsPerDay} requests a day are answered; with a key the plan's quota applies.`
        return answerError(429, message, headers)
      },
      listLimitHeaders: limitHeaders,
    },
  }
}

// Which records does the spots surface answer with? A list, one spot with all that is known of it, the countries, and the same as GeoJSON
// (RFC 7946). The contract tests compare real answers with their schemas.

const Texts = Schema.Array(Schema.String)
const MaybeText = Schema.NullOr(Schema.String)

/** A spot with its address, and its distance where a point was asked. */
type Written = FoundSpot["spot"] & { readonly url: string; readonly distanceMetres: number | null }

const SPOT = fieldsFrom<Written>()({
  id: Schema.String,
  title: Schema.String,
  description: Schema.String,
  latitude: Schema.Finite,
  longitude: Schema.Finite,
  tags: Texts,
  country_code: Schema.String.annotate({ description: "ISO 3166-1 alpha-2, or XK." }),
  avg_rating: Schema.Finite.annotate({ description: "From 0 to 5; 0 without a rating." }),
  review_count: Schema.Int,
  photos: Texts,
  url: Schema.String,
  distance_m: [
    Schema.optionalKey(Schema.Finite).annotate({
      description: "Metres from `near`, on a sphere of radius 6,371,008.8 m.",
    }),
    ({ distanceMetres }) => distanceMetres ?? undefined,
  ],
})

const Spot = Schema.Struct(SPOT.schemas).annotate({ identifier: "Spot" })

/** What one spot has besides the fields of a list. */
const DETAIL = fieldsFrom<FoundSpot["spot"]>()({
  category: MaybeText,
  media: [
    Schema.Array(Schema.Struct({ type: Schema.Literal("photo"), url: Schema.String })),
    ({ photos }) => photos.map(url => ({ type: "photo", url })),
  ],
  created_at: Schema.String,
  source: MaybeText,
  verified_on: MaybeText,
})

/** How many spots a detail names as nearby, and how far they may be, in kilometres. */
const NEARBY = { most: 5, radiusKm: 500 } as const

/** Writes a spot; `origin` is where the service is reached, such as `https://spots.example`. */
const describeSpot = ({ spot, distanceMetres }: FoundSpot, origin: string) =>
  SPOT.write({ ...spot, url: `${origin}/api/v1/spots/${spot.id}`, distanceMetres })

/** Writes a page of spots. */
export function describeSpots({ count, offset, spots }: FoundSpots, origin: string) {
  return { count, offset, spots: spots.map(found => describeSpot(found, origin)) }
}

/** Writes all that is known of one spot of the set, with the nearest others; null where the set has no spot with that id. */
export function describeSpotDetail(set: SpotSet, id: string, origin: string) {
  const spot = set.byId.get(id)
  if (spot === undefined) return null
  const nearby = findNearby(set, spot, NEARBY.most, NEARBY.radiusKm).map(found => describeSpot(found, origin))
  return { ...describeSpot({ spot, distanceMetres: null }, origin), ...DETAIL.write(spot), nearby }
}

/** Writes the countries of a set, with their English names as the runtime knows them. */
export function describeSpotCountries(set: SpotSet) {
  const names = new Intl.DisplayNames("en", { type: "region", fallback: "code" })
  const countries = countByCountry(set).map(({ country_code, spot_count }) => ({
    country_code,
    name: names.of(country_code) ?? country_code,
    spot_count,
  }))
  return { count: countries.length, countries }
}

/** Turns a list into a feature collection of GeoJSON, with `count` and `offset` next to the features. */
export function toFeatureCollection({ count, offset, spots }: ReturnType<typeof describeSpots>) {
  return { type: "FeatureCollection" as const, count, offset, features: spots.map(toFeature) }
}

/** Turns one spot, of a list or whole, into a feature of GeoJSON: its position as geometry, everything else as properties. */
export function toFeature({ id, latitude, longitude, ...properties }: ReturnType<typeof describeSpot>) {
  const geometry = { type: "Point", coordinates: [longitude, latitude] } as const
  return { type: "Feature" as const, id, geometry, properties }
}

/** Each answer has the rest of the quota, so it cannot be shared. */
const HEADERS = [...REVALIDATED, "vary", "Accept, Accept-Encoding"]

const shared = { surface: "spots", access: { kind: "open" }, cost: () => ({ charge: 1 }) } as const

/** Sends a record, as GeoJSON if requested. */
function answerRecord<Record>(
  { request }: AnswerContext,
  record: Record,
  toGeoJson: (record: Record) => object,
): Answer {
  return wantsGeoJson(request.header("accept"))
    ? answerText(GEO_JSON_TYPE, JSON.stringify(toGeoJson(record)), HEADERS)
    : answerText(JSON_TYPE, JSON.stringify(record), HEADERS)
}

const listSpots = endpoint("GET /api/v1/spots", {
  ...shared,
  name: "listSpots",
  needs: { site: MountedSite, spots: LiveSpots },
  parameters: listParameters,
  answer: (values, context) => {
    const { site, spots } = context
    const found = searchSpots(spots.read(), readQuestion(values))
    return answerRecord(context, describeSpots(found, site.publicUrl), toFeatureCollection)
  },
  summary: "List and search spots",
  description:
    "A spot must pass all filters. The order is by distance with `near`, else by id. `Accept: application/geo+json` returns GeoJSON.",
  success: makeBody("SpotList", "A page of spots.", {
    count: Schema.Int.annotate({ description: "The number of matching spots on all pages." }),
    offset: Schema.Int,
    spots: Schema.Array(Spot),
  }),
})

const getSpot = endpoint("GET /api/v1/spots/:id", {
  ...shared,
  name: "getSpot",
  needs: { site: MountedSite, spots: LiveSpots },
  parameters: { id },
  answer: ({ id }, context) => {
    const { site, spots } = context
    const record = describeSpotDetail(spots.read(), id, site.publicUrl)
    return record === null ? answerError(404, "There is no spot of this id.") : answerRecord(context, record, toFeature)
  },
  summary: "One spot with all its fields",
  description:
    "Adds its category, media, dates, source and the nearest other spots. `Accept: application/geo+json` returns GeoJSON.",
  success: makeBody("SpotDetail", "One spot with all its fields.", {
    ...SPOT.schemas,
    ...DETAIL.schemas,
    nearby: Schema.Array(Spot),
  }),
  errors: [404],
})

const listSpotCountries = endpoint("GET /api/spots/countries", {
  ...shared,
  name: "listSpotCountries",
  needs: { spots: LiveSpots },
  answer: (_, context) => answerText(JSON_TYPE, JSON.stringify(describeSpotCountries(context.spots.read())), HEADERS),
  summary: "Countries that have spots",
  success: makeBody("SpotCountries", "The countries that have spots, by code.", {
    count: Schema.Int,
    countries: Schema.Array(
      Schema.Struct({ country_code: Schema.String, name: Schema.String, spot_count: Schema.Int }),
    ),
  }),
})

export const spotsEndpoints = [listSpots, getSpot, listSpotCountries] as const
