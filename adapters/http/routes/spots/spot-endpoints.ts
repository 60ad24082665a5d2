/**
 * `GET /api/v1/spots`, `/api/v1/spots/{id}` and `/api/spots/countries`: places that travellers care about.
 *
 * JSON, or GeoJSON on `Accept: application/geo+json`. Each call costs one request of the surface's own pool.
 */

import { LiveSpots } from "../../../spots/live-spots.ts"
import { searchSpots } from "../../../spots/search-spots.ts"
import {
  describeSpotCountries,
  describeSpotDetail,
  describeSpots,
  toFeature,
  toFeatureCollection,
} from "../../../spots/spot-records.ts"
import { wantsGeoJson } from "../../pipeline/accept.ts"
import { describe, NotFound } from "../../pipeline/describe-row.ts"
import { type AnswerContext, endpoint } from "../../pipeline/endpoint.ts"
import { type Answer, answerText, GEO_JSON_TYPE, JSON_TYPE, REVALIDATED } from "../../pipeline/http-answer.ts"
import { answerError } from "../../pipeline/http-errors.ts"
import { MountedSite } from "../../pipeline/mounted-site.ts"
import { id, listParameters, readQuestion } from "./spot-parameters.ts"
import { SpotCountries, SpotDetail, SpotList } from "./spot-schemas.ts"

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
})

export const spotsEndpoints = /* @__PURE__ */ (() =>
  [
    describe(listSpots, {
      summary: "List and search spots",
      description:
        "A spot must pass all filters. The order is by distance with `near`, else by id. `Accept: application/geo+json` returns GeoJSON.",
      success: SpotList,
    }),
    describe(getSpot, {
      summary: "One spot with all its fields",
      description:
        "Adds its category, media, dates, source and the nearest other spots. `Accept: application/geo+json` returns GeoJSON.",
      success: SpotDetail,
      error: [NotFound],
    }),
    describe(listSpotCountries, {
      summary: "Countries that have spots",
      success: SpotCountries,
    }),
  ] as const)()
