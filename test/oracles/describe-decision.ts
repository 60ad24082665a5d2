/** What is the body of a decision, field by field as its table says? Slow and plain; {@link writeDecision} writes the same from pieces. */
import { toSnakeCase, toWire } from "../../adapters/answers/wire-names.ts"
import { type AnswerRow, DECISION_ANSWER, DECISION_COST, GROUP_ANSWER, type Out } from "../../src/answers.ts"
import type { Decision, GroupDecision } from "../../src/index.ts"

/** Describes a decision as plain values with the names of the wire; `meta` is that of every answer. */
export function describeDecision(decision: Decision | GroupDecision, meta: object) {
  const { is } = "travellers" in decision ? GROUP_ANSWER : DECISION_ANSWER
  const cost = describe(DECISION_COST.is, decision as never, decision) as object
  return { data: describe(is, decision as never, decision), meta: { ...cost, ...meta } }
}

function describe(is: Out["is"], value: never, whole: unknown): unknown {
  switch (is.kind) {
    case "path":
      return toSnakeCase(value)
    case "record":
      return toWire(Object.fromEntries(Object.entries(value).filter(([name]) => !is.without.includes(name))))
    case "list":
      return (value as readonly never[]).map(entry => describe(is.of.is, entry, whole))
    case "variants":
      return describe(is.of[value[is.by]]!.is, value, whole)
    case "finding":
      return describe(
        ((value as { readonly status: string }).status === "unknown" ? is.unknown : is.known).is,
        value,
        whole,
      )
    case "object":
      return Object.fromEntries(
        Object.entries(is.fields).flatMap(([name, row]) => {
          const of = is.isWhole ? value : whole
          const held = row.from === null ? value[name] : row.from(value, of as never)
          return isLeftOut(row, held) ? [] : [[row.wire, held === null ? null : describe(row.is.is, held as never, of)]]
        }),
      )
    default:
      return value
  }
}

function isLeftOut({ presence }: AnswerRow, held: unknown): boolean {
  if (presence === "always" || presence === "nullable") return false
  return (
    held === null || held === undefined || (presence === "unless_empty" && (held as readonly unknown[]).length === 0)
  )
}
