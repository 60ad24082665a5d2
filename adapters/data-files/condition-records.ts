/**
 * How are conditions and provisions written in `data/`, key by key?
 *
 * The schemas of conditions and provisions are made from the engine's declarations, with the names of the files.
 */
import { Schema } from "effect"
import {
  type JsonSchema,
  PROVISIONS,
  type ProvisionKind,
  policyCondition,
  ruleCondition,
  schemaOf,
  schemaOfFile,
} from "../../src/compiler.ts"

const Text = Schema.NonEmptyString

/**
 * Makes the schema by which a file is read and its keys are ordered. It asks for the kind of each value and for no other key; the engine
 * checks words and numbers, so that mistakes are named in one way. One of several objects is read as one with the keys of all.
 */
function toSchema(given: JsonSchema): Schema.Codec<unknown> {
  const { type, items, anyOf, oneOf } = given
  if (anyOf !== undefined) return Schema.NullOr(toSchema(anyOf[0] as JsonSchema))
  if (oneOf !== undefined) return toSchema({ type: "object", properties: mergeKeys(oneOf), required: ["kind"] })
  if (type === "array") return Schema.Array(toSchema(items as JsonSchema))
  if (type === "object") return Schema.Struct(toFields(given)) as unknown as Schema.Codec<unknown>
  return type === "integer" || type === "number" ? Schema.Number : type === "boolean" ? Schema.Boolean : Text
}

/** The keys of an object, as a part of another one. */
export function toFields({ properties = {}, required }: JsonSchema): Schema.Struct.Fields {
  const fields = Object.entries(properties).map(([key, each]) => {
    const schema = toSchema(each)
    return [key, required?.includes(key) ? schema : Schema.optionalKey(schema)] as const
  })
  return Object.fromEntries(fields)
}

// The keys of all, each before those that follow it in any.
function mergeKeys(all: readonly JsonSchema[]): Readonly<Record<string, JsonSchema>> {
  const keys: [string, JsonSchema][] = []
  for (const { properties = {} } of all) {
    let place = keys.length
    for (const entry of Object.entries(properties).reverse()) {
      const known = keys.findIndex(([key]) => key === entry[0])
      if (known < 0) keys.splice(place, 0, entry)
      else place = Math.min(place, known)
    }
  }
  return Object.fromEntries(keys)
}

/** A condition as its file has it, of a rule or of a policy. */
export interface ConditionRecord {
  readonly kind: string
  readonly requirement?: string
  readonly source?: string | null
  readonly requirements?: readonly string[]
  readonly passports?: readonly string[]
  readonly except?: readonly string[]
  readonly from?: string
  readonly until?: string
  readonly [parameter: string]: unknown
}

/** A condition of a rule, and of a policy, which may be for some passports. */
export const ConditionRecord = toSchema(schemaOf(ruleCondition)) as Schema.Codec<ConditionRecord>
export const PolicyConditionRecord = toSchema(schemaOf(policyCondition)) as Schema.Codec<ConditionRecord>

/** A provision as its file has it. */
export interface ProvisionRecord {
  readonly destinations: readonly string[]
  readonly passports?: readonly string[]
  readonly [field: string]: unknown
}

/** The schema of the records of a kind of provision. */
export const provisionRecord = (of: ProvisionKind) =>
  toSchema(schemaOfFile(PROVISIONS[of]).items ?? {}) as Schema.Codec<ProvisionRecord>

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
