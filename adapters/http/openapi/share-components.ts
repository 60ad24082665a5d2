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

const toPascal = (name: string): string =>
  name
    .split("_")
    .map(word => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("")

/** The word by which a schema is told from the others of a choice, such as `unknown`; undefined where there is none. */
const wordOf = (schema: JsonObject): string | undefined => {
  const words = Object.values(propertiesOf(schema)).flatMap(field =>
    isObject(field) && Array.isArray(field.enum) && field.enum.length === 1 ? [String(field.enum[0])] : [],
  )
  return words[0]
}

/** The values in some field of a document that may be written once: as which kind of component, under which name, and if they are worth it. */
interface Place {
  readonly kind: string
  readonly nameOf: (value: JsonObject, key: string) => string | undefined
  readonly isWorth: (count: number, length: number, name: string) => boolean
}

const isRepeated = (count: number): boolean => count > 1
/** Whether a document becomes shorter if a schema is written once. */
const isShorter = (count: number, length: number, name: string): boolean =>
  (count - 1) * length > count * JSON.stringify(refer("schemas", name)).length + name.length + 4

const ofSchemas = (nameOf: Place["nameOf"]): Place => ({ kind: "schemas", nameOf, isWorth: isShorter })
/** Schemas of fields and of choices have the name of the field or the word of the choice. */
const IN_SCHEMAS = {
  properties: ofSchemas((_, field) => toPascal(field)),
  anyOf: ofSchemas(schema => {
    const word = wordOf(schema)
    return word === undefined ? undefined : toPascal(word)
  }),
}

/** Replaces values that stand in several places by where they are written; further values of one name are numbered. `components` gets them. */
function shareValues(
  root: JsonObject,
  places: Readonly<Record<string, Place>>,
  components: Readonly<Record<string, Record<string, Json>>>,
): JsonObject {
  type Visit = (value: JsonObject, place: Place, name: string) => Json
  const walk = (value: Json, visit: Visit): Json => {
    if (Array.isArray(value)) return value.map(each => walk(each, visit))
    if (!isObject(value)) return value
    return mapEntries(value, (held, field) => {
      const place = Object.hasOwn(places, field) ? places[field] : undefined
      if (place === undefined) return walk(held, visit)
      const one = (each: Json, key: string | number): Json => {
        const name = isObject(each) ? place.nameOf(each, String(key)) : undefined
        return name === undefined ? walk(each, visit) : visit(each as JsonObject, place, name)
      }
      return Array.isArray(held) ? held.map(one) : isObject(held) ? mapEntries(held, one) : held
    })
  }
  const counts = new Map<string, number>()
  const count: Visit = value => {
    const text = JSON.stringify(value)
    counts.set(text, (counts.get(text) ?? 0) + 1)
    return walk(value, count)
  }
  walk(root, count)
  const names = new Map<string, string>()
  const share: Visit = (value, { kind, isWorth }, name) => {
    const text = JSON.stringify(value)
    if (!isWorth(counts.get(text) ?? 0, text.length, name)) return walk(value, share)
    const written = components[kind] as Record<string, Json>
    let known = names.get(text)
    for (let at = 1; known === undefined; at++) {
      const free = at === 1 ? name : `${name}${at}`
      if (free in written) continue
      known = free
      names.set(text, free)
      // Taken before what is in it, which may be written once too.
      written[free] = value
      written[free] = walk(value, share)
    }
    return refer(kind, known)
  }
  return walk(root, share) as JsonObject
}

/** Writes schemas of fields and of choices that stand in several places once. */
export function shareSchemas(schemas: JsonObject): JsonObject {
  const all = { ...schemas }
  const placed = shareValues(schemas, IN_SCHEMAS, { schemas: all })
  return { ...all, ...placed }
}

/** Writes headers, parameters and answers that several operations share once. `nameStatus` names an answer by its status. */
export function shareComponents(paths: JsonObject, nameStatus: (status: string) => string) {
  const components = { headers: {}, parameters: {}, responses: {} }
  const places: Readonly<Record<string, Place>> = {
    headers: { kind: "headers", nameOf: (_, name) => name, isWorth: isRepeated },
    parameters: { kind: "parameters", nameOf: ({ name }) => String(name), isWorth: isRepeated },
    responses: { kind: "responses", nameOf: (_, status) => nameStatus(status), isWorth: isRepeated },
  }
  return { paths: shareValues(paths, places, components), components }
}
