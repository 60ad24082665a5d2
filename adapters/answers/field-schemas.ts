/**
 * How are the fields of a table described to those who send and read them: in the reference, and to a model? The engine reads and judges requests
 * itself, and answers are written by their table.
 */
import { Schema } from "effect"
import type { AnswerFields, Fields, Kind, Out } from "../../src/answers.ts"
import type { FieldKind, FieldRow } from "../../src/engine.ts"

/** The readers of a table's description. */
export interface Audience {
  readonly code: string
  /** Whether null is allowed for optional fields. */
  readonly offersNull: boolean
}

type Described = Schema.Codec<unknown>

export function schemaOf(is: FieldKind, audience: Audience): Described {
  switch (is.kind) {
    case "code":
      return Schema.String.annotate({ description: audience.code })
    case "day":
      return Schema.String.annotate({ description: "A calendar date YYYY-MM-DD." })
    case "flag":
      return Schema.Boolean
    case "text":
      return Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(is.most))
    case "word":
      return Schema.Literals(is.words)
    case "count": {
      const count = Schema.Int.check(Schema.isBetween({ minimum: is.least, maximum: is.most }))
      return is.word === undefined ? count : Schema.Union([count, Schema.Literal(is.word)])
    }
    case "list":
      return Schema.Array(schemaOf(is.of, audience)).check(Schema.isMinLength(is.least), Schema.isMaxLength(is.most))
    case "object": {
      const whole = structOf(Object.values(is.fields), audience)
      return is.bare === null ? whole : Schema.Union([schemaOf({ kind: "code" }, audience), whole])
    }
  }
}

/** Describes an object of some fields. */
export function structOf(rows: readonly FieldRow[], audience: Audience): Described {
  const fields = rows.map(row => {
    const inner = schemaOf(row.is, audience)
    const value = row.need === "nullable" && audience.offersNull ? Schema.NullOr(inner) : inner
    const isCode = row.is.kind === "code"
    const description = isCode ? `${row.about} ${audience.code}` : (row.about ?? "")
    const told = value.annotate({ description, ...(row.example === undefined ? {} : { examples: [row.example] }) })
    return [row.wire, row.need === "required" ? told : Schema.optionalKey(told)] as const
  })
  return Schema.Struct(Object.fromEntries(fields)) as unknown as Described
}

/** Describes an answer by its table; objects with a name are described once. */
export function schemaOfAnswer<V, J>({ is }: Out<V, J>): Schema.Codec<J> {
  return describeKind(is) as unknown as Schema.Codec<J>
}

/** Describes only the fields of an answer, for an object that has others too. */
export function fieldsOfAnswer<V, J>({ is }: Out<V, J>): { readonly [N in keyof J]: Schema.Codec<J[N]> } {
  return (is.kind === "object" ? describeFields(is.fields) : {}) as { readonly [N in keyof J]: Schema.Codec<J[N]> }
}

const named = new WeakMap<Out["is"], Schema.Top>()
const VALUES = Schema.Record(Schema.String, Schema.Unknown)

function describeKind(is: Out["is"]): Schema.Top {
  switch (is.kind) {
    case "count":
      return is.word === undefined ? Schema.Int : Schema.Union([Schema.Int, Schema.Literal(is.word)])
    case "flag":
      return Schema.Boolean
    case "number":
      return Schema.Finite
    case "word":
      return is.words === null ? Schema.String : Schema.Literals(is.words)
    case "values":
    case "record":
      return VALUES
    case "list":
      return Schema.Array(describeKind(is.of.is))
    case "variants":
      return Schema.Union(Object.values(is.of).map(of => describeKind(of.is)))
    case "finding":
      return Schema.Union([describeKind(is.known.is), describeKind(is.unknown.is)])
    case "object": {
      let made = named.get(is)
      if (made === undefined) {
        const struct = Schema.Struct(describeFields(is.fields))
        made = is.name === null ? struct : struct.annotate({ identifier: is.name })
        named.set(is, made)
      }
      return made
    }
    default:
      return Schema.String
  }
}

function describeFields(fields: AnswerFields): Schema.Struct.Fields {
  const described = Object.values(fields).map(({ wire, is, presence, about }) => {
    const inner = describeKind(is.is)
    const value = (presence === "nullable" ? Schema.NullOr(inner) : inner).annotate({ description: about })
    return [wire, presence === "always" || presence === "nullable" ? value : Schema.optionalKey(value)] as const
  })
  return Object.fromEntries(described) as Schema.Struct.Fields
}

// Kinds of records, whose names are those of the wire.

const describedKinds = new WeakMap<Kind<unknown>, Schema.Top>()

/** Describes a kind of values of a record; those with a name are described once. */
export function schemaOfKind<Value>(is: Kind<Value>): Schema.Codec<Value> {
  const { name: identifier, about: description } = is
  const made = describedKinds.get(is) ?? describeShape(is).annotate({ ...(identifier && { identifier }), description })
  describedKinds.set(is, made)
  return made as unknown as Schema.Codec<Value>
}

function describeShape({ shape }: Kind<unknown>): Schema.Top {
  if (shape === "flag") return Schema.Boolean
  if (shape === "amount") return Schema.Finite
  if (typeof shape === "string") return Schema.String
  if ("words" in shape) return Schema.Literals(shape.words as readonly string[])
  if ("listOf" in shape) return Schema.Array(schemaOfKind(shape.listOf))
  if ("orNull" in shape) return Schema.NullOr(schemaOfKind(shape.orNull))
  return "fields" in shape ? Schema.Struct(fieldsOfKinds(shape.fields)) : Schema.Int
}

/** Describes fields of a record. */
export const fieldsOfKinds = (fields: Fields): Schema.Struct.Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, { is, isRequired }]) => {
      const value = schemaOfKind(is)
      return [name, isRequired ? value : Schema.optionalKey(value)]
    }),
  )
