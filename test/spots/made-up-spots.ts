/** Spots that need only the fields which a test is about. */
import type { Spot } from "../../adapters/spots/spot.ts"

export const makeSpot = (given: Partial<Spot> & { readonly id: string }): Spot => ({
  title: given.id,
  description: "",
  latitude: 0,
  longitude: 0,
  category: null,
  tags: [],
  countryCode: "FR",
  photos: [],
  avgRating: 0,
  reviewCount: 0,
  source: null,
  createdAt: "2026-11-21",
  verifiedOn: null,
  ...given,
})
