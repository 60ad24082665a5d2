/**
 * What is the wire form of the full record of one pair, as a schema for the reference and the tests?
 *
 * The rows of the record itself define the fields, their order, and which of them a plan may show as a stub. This file only defines the
 * values. TypeScript refuses a missing field, an additional one, and one of another type.
 */
import { Schema } from "effect"
import {
  CORE_FIELDS,
  FIELD_NAMES,
  FIELDS_WITHOUT_STUB,
  type FieldName,
  type FullRecord as FullRecordFields,
  type GatedRecord,
  MISSION_KINDS,
} from "../../../../src/full.ts"
import { makeBody } from "../../pipeline/describe-row.ts"
import { RequirementValue, Texts } from "./shared-schemas.ts"
import { TERM_VALUES } from "./terms-schema.ts"

const UpgradeStub = makeBody("UpgradeStub", "Replaces a field that the plan does not show.", {
  upgrade: Schema.String,
  upgrade_url: Schema.String,
})

const optional = Schema.optionalKey
const MaybeText = Schema.NullOr(Schema.String)
const OptionalText = optional(Schema.String)
const OptionalInt = optional(Schema.Int)
const OptionalFlag = optional(Schema.Boolean)

const money = { amount: Schema.Finite, currency: Schema.String }
const Money = Schema.Struct(money).annotate({ identifier: "Money" })
const OptionalMoney = optional(Money)

const opinion = {
  advisory: Schema.String,
  source: Schema.String,
  source_url: OptionalText,
  updated_at: OptionalText,
}

const Mission = makeBody("Mission", "A mission as of a day; unknown fields are absent.", {
  name: Schema.String,
  kind: Schema.Literals(MISSION_KINDS),
  address: OptionalText,
  city: OptionalText,
  country: Schema.String,
  phone: OptionalText,
  emergency_phone: OptionalText,
  email: OptionalText,
  website: OptionalText,
  as_of: Schema.String,
})

const VALUES: { readonly [Name in FieldName]-?: Schema.Codec<Exclude<FullRecordFields[Name], undefined>> } = {
  passport: Schema.String,
  destination: Schema.String,
  requirement: RequirementValue,
  visa_free_days: Schema.NullOr(Schema.Int),
  visa_required: Schema.Boolean,
  home: Schema.Literal(true),
  requirement_status: Schema.Literal("uncertain"),
  source_url: MaybeText,
  last_verified_at: MaybeText,
  verified: Schema.Boolean,
  description: Schema.String,
  ...TERM_VALUES,
  documents_required: Texts,
  process: Texts,
  visa_types: Schema.Array(
    Schema.Struct({ nom: Schema.String, cout: Schema.String, duree: OptionalText, description: Schema.String }),
  ),
  extension: Schema.Struct({
    possible: Schema.Boolean,
    cout: OptionalText,
    duree: OptionalText,
    lieu: OptionalText,
  }),
  tips: Texts,
  passport_validity_months: Schema.Int,
  visa_fee: Schema.Struct({
    single_entry: OptionalMoney,
    multiple_entry: OptionalMoney,
    children: optional(Schema.Array(Schema.Struct({ below_years: Schema.Int, ...money }))),
    biometrics: OptionalMoney,
  }),
  processing_days: Schema.Struct({
    standard: OptionalInt,
    express: OptionalInt,
    rush: OptionalInt,
    unit: Schema.Literals(["days", "working_days"]),
  }),
  best_apply_period: Schema.String,
  photo_specs: Schema.Struct({
    width_mm: optional(Schema.Finite),
    height_mm: optional(Schema.Finite),
    background: OptionalText,
    glasses_allowed: OptionalFlag,
    head_covering_allowed: OptionalFlag,
  }),
  insurance_required: Schema.Struct({
    required: Schema.Boolean,
    none_found: OptionalFlag,
    min_coverage: optional(Schema.Finite),
    currency: OptionalText,
  }),
  vaccinations_required: Texts,
  health_requirements: Schema.Struct({
    covid_test: Schema.NullOr(Schema.Boolean),
    vaccination_proof: Schema.NullOr(Schema.Boolean),
    health_declaration: Schema.NullOr(Schema.Boolean),
    quarantine_days: Schema.NullOr(Schema.Int),
    ebola_screening: Schema.NullOr(Schema.Boolean),
    notes: Texts,
  }),
  safety: Schema.Struct({
    level: optional(Schema.Literals([1, 2, 3, 4])),
    others: optional(Schema.Array(Schema.Struct(opinion))),
    ...opinion,
  }),
  transit_visa: Schema.Struct({
    required_for: optional(Texts),
    complete: OptionalFlag,
    max_hours: OptionalInt,
    hubs: optional(Texts),
    source_url: OptionalText,
  }),
  minor_rules: Schema.Struct({
    solo_travel_min_age: Schema.NullOr(Schema.Int),
    single_parent_letter_required: Schema.NullOr(Schema.Boolean),
    notarized_consent_required: Schema.NullOr(Schema.Boolean),
    notes: Texts,
  }),
  customs: Schema.Struct({
    declare_cash: optional(Schema.Struct(money)),
    cigarettes: OptionalInt,
    spirits_litres: optional(Schema.Finite),
  }),
  dual_nationality_warnings: Texts,
  stamp_warnings: Texts,
  overstay_penalty: Schema.Struct({
    fine_per_day: OptionalMoney,
    ban_days: OptionalInt,
    criminal: OptionalFlag,
    details: Schema.String,
  }),
  entry_by_mode: Schema.Struct({ air: OptionalText, land: OptionalText, sea: OptionalText }),
  extension_rules: Schema.Struct({
    possible: Schema.Boolean,
    max_days: OptionalInt,
    fee: OptionalMoney,
    where: OptionalText,
  }),
  country_info: Schema.Struct({
    currency: OptionalText,
    language: OptionalText,
    timezone: OptionalText,
    capital: OptionalText,
  }),
  remote_work_visa: Schema.Struct({
    available: Schema.Boolean,
    duration_months: OptionalInt,
    fee: OptionalMoney,
    requirements: optional(Texts),
  }),
  embassy: Schema.Struct({
    your_embassy_at_destination: optional(Mission),
    visa_application_embassy: optional(Mission),
  }),
  embassies: Schema.Struct({
    at_destination: optional(Schema.Array(Mission)),
    to_apply: optional(Schema.Array(Mission)),
  }),
  reciprocity_history: Schema.Array(
    Schema.Struct({
      date: Schema.String,
      seen_after: optional(Schema.String).annotate({
        description: "The day of the last table with another answer; absent if the date is not that of a table.",
      }),
      from: RequirementValue,
      to: RequirementValue,
      note: OptionalText,
      sources: optional(Schema.Array(Schema.Struct({ name: Schema.String, url: MaybeText }))).annotate({
        description: "The sources of the rule after the change; absent for a change in a table.",
      }),
    }),
  ),
  sources: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      url: MaybeText,
      as_of: MaybeText,
      verified_on: MaybeText,
      cited_on: OptionalText,
      licence: OptionalText,
      recorded_in: OptionalText,
      fields: Texts,
    }),
  ),
}

const ALWAYS: ReadonlySet<FieldName> = new Set<RequiredField>([
  "passport",
  "destination",
  "requirement",
  "visa_free_days",
  "visa_required",
  "source_url",
  "last_verified_at",
  "verified",
  "description",
  "documents_required",
  "tips",
])

type RequiredField = {
  [Name in FieldName]: undefined extends FullRecordFields[Name] ? never : Name
}[FieldName]

const CORE: ReadonlySet<string> = new Set(CORE_FIELDS)
const WITHOUT_STUB: ReadonlySet<string> = new Set(FIELDS_WITHOUT_STUB)

const fields = Object.fromEntries(
  FIELD_NAMES.map(name => {
    const value = CORE.has(name) || WITHOUT_STUB.has(name) ? VALUES[name] : Schema.Union([VALUES[name], UpgradeStub])
    return [name, ALWAYS.has(name) ? value : optional(value)]
  }),
)

/** A full record as some plan shows it. */
// The fields are those of the rows, which the compiler cannot follow by name; VALUES checks the type of each.
export const FullRecord = makeBody(
  "VisaRecord",
  "The full record of a pair; unknown fields are absent.",
  fields,
) as unknown as Schema.Codec<GatedRecord>
