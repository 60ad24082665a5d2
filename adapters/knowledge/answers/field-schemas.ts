/** How are the fields of a table described to those who send them: in the reference, and to a model? The engine reads and judges them itself. */
import { Schema } from "effect"
import type { FieldKind, FieldRow } from "../../../src/engine.ts"

/** For whom a table is described. */
export interface Audience {
  /** What is said of a code. */
  readonly code: string
  /** Whether null is offered where a field may be left out. */
  readonly offersNull: boolean
  /** Whether an object may be given as the one text that it stands for. */
  readonly offersBare: boolean
}

type Described = Schema.Codec<unknown>

/** Describes a value of a kind. */
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
      return is.bare === null || !audience.offersBare
        ? whole
        : Schema.Union([schemaOf({ kind: "code" }, audience), whole])
    }
  }
}

/** Describes an object of some fields. */
export function structOf(rows: readonly FieldRow[], audience: Audience): Described {
  const fields = rows.map(row => {
    const inner = schemaOf(row.is, audience)
    const value = row.need === "nullable" && audience.offersNull ? Schema.NullOr(inner) : inner
    const isCode = row.is.kind === "code"
    const description = isCode ? `${row.about} ${audience.code}` : row.about
    const told = value.annotate({ description, ...(row.example === undefined ? {} : { examples: [row.example] }) })
    return [row.wire, row.need === "required" ? told : Schema.optionalKey(told)] as const
  })
  return Schema.Struct(Object.fromEntries(fields)) as unknown as Described
}
