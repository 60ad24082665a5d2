/** The bodies of the spots' answers, for the reference. The contract tests compare real answers with them. */
import { Schema } from "effect"
import { makeBody } from "../../pipeline/describe-row.ts"

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

export const SpotList = makeBody("SpotList", "A page of spots.", {
  count: Schema.Int.annotate({ description: "The number of matching spots on all pages." }),
  offset: Schema.Int,
  spots: Schema.Array(Spot),
})

export const SpotDetail = makeBody("SpotDetail", "One spot with all its fields.", {
  ...spotFields,
  category: Schema.NullOr(Schema.String),
  media: Schema.Array(Schema.Struct({ type: Schema.Literal("photo"), url: Schema.String })),
  created_at: Schema.String,
  source: Schema.NullOr(Schema.String),
  verified_on: Schema.NullOr(Schema.String),
  nearby: Schema.Array(Spot),
})

export const SpotCountries = makeBody("SpotCountries", "The countries that have spots, by code.", {
  count: Schema.Int,
  countries: Schema.Array(Schema.Struct({ country_code: Schema.String, name: Schema.String, spot_count: Schema.Int })),
})
