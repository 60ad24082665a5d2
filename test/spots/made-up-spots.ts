/** Spots that need only the fields which a test is about. */
import type { Spot } from "../../adapters/spots/spot.ts"

export const makeSpot = (given: Partial<Spot> & { readonly id: string }): Spot => ({
  title: given.id,
  description: "",
  latitude: 0,
  longitude: 0,
  category: null,
  tags: [],
  country_code: "FR",
  photos: [],
  avg_rating: 0,
  review_count: 0,
  source: null,
  created_at: "2026-11-21",
  verified_on: null,
  ...given,
})
