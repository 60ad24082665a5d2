/**
 * How is the OpenAPI document kept short?
 *
 * What several operations share is written once, under `components`, and named where it is used: headers, parameters and answers. A schema
 * that has all fields of another one extends it. Bounds that say nothing are left out.
 */
type Json = null | boolean | number | string | readonly Json[] | JsonObject
interface JsonObject {
  readonly [name: string]: Json
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Writes an object again, entry by entry. */
const mapEntries = <From, To>(
  object: Readonly<Record<string, From>>,
  map: (value: From, name: string) => To,
): Record<string, To> => Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value, name)]))

const refer = (kind: string, name: string): JsonObject => ({ $ref: `#/components/${kind}/${name}` })

const isUnbounded = (name: string, value: Json): boolean =>
  (name === "minimum" && value === Number.MIN_SAFE_INTEGER) || (name === "maximum" && value === Number.MAX_SAFE_INTEGER)

/** Writes a choice of one as that one, and a value that may be null with one type, where it has a type of its own: `["string", "null"]`. */
function joinNull(schema: JsonObject): JsonObject {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf)) return schema
  const [one, other, ...more] = anyOf as unknown as readonly Json[]
  if (isObject(one) && other === undefined) return { ...one, ...rest }
  if (!isObject(one) || !isObject(other) || other.type !== "null" || more.length > 0) return schema
  if (typeof one.type !== "string" || one.enum !== undefined) return schema
  return { ...one, ...rest, type: [one.type, "null"] }
}

/**
 * Makes a schema suitable for generators: open, because answers may get new fields at any time and clients ignore unknown ones; and without
 * the parts that only Effect's own clients read.
 */
export function cleanSchemas(value: Json): Json {
  if (Array.isArray(value)) return value.map(cleanSchemas)
  if (!isObject(value)) return value
  const entries = Object.entries(value).filter(
    ([name, held]) =>
      !(name === "additionalProperties" && held === false) && !name.startsWith("x-effect") && !isUnbounded(name, held),
  )
  return joinNull(Object.fromEntries(entries.map(([name, held]) => [name, cleanSchemas(held)])))
}

/** The least number of fields that one schema takes from another. */
const FEWEST_SHARED = 3

const propertiesOf = (schema: Json | undefined): JsonObject =>
  isObject(schema) && isObject(schema.properties) ? schema.properties : {}

const requiredOf = (schema: JsonObject): readonly Json[] => (Array.isArray(schema.required) ? schema.required : [])

/** Whether a schema has every field of another one, and further ones. */
function extendsSchema(schema: JsonObject, base: JsonObject): boolean {
  const [own, given] = [propertiesOf(schema), propertiesOf(base)]
  const names = Object.keys(given)
  const needed = requiredOf(schema)
  return (
    names.length >= FEWEST_SHARED &&
    names.length < Object.keys(own).length &&
    names.every(name => JSON.stringify(own[name]) === JSON.stringify(given[name])) &&
    names.every(name => needed.includes(name) === requiredOf(base).includes(name))
  )
}

/** Lets a schema that has all fields of another one extend the largest such. */
export function extendSchemas(schemas: JsonObject): JsonObject {
  const all = Object.entries(schemas) as [string, JsonObject][]
  const extended = all.map(([name, schema]) => {
    const [base] = all
      .filter(([, other]) => extendsSchema(schema, other))
      .sort(([, one], [, other]) => JSON.stringify(other).length - JSON.stringify(one).length)
    if (base === undefined) return [name, schema]
    const taken = propertiesOf(base[1])
    const { description, properties: _, required: __, ...rest } = schema
    const properties = Object.fromEntries(Object.entries(propertiesOf(schema)).filter(([field]) => !(field in taken)))
    const required = requiredOf(schema).filter(field => !(String(field) in taken))
    const own = { ...rest, properties, ...(required.length === 0 ? {} : { required }) }
    return [name, { ...(description === undefined ? {} : { description }), allOf: [refer("schemas", base[0]), own] }]
  })
  return Object.fromEntries(extended)
}

/** Values that are written once under a name, and named where they are used. */
class Shared {
  readonly #kind: string
  readonly #counts = new Map<string, number>()
  readonly #names = new Map<string, string>()
  readonly #taken: Set<string>
  readonly components: Record<string, Json> = {}

  constructor(kind: string, taken: readonly string[] = []) {
    this.#kind = kind
    this.#taken = new Set(taken)
  }

  count(value: Json): void {
    const text = JSON.stringify(value)
    this.#counts.set(text, (this.#counts.get(text) ?? 0) + 1)
  }

  /** Whether a document becomes shorter if a value is written once under a name. */
  isWorth(value: Json, name: string): boolean {
    const { length } = JSON.stringify(value)
    const count = this.#counts.get(JSON.stringify(value)) ?? 0
    const named = JSON.stringify(refer(this.#kind, name)).length
    return (count - 1) * length > count * named + name.length + 4
  }

  /** The value, or where it stands if it is used several times; further values of one name are numbered. */
  place(value: Json, name: string): Json {
    const text = JSON.stringify(value)
    if ((this.#counts.get(text) ?? 0) < 2) return value
    let known = this.#names.get(text)
    for (let at = 1; known === undefined; at++) {
      const free = at === 1 ? name : `${name}${at}`
      if (this.#taken.has(free)) continue
      this.#taken.add(free)
      known = free
      this.components[free] = value
      this.#names.set(text, free)
    }
    return refer(this.#kind, known)
  }
}

const toPascal = (name: string): string =>
  name
    .split("_")
    .map(word => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("")

/** The word by which a schema is told from the others of a choice, such as `unknown`; undefined where there is none. */
const wordOf = (schema: Json): string | undefined => {
  const words = Object.values(propertiesOf(schema)).flatMap(field =>
    isObject(field) && Array.isArray(field.enum) && field.enum.length === 1 ? [String(field.enum[0])] : [],
  )
  return words[0]
}

/** Writes schemas of fields and of choices that stand in several places once, under the name of the field or the word of the choice. */
export function shareSchemas(schemas: JsonObject): JsonObject {
  const shared = new Shared("schemas", Object.keys(schemas))
  const visit = (value: Json, placeField: (schema: Json, name: string) => Json): Json => {
    if (Array.isArray(value)) return value.map(each => visit(each, placeField))
    if (!isObject(value)) return value
    return mapEntries(value, (held, name) =>
      name === "properties" && isObject(held)
        ? mapEntries(held, (schema, field) => placeField(schema, field))
        : name === "anyOf" && Array.isArray(held)
          ? held.map(schema => {
              const word = wordOf(schema)
              return word === undefined ? visit(schema, placeField) : placeField(schema, word)
            })
          : visit(held, placeField),
    )
  }
  const count = (schema: Json): Json => {
    shared.count(schema)
    return visit(schema, count)
  }
  visit(schemas, count)
  const place = (schema: Json, name: string): Json => {
    const placed = shared.isWorth(schema, toPascal(name)) ? shared.place(schema, toPascal(name)) : schema
    return placed === schema ? visit(schema, place) : placed
  }
  const placed: Record<string, Json> = mapEntries(schemas, schema => visit(schema, place))
  // What is written once may contain what is written once.
  for (let before = 0; before < Object.keys(shared.components).length; ) {
    before = Object.keys(shared.components).length
    for (const [name, schema] of Object.entries(shared.components)) placed[name] = visit(schema, place)
  }
  return placed
}

interface Operation {
  readonly parameters?: readonly (JsonObject & { readonly name: string })[]
  readonly responses: Readonly<Record<string, JsonObject>>
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

/** Writes headers, parameters and answers that several operations share once. `nameStatus` names an answer by its status. */
export function shareComponents(paths: Paths, nameStatus: (status: string) => string) {
  const [headers, parameters, responses] = [new Shared("headers"), new Shared("parameters"), new Shared("responses")]
  const operations = Object.values(paths).flatMap(methods => Object.values(methods))
  const listHeaders = (response: JsonObject) => (isObject(response.headers) ? response.headers : {})
  for (const operation of operations) {
    for (const parameter of operation.parameters ?? []) parameters.count(parameter)
    for (const response of Object.values(operation.responses)) {
      responses.count(response)
      for (const header of Object.values(listHeaders(response))) headers.count(header)
    }
  }
  const placeHeaders = (response: JsonObject): JsonObject =>
    response.headers === undefined
      ? response
      : { ...response, headers: mapEntries(listHeaders(response), (header, name) => headers.place(header, name)) }
  const shared = mapEntries(paths, methods =>
    mapEntries(methods, operation => ({
      ...operation,
      ...(operation.parameters === undefined
        ? {}
        : { parameters: operation.parameters.map(one => parameters.place(one, one.name)) }),
      responses: mapEntries(operation.responses, (response, status) => responses.place(response, nameStatus(status))),
    })),
  )
  // Headers are placed last: equal answers have equal headers.
  const withHeaders = (response: Json): Json =>
    isObject(response) && response.$ref === undefined ? placeHeaders(response) : response
  return {
    paths: mapEntries(shared, methods =>
      mapEntries(methods, operation => ({ ...operation, responses: mapEntries(operation.responses, withHeaders) })),
    ),
    components: {
      headers: headers.components,
      parameters: parameters.components,
      responses: mapEntries(responses.components, withHeaders),
    },
  }
}
