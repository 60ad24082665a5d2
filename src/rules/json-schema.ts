/**
 * What does a file of provisions look like, as a JSON schema?
 *
 * Written from the declaration of its kind, with the names of the file; editors complete and check the file by it. It is apart from the
 * declarations, because nothing else needs it.
 */
import { type Fields, type Kind, snake } from "./table.ts"

/** A JSON schema, as far as these functions write one. */
export interface JsonSchema {
  readonly type?: string
  readonly description?: string
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly [more: string]: unknown
}

const TEXTS: Readonly<Record<string, JsonSchema>> = {
  text: { type: "string", minLength: 1 },
  url: { type: "string", pattern: "^https?://" },
  date: { type: "string", pattern: "^\\d{4}-\\d\\d-\\d\\d$" },
  code: { type: "string", pattern: "^[A-Z]{3}$" },
  selector: { type: "string", pattern: "^([A-Z]{3}|@.+)$" },
  flag: { type: "boolean" },
  amount: { type: "number", minimum: 0 },
}

/**
 * Writes the JSON schema of a kind of value. Cannot fail.
 *
 * @example
 * ```ts
 * schemaOf(PROVISIONS.validity.fields.months.is) // => { type: "integer", minimum: 0, maximum: 120 }
 * ```
 */
export function schemaOf({ shape }: Kind<unknown>): JsonSchema {
  if (typeof shape === "string") return TEXTS[shape] as JsonSchema
  if ("words" in shape) return { type: typeof shape.words[0], enum: shape.words }
  if ("listOf" in shape) return { type: "array", items: schemaOf(shape.listOf), minItems: 1 }
  if ("orNull" in shape) return { anyOf: [schemaOf(shape.orNull), { type: "null" }] }
  if ("fields" in shape) return objectOf(shape.fields)
  if ("variants" in shape) {
    const { variants, beside } = shape
    return {
      oneOf: Object.entries(variants).map(([name, fields]) =>
        objectOf({ ...fields, ...beside }, { kind: { type: "string", enum: [name] } }),
      ),
    }
  }
  const [minimum, maximum] = shape
  return { type: "integer", minimum, maximum }
}

function objectOf(fields: Fields, more: Readonly<Record<string, JsonSchema>> = {}): JsonSchema {
  const own = Object.entries(fields)
  return {
    type: "object",
    properties: { ...more, ...Object.fromEntries(own.map(([name, { is }]) => [snake(name), schemaOf(is)])) },
    required: [...Object.keys(more), ...own.flatMap(([name, { isRequired }]) => (isRequired ? [snake(name)] : []))],
    additionalProperties: false,
  }
}

/**
 * Writes the JSON schema of the file of a kind of provision; `lines`: what each field says, by its name in the file. Cannot fail.
 *
 * @example
 * ```ts
 * schemaOfFile(PROVISIONS.validity).description // => "How long a passport must be valid."
 * ```
 */
export function schemaOfFile(
  { about, fields }: { readonly about: string; readonly fields: Fields },
  lines: Readonly<Record<string, string>> = {},
): JsonSchema {
  const items = objectOf(fields)
  const properties = Object.entries(items.properties ?? {}).map(([key, schema]) => {
    return [key, lines[key] === undefined ? schema : { ...schema, description: lines[key] }] as const
  })
  return { type: "array", description: about, items: { ...items, properties: Object.fromEntries(properties) } }
}
