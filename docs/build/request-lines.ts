/** Which fields does a question about a journey have? The lines of the reference, from the engine's table. */
import { DECISION_REQUEST, type FieldKind, type FieldRow, type ObjectKind } from "../../src/engine.ts"

/** The names of objects in the reference. */
const PLACES: Readonly<Record<string, string>> = {
  DecisionRequest: "request",
  HeldDocument: "document",
  EarlierStay: "earlier stay",
  Stop: "stop",
  TransitCountry: "transit country",
}

const quote = (text: string) => `\`${text}\``

function describeKind(is: FieldKind): string {
  switch (is.kind) {
    case "list":
      return is.of.kind === "object" && is.of.bare !== null ? "list of codes or objects" : "list"
    case "object":
      return "object"
    case "word":
      return is.words.map(quote).join(", ")
    case "count":
      return `${is.least} to ${is.most}${is.word === undefined ? "" : ` or ${quote(is.word)}`}`
    case "day":
      return "date"
    case "flag":
      return "true or false"
    default:
      return is.kind
  }
}

function listLines(object: ObjectKind): readonly string[] {
  const place = PLACES[object.name]
  // The items of `passports` and `travellers` have the fields of a request with one.
  if (place === undefined) return []
  const rows = Object.values(object.fields)
  const lines = rows.map(
    ({ wire, is, need, about }: FieldRow) =>
      `- ${place} ${quote(wire)} (${describeKind(is)}${need === "required" ? ", required" : ""}): ${about}`,
  )
  return [
    ...lines,
    ...rows.flatMap(({ is }) => (is.kind === "list" && is.of.kind === "object" ? listLines(is.of) : [])),
  ]
}

/** A line for each field: its place, name, type, whether it is required, and its description. */
export const REQUEST_LINES = listLines(DECISION_REQUEST)

export const REQUEST_LINE = new RegExp(`^- (${Object.values(PLACES).join("|")}) \``)
