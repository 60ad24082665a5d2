/**
 * How are conditions, waivers and stay rules written in `data/`, key by key?
 *
 * As in records.ts, the names are those of the files, in the order in which keys are written. The engine checks which parameters
 * and words a kind of condition has, so that mistakes are named in one way; here any parameter may be beside any kind.
 */
import { Schema } from "effect"

const Text = Schema.NonEmptyString
const MaybeText = Schema.NullOr(Text)
const OptionalText = Schema.optionalKey(Text)
const OptionalTexts = Schema.optionalKey(Schema.Array(Text))
const OptionalNumber = Schema.optionalKey(Schema.Number)
const OptionalFlag = Schema.optionalKey(Schema.Boolean)

/** The terms of a document of another state. */
export const DocumentRecord = Schema.Struct({
  kind: Text,
  issuers: Schema.Array(Text),
  multiple_entry: OptionalFlag,
  used_before: OptionalFlag,
  permanent: OptionalFlag,
  physical: OptionalFlag,
  entered_issuer_first: OptionalFlag,
  types: OptionalTexts,
  types_except: OptionalTexts,
  valid_days_after_entry: OptionalNumber,
  valid_days_after_exit: OptionalNumber,
  expired_within_years: OptionalNumber,
  remark: OptionalText,
})

const condition = {
  kind: Text,
  held: Schema.optionalKey(Schema.Array(DocumentRecord)),
  name: OptionalText,
  url: OptionalText,
  hours_before: OptionalNumber,
  fee: Schema.optionalKey(Schema.Struct({ amount: Schema.Number, currency: Text })),
  states: OptionalTexts,
  entries: OptionalNumber,
  by: OptionalTexts,
  names: OptionalTexts,
  borders: OptionalTexts,
  who: OptionalTexts,
  issued_before: OptionalText,
  visas: OptionalTexts,
  least_amount: OptionalNumber,
  most_amount: OptionalNumber,
  currency: OptionalText,
  purposes: OptionalTexts,
  proofs: OptionalTexts,
  features: OptionalTexts,
  least: OptionalNumber,
  most: OptionalNumber,
  requirement: OptionalText,
  elsewhere: OptionalText,
  remark: OptionalText,
  text: OptionalText,
}

/** Left out where they are those of the rule. */
const conditionSource = { source: Schema.optionalKey(MaybeText), source_url: Schema.optionalKey(MaybeText) }

export const ConditionRecord = Schema.Struct({ ...condition, ...conditionSource })

/** A condition of a policy, for all passports or for some. */
export const PolicyConditionRecord = Schema.Struct({
  ...condition,
  requirements: OptionalTexts,
  from: OptionalText,
  until: OptionalText,
  ...conditionSource,
  passports: OptionalTexts,
  except: OptionalTexts,
})

const provenance = { source: MaybeText, source_url: MaybeText, verified_on: MaybeText }
const confidence = Schema.Literals(["high", "medium"])
const scope = { passports: OptionalTexts, except: OptionalTexts }

/** When a rule applies, how well it is known, its source, and its scope: the last fields of each. */
export const RULE_END = {
  from: OptionalText,
  until: OptionalText,
  confidence,
  ...provenance,
  note: OptionalText,
  destinations: Schema.Array(Text),
  ...scope,
}

export const WaiverRecord = Schema.Struct({
  held: Schema.Array(DocumentRecord),
  requirement: Text,
  days: OptionalNumber,
  conditions: Schema.optionalKey(Schema.Array(ConditionRecord)),
  ...RULE_END,
})

/** How days add up. */
export const StayRuleRecord = Schema.Struct({
  kind: Text,
  zone: OptionalText,
  agreement: OptionalText,
  days: OptionalNumber,
  months: OptionalNumber,
  window_days: OptionalNumber,
  visit_days: OptionalNumber,
  days_outside: OptionalNumber,
  neighbours: OptionalTexts,
  readmission_days: OptionalNumber,
  first_day_counted: Schema.optionalKey(Schema.Literal(false)),
  requirements: OptionalTexts,
  ...RULE_END,
})

export const BorderRuleRecord = Schema.Struct({
  kind: Text,
  citizens_of: OptionalText,
  neighbours: OptionalTexts,
  present: OptionalTexts,
  since: OptionalText,
  nationals: OptionalTexts,
  days: OptionalNumber,
  remark: OptionalText,
  borders: OptionalTexts,
  requirements: OptionalTexts,
  ...RULE_END,
})

/** A rule for holders of passports of some kinds. */
export const KindRuleRecord = Schema.Struct({
  kinds: Schema.Array(Text),
  requirement: Text,
  days: OptionalNumber,
  basis: OptionalText,
  residents: Schema.optionalKey(Schema.Literal(true)),
  requirements: OptionalTexts,
  ...RULE_END,
})

export type DocumentRecord = typeof DocumentRecord.Type
export type ConditionRecord = typeof ConditionRecord.Type
export type PolicyConditionRecord = typeof PolicyConditionRecord.Type
export type WaiverRecord = typeof WaiverRecord.Type
export type StayRuleRecord = typeof StayRuleRecord.Type
export type BorderRuleRecord = typeof BorderRuleRecord.Type
export type KindRuleRecord = typeof KindRuleRecord.Type

/** Translates keys from snake_case into the engine's names, inside lists and records too. */
export function camelKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelKeys)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, held]) => [
      key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      camelKeys(held),
    ]),
  )
}
