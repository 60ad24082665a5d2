/** The bodies of the lookup's answers, for the reference. The contract tests compare real answers with them. */
import { Schema } from "effect"
import { REQUIREMENT_NAMES } from "../../../answers/lookup-answer.ts"
import { makeBody } from "../../pipeline/describe-row.ts"

const Texts = Schema.Array(Schema.String)
const Count = Schema.Int
const RequirementName = Schema.Literals(Object.values(REQUIREMENT_NAMES))

const Source = Schema.Struct({ name: Schema.String, url: Schema.NullOr(Schema.String) })

/** An answer of any version: in 2026-03-01 there is no `trust`, and `sources` are addresses. */
export const LookupAnswer = makeBody("LookupAnswer", "What is needed to enter.", {
  passport: Schema.String,
  destination: Schema.String,
  requirement: RequirementName.annotate({ description: "The field to branch on." }),
  stay_days: Schema.NullOr(Schema.Int).annotate({
    description: "The longest stay; null when it is not a fixed number.",
  }),
  fee_usd: Schema.NullOr(Schema.Finite).annotate({
    description: "The official fee in US dollars, if its source states it in US dollars; never converted.",
  }),
  processing_days: Schema.NullOr(Schema.Int).annotate({ description: "Working days." }),
  evisa_url: Schema.NullOr(Schema.String),
  notes: Schema.String,
  documents_required: Texts,
  updated_at: Schema.String,
  sources: Schema.Array(Schema.Union([Source, Schema.String])),
  trust: Schema.optionalKey(Schema.Struct({ score: Schema.Finite, last_verified_at: Schema.NullOr(Schema.String) })),
})

const Country = Schema.Struct({
  code: Schema.String,
  name: Schema.String,
  pairs: Count.annotate({ description: "The number of its pairs with a record." }),
})

export const PassportsAnswer = makeBody("PassportsAnswer", "Every passport, by code.", {
  count: Count,
  passports: Schema.Array(Country),
})

export const DestinationsAnswer = makeBody("DestinationsAnswer", "Every destination, by code.", {
  count: Count,
  destinations: Schema.Array(Country),
})

const MaybeText = Schema.NullOr(Schema.String)

export const ZonesAnswer = makeBody("ZonesAnswer", "Zones whose members share one allowance of days.", {
  count: Count,
  zones: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      name: Schema.String,
      rule: Schema.Struct({
        kind: Schema.Literals(["rolling", "single_permission"]),
        allowance_days: Count,
        window_days: Schema.NullOr(Count),
      }),
      members: Schema.Array(Schema.Struct({ code: Schema.String, from: MaybeText, until: MaybeText })),
      instrument: MaybeText,
      source_url: MaybeText,
      verified_on: MaybeText,
    }),
  ),
})

const HistoryTerms = Schema.NullOr(
  Schema.Struct({
    requirement: RequirementName,
    stay_days: Schema.NullOr(Schema.Int),
    fee_usd: Schema.NullOr(Schema.Finite),
  }),
)

export const HistoryAnswer = makeBody("HistoryAnswer", "How the policy of a pair has changed.", {
  passport: Schema.String,
  destination: Schema.String,
  count: Count.annotate({ description: "Over all pages." }),
  changes: Schema.Array(
    Schema.Struct({
      date: Schema.String,
      seen_after: Schema.optionalKey(Schema.String).annotate({
        description: "The day of the last table with another answer; absent if the date is not that of a table.",
      }),
      from: Schema.NullOr(RequirementName).annotate({ description: "Null if nothing was recorded." }),
      to: Schema.NullOr(RequirementName).annotate({ description: "Null if nothing is recorded any more." }),
      note: Schema.optionalKey(Schema.String),
      event_id: Schema.optionalKey(Schema.String).annotate({
        description:
          "The event of an installed dataset; absent, like all following fields except `sources`, for a change in a table or in an authority's list.",
      }),
      recorded_at: Schema.optionalKey(Schema.String),
      correction: Schema.optionalKey(Schema.Boolean).annotate({
        description: "True if data were corrected: no law changed, and nobody was notified.",
      }),
      severity: Schema.optionalKey(Schema.Literals(["minor", "major"])),
      fields: Schema.optionalKey(Texts),
      previous: Schema.optionalKey(HistoryTerms),
      current: Schema.optionalKey(HistoryTerms),
      sources: Schema.optionalKey(Schema.Array(Source)).annotate({
        description: "The sources of the change; absent for one in a table.",
      }),
    }),
  ),
  next_cursor: MaybeText,
  source: Schema.NullOr(Schema.Struct({ name: Schema.String, url: MaybeText, as_of: MaybeText })),
  gaps: Schema.optionalKey(Texts).annotate({
    description:
      "When a dataset replaced one that could not be opened (ISO 8601): what changed then is not known, and is not among the changes.",
  }),
})
