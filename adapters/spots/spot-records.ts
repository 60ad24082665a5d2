/**
 * Which records does the spots surface answer with?
 *
 * The wire's own names, made from a set in memory: a list, one spot with all that is known of it, the countries, and the same as GeoJSON (RFC 7946). There is no transport here: servers
 * add status, headers and quotas.
 */
import { countByCountry, type FoundSpot, type FoundSpots, findNearby, type SpotSet } from "./search-spots.ts"

/** How many spots a detail names as nearby, and how far they may be, in kilometres. */
const NEARBY = { most: 5, radiusKm: 500 } as const

/** Writes a page of spots; `origin` is where the service is reached, such as `https://spots.example`. */
export function describeSpots({ count, offset, spots }: FoundSpots, origin: string) {
  return { count, offset, spots: spots.map(found => describeSpot(found, origin)) }
}

/** Writes all that is known of one spot of the set; null where the set has no spot with that id. */
export function describeSpotDetail(set: SpotSet, id: string, origin: string) {
  const spot = set.byId.get(id)
  if (spot === undefined) return null
  const { category, photos, createdAt, source, verifiedOn } = spot
  return {
    ...describeSpot({ spot, distanceMetres: null }, origin),
    category,
    media: photos.map(url => ({ type: "photo" as const, url })),
    created_at: createdAt,
    /** The page with the position, or null: from general knowledge. */
    source,
    verified_on: verifiedOn,
    /** The nearest other spots, with their distances. */
    nearby: findNearby(set, spot, NEARBY.most, NEARBY.radiusKm).map(found => describeSpot(found, origin)),
  }
}

/** Writes the countries of a set, with their English names as the runtime knows them. */
export function describeSpotCountries(set: SpotSet) {
  const names = new Intl.DisplayNames("en", { type: "region", fallback: "code" })
  const countries = countByCountry(set).map(({ countryCode, count }) => ({
    country_code: countryCode,
    name: names.of(countryCode) ?? countryCode,
    spot_count: count,
  }))
  return { count: countries.length, countries }
}

function describeSpot({ spot, distanceMetres }: FoundSpot, origin: string) {
  const { id, title, description, latitude, longitude, tags, countryCode, avgRating, reviewCount, photos } = spot
  return {
    id,
    title,
    description,
    latitude,
    longitude,
    tags,
    country_code: countryCode,
    avg_rating: avgRating,
    review_count: reviewCount,
    photos,
    /** The address of the whole spot. */
    url: `${origin}/api/v1/spots/${id}`,
    /** Metres along the surface from the point that was asked, to a tenth. */
    ...(distanceMetres === null ? {} : { distance_m: distanceMetres }),
  }
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
