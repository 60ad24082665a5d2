/**
 * `GET /api/v1/spots`, `/api/v1/spots/{id}` and `/api/spots/countries`: places that travellers care about.
 *
 * JSON, or GeoJSON on `Accept: application/geo+json`. Each call costs one request of the surface's own pool.
 */

import { Schema } from "effect"
import { LiveSpots } from "../../../spots/live-spots.ts"
import { searchSpots } from "../../../spots/search-spots.ts"
import {
  describeSpotCountries,
  describeSpotDetail,
  describeSpots,
  toFeature,
  toFeatureCollection,
} from "../../../spots/spot-records.ts"
import { makeBody } from "../../pipeline/describe-row.ts"
import { type AnswerContext, endpoint } from "../../pipeline/endpoint.ts"
import { type Answer, answerText, GEO_JSON_TYPE, JSON_TYPE, REVALIDATED } from "../../pipeline/http-answer.ts"
import { answerError } from "../../pipeline/http-errors.ts"
import { MountedSite } from "../../pipeline/mounted-site.ts"
import { wantsGeoJson } from "../../pipeline/request.ts"
import { id, listParameters, readQuestion } from "./spot-parameters.ts"

// The bodies of the answers, for the reference. The contract tests compare real answers with them.

const Texts = Schema.Array(Schema.String)

const spotFields = {
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
  distance_m: Schema.optionalKey(Schema.Finite).annotate({
    description: "Metres from `near`, on a sphere of radius 6,371,008.8 m.",
  }),
}

const Spot = Schema.Struct(spotFields).annotate({ identifier: "Spot" })

const SpotList = makeBody("SpotList", "A page of spots.", {
  count: Schema.Int.annotate({ description: "The number of matching spots on all pages." }),
  offset: Schema.Int,
  spots: Schema.Array(Spot),
})

const SpotDetail = makeBody("SpotDetail", "One spot with all its fields.", {
  ...spotFields,
  category: Schema.NullOr(Schema.String),
  media: Schema.Array(Schema.Struct({ type: Schema.Literal("photo"), url: Schema.String })),
  created_at: Schema.String,
  source: Schema.NullOr(Schema.String),
  verified_on: Schema.NullOr(Schema.String),
  nearby: Schema.Array(Spot),
})

const SpotCountries = makeBody("SpotCountries", "The countries that have spots, by code.", {
  count: Schema.Int,
  countries: Schema.Array(Schema.Struct({ country_code: Schema.String, name: Schema.String, spot_count: Schema.Int })),
})

/** Each answer has the rest of the quota, so it cannot be shared. */
const HEADERS = [...REVALIDATED, "vary", "Accept, Accept-Encoding"]

const costOfCall = () => ({ charge: 1 })

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

const listSpots = endpoint({
  name: "listSpots",
  method: "GET",
  path: "/api/v1/spots",
  surface: "spots",
  access: { kind: "open" },
  needs: { site: MountedSite, spots: LiveSpots },
  parameters: listParameters,
  cost: costOfCall,
  answer: (values, context) => {
    const { site, spots } = context
    const found = searchSpots(spots.read(), readQuestion(values))
    return answerRecord(context, describeSpots(found, site.publicUrl), toFeatureCollection)
  },
  summary: "List and search spots",
  description:
    "A spot must pass all filters. The order is by distance with `near`, else by id. `Accept: application/geo+json` returns GeoJSON.",
  success: SpotList,
})

const getSpot = endpoint({
  name: "getSpot",
  method: "GET",
  path: "/api/v1/spots/:id",
  surface: "spots",
  access: { kind: "open" },
  needs: { site: MountedSite, spots: LiveSpots },
  parameters: { id },
  cost: costOfCall,
  answer: ({ id }, context) => {
    const { site, spots } = context
    const record = describeSpotDetail(spots.read(), id, site.publicUrl)
    return record === null ? answerError(404, "There is no spot of this id.") : answerRecord(context, record, toFeature)
  },
  summary: "One spot with all its fields",
  description:
    "Adds its category, media, dates, source and the nearest other spots. `Accept: application/geo+json` returns GeoJSON.",
  success: SpotDetail,
  errors: [404],
})

const listSpotCountries = endpoint({
  name: "listSpotCountries",
  method: "GET",
  path: "/api/spots/countries",
  surface: "spots",
  access: { kind: "open" },
  needs: { spots: LiveSpots },
  parameters: {},
  cost: costOfCall,
  answer: (_, context) => answerText(JSON_TYPE, JSON.stringify(describeSpotCountries(context.spots.read())), HEADERS),
  summary: "Countries that have spots",
  success: SpotCountries,
})

export const spotsEndpoints = [listSpots, getSpot, listSpotCountries] as const
