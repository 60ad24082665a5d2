/** The full record of one pair, for the reference: every field, and which of them a plan may show as a stub. */
import { Schema } from "effect"
import { RequirementValue, Texts } from "./shared-schemas.ts"
import { termFields } from "./terms-schema.ts"

const UpgradeStub = Schema.Struct({ upgrade: Schema.String, upgrade_url: Schema.String }).annotate({
  identifier: "UpgradeStub",
  description: "Stands in the place of a field that the plan does not show.",
})

const Money = Schema.Struct({ amount: Schema.Finite, currency: Schema.String }).annotate({ identifier: "Money" })

const Opinion = {
  advisory: Schema.String,
  source: Schema.String,
  source_url: Schema.optionalKey(Schema.String),
  updated_at: Schema.optionalKey(Schema.String),
}

const Mission = Schema.Struct({
  type: Schema.String,
  name: Schema.String,
  operator: Schema.String,
  host: Schema.String,
  city: Schema.optionalKey(Schema.String),
  website: Schema.optionalKey(Schema.String),
  phone: Schema.optionalKey(Schema.String),
  as_of: Schema.String,
}).annotate({ identifier: "Mission" })

/** A field that some plans show as a stub. */
const extended = <Value extends Schema.Top>(value: Value) => Schema.optionalKey(Schema.Union([value, UpgradeStub]))

const optional = <Value extends Schema.Top>(value: Value) => Schema.optionalKey(value)

/** A full record as some plan shows it. */
export const FullRecord = Schema.Struct({
  passport: Schema.String,
  destination: Schema.String,
  requirement: RequirementValue,
  visa_free_days: Schema.NullOr(Schema.Int),
  visa_required: Schema.Boolean,
  home: optional(Schema.Literal(true)),
  requirement_status: optional(Schema.Literal("uncertain")),
  source_url: Schema.NullOr(Schema.String),
  last_verified_at: Schema.NullOr(Schema.String),
  verified: Schema.Boolean,
  description: Schema.String,
  ...termFields,
  documents_required: optional(Texts),
  process: optional(Texts),
  visa_types: optional(
    Schema.Array(
      Schema.Struct({
        nom: Schema.String,
        cout: optional(Schema.String),
        duree: optional(Schema.String),
        description: Schema.String,
      }),
    ),
  ),
  extension: optional(
    Schema.Struct({
      possible: Schema.Boolean,
      cout: optional(Schema.String),
      duree: optional(Schema.String),
      lieu: optional(Schema.String),
    }),
  ),
  tips: extended(Texts),
  country_info: extended(
    Schema.Struct({
      currency: optional(Schema.String),
      language: optional(Schema.String),
      timezone: optional(Schema.String),
      capital: optional(Schema.String),
    }),
  ),
  transit_visa: extended(
    Schema.Struct({
      required_for: optional(Texts),
      hubs: optional(Texts),
      source_url: Schema.NullOr(Schema.String),
    }),
  ),
  passport_validity_months: extended(Schema.Int),
  visa_fee: extended(Schema.Struct({ single_entry: optional(Money), multiple_entry: optional(Money) })),
  processing_days: extended(
    Schema.Struct({ standard: optional(Schema.Int), express: optional(Schema.Int), rush: optional(Schema.Int) }),
  ),
  photo_specs: extended(
    Schema.Struct({
      width_mm: optional(Schema.Finite),
      height_mm: optional(Schema.Finite),
      background: optional(Schema.String),
      glasses_allowed: optional(Schema.Boolean),
      head_covering_allowed: optional(Schema.Boolean),
    }),
  ),
  vaccinations_required: extended(Texts),
  insurance_required: extended(
    Schema.Struct({
      required: Schema.Boolean,
      min_coverage: optional(Schema.Finite),
      currency: optional(Schema.String),
    }),
  ),
  dual_nationality_warnings: extended(Texts),
  stamp_warnings: extended(Texts),
  minor_rules: extended(Schema.String),
  overstay_penalty: extended(
    Schema.Struct({
      fine_per_day: optional(Money),
      ban_days: optional(Schema.Int),
      criminal: optional(Schema.Boolean),
      details: Schema.String,
    }),
  ),
  entry_by_mode: extended(
    Schema.Struct({ air: optional(Schema.String), land: optional(Schema.String), sea: optional(Schema.String) }),
  ),
  extension_rules: extended(
    Schema.Struct({
      possible: Schema.Boolean,
      max_days: optional(Schema.Int),
      fee: optional(Money),
      where: optional(Schema.String),
    }),
  ),
  safety: extended(
    Schema.Struct({
      level: optional(Schema.Int),
      others: optional(Schema.Array(Schema.Struct(Opinion))),
      ...Opinion,
    }),
  ),
  best_apply_period: extended(Schema.String),
  health_requirements: extended(Texts),
  embassy: extended(
    Schema.Struct({
      your_embassy_at_destination: optional(Schema.Array(Mission)),
      visa_application_embassy: optional(Schema.Array(Mission)),
    }),
  ),
  remote_work_visa: extended(
    Schema.Struct({
      available: Schema.Boolean,
      duration_months: optional(Schema.Int),
      fee: optional(Money),
      requirements: optional(Texts),
    }),
  ),
  reciprocity_history: extended(
    Schema.Array(
      Schema.Struct({
        date: Schema.String,
        from: RequirementValue,
        to: RequirementValue,
        note: optional(Schema.String),
      }),
    ),
  ),
  sources: optional(
    Schema.Array(
      Schema.Struct({
        name: Schema.String,
        url: Schema.NullOr(Schema.String),
        as_of: Schema.NullOr(Schema.String),
        verified_on: Schema.NullOr(Schema.String),
        fields: Texts,
      }),
    ),
  ),
}).annotate({ identifier: "VisaRecord", description: "What is known of a pair; what is not known is absent." })
