/**
 * Is this an itinerary that can be judged?
 *
 * Reads what a caller of any type hands in, each value once, and names every mistake with its path. Everything is bounded: stops, transit
 * countries, passports, earlier stays, dates (1900 to 2199). A field that no request has is a mistake: misspelt, it would silently be
 * left out of the question.
 */
import type { Dataset } from "../dataset/open.ts"
import type { InputIssue } from "../errors.ts"
import { fieldsOf, readObject, refuseOtherFields } from "../requirement/question.ts"
import { type ReadRoute, ROUTE_FIELDS, type Route, readRoute } from "./route-input.ts"
import { type ReadTraveller, readTraveller, TRAVELLER_FIELDS, type Traveller } from "./traveller-input.ts"

/** A question about one traveller. */
export interface ItineraryRequest extends Traveller, Route {}

/** An itinerary that was read. */
export interface ReadItinerary extends ReadRoute, ReadTraveller {}

const REQUEST_FIELDS = /* @__PURE__ */ fieldsOf(...TRAVELLER_FIELDS, ...ROUTE_FIELDS)

const NOTHING: ReadItinerary = Object.freeze({
  passports: [],
  documents: [],
  earlierStays: [],
  stops: [],
  transit: [],
  residence: null,
  purpose: null,
})

/** Reads an itinerary and reports what it refuses. */
export function readItinerary(dataset: Dataset, request: unknown, issues: InputIssue[]): ReadItinerary {
  const known = issues.length
  const given = readObject(request, "", issues)
  if (issues.length > known) return NOTHING
  refuseOtherFields(given, REQUEST_FIELDS, "", issues)
  const route = readRoute(dataset, given, issues)
  const { passports, residence, documents, earlierStays } = readTraveller(dataset, given, route.stops, "", issues)
  const { stops, transit, purpose } = route
  return { passports, residence, documents, earlierStays, stops, transit, purpose }
}
