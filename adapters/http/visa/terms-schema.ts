/** What stands beside every answer about a pair, for the reference: conditions, ends, changes, second sources. All of it optional. */
import { Schema } from "effect"
import { RequirementValue } from "./shared-schemas.ts"

const optional = <Value extends Schema.Top>(value: Value) => Schema.optionalKey(value)

const secondSource = {
  source: Schema.String,
  source_url: Schema.NullOr(Schema.String),
  checked_on: Schema.String,
}

/** The additive fields of the quick check and of the full record. */
export const termFields = {
  conditions: optional(
    Schema.Array(
      Schema.Struct({
        kind: Schema.String.annotate({ description: "A kind of condition, or `waiver` or `note`." }),
        text: Schema.String,
        source_url: Schema.NullOr(Schema.String),
      }).annotate({ identifier: "EntryCondition" }),
    ),
  ),
  changed_since: optional(
    Schema.Struct({ on: Schema.String, source_url: Schema.NullOr(Schema.String) }).annotate({
      description: "An official log names a change of the entry rules that is newer than this record.",
    }),
  ),
  stay_basis: optional(
    Schema.Literal("table").annotate({
      description: "The days rest on the imported table alone, and are no maximum stay.",
    }),
  ),
  ends_on: optional(
    Schema.String.annotate({ description: "The last day on which the rule is announced to hold, YYYY-MM-DD." }),
  ),
  after_expiry: optional(
    Schema.Literal(true).annotate({
      description: "An earlier rule ended on `ended_on`, its last day, and nothing newer is recorded.",
    }),
  ),
  ended_on: optional(Schema.String),
  corroborated: optional(
    Schema.Struct(secondSource).annotate({ description: "A second source that says the same, and when it was read." }),
  ),
  disputed: optional(
    Schema.Struct({
      ...secondSource,
      requirement: RequirementValue,
      visa_free_days: Schema.NullOr(Schema.Int),
    }).annotate({ description: "A second source that says something else." }),
  ),
}
