/** The optional fields of every answer about a pair, for the reference: conditions, ends, changes, second sources. */
import { Schema, Struct } from "effect"
import { EVIDENCE_LEVELS, STALE_REASONS } from "../../../../src/engine.ts"
import { RequirementValue } from "./shared-schemas.ts"

const secondSource = {
  source: Schema.String,
  source_url: Schema.NullOr(Schema.String),
  checked_on: Schema.String,
}

export const TERM_VALUES = {
  conditions: Schema.Array(
    Schema.Struct({
      kind: Schema.String.annotate({ description: "A kind of condition, or `waiver` or `note`." }),
      text: Schema.String,
      source_url: Schema.NullOr(Schema.String),
    }).annotate({ identifier: "EntryCondition" }),
  ),
  changed_since: Schema.Struct({ on: Schema.String, source_url: Schema.NullOr(Schema.String) }).annotate({
    description: "An official log names a change of the entry rules that is newer than this record.",
  }),
  stay_basis: Schema.Literal("table").annotate({
    description: "The days come from the imported table alone, and are not a maximum stay.",
  }),
  ends_on: Schema.String.annotate({ description: "The last day on which the rule is announced to hold, YYYY-MM-DD." }),
  after_expiry: Schema.Literal(true).annotate({
    description: "An earlier rule ended on `ended_on`, its last day, and nothing newer is recorded.",
  }),
  ended_on: Schema.String,
  corroborated: Schema.Struct(secondSource).annotate({
    description: "A second source with the same answer, and the day on which it was read.",
  }),
  disputed: Schema.Struct({
    ...secondSource,
    requirement: RequirementValue,
    visa_free_days: Schema.NullOr(Schema.Int),
    because: Schema.optionalKey(Schema.String),
    open: Schema.optionalKey(Schema.Literal(true)),
  }).annotate({
    description:
      "A second source with another answer. `because` says in English why ours stands or what contradicts what; `open` is true if nothing decides between the two.",
  }),
  evidence: Schema.Struct({ level: Schema.Literals(EVIDENCE_LEVELS), on: Schema.optionalKey(Schema.String) }).annotate({
    description:
      "The evidence: `read` by us on the official page, `cited` by a compiler who names the page, or taken from a `table`; `on` is the day on which the page was last read.",
  }),
  age_days: Schema.Int.annotate({
    description: "Days since the last check of the page, of the table, or by a second source with the same answer.",
  }),
  stale: Schema.Literals(STALE_REASONS).annotate({
    description:
      "Why the answer may be outdated: its announced end has passed (`ended`), an official log names a later change (`changed_since`), or the last check is too long ago (`unchecked`).",
  }),
}

/** The additive fields of the quick check. */
export const termFields = Struct.map(TERM_VALUES, Schema.optionalKey)
