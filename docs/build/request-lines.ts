/** Which fields does a question about a journey have? The lines of the reference, from the engine's table. */
import { DECISION_REQUEST, type FieldKind, type FieldRow, type ObjectKind } from "../../src/engine.ts"

/** What an object is called where a reader has its fields before him. */
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
  // A passport of several, and a traveller of several, have fields that a request with one has.
  if (place === undefined) return []
  const rows = Object.values(object.fields)
  const lines = rows.map(({ wire, is, need, about }: FieldRow) =>
    ["", place, quote(wire), describeKind(is), need === "required" ? "yes" : "", about, ""].join(" | ").trim(),
  )
  return [
    ...lines,
    ...rows.flatMap(({ is }) => (is.kind === "list" && is.of.kind === "object" ? listLines(is.of) : [])),
  ]
}

/** A line for each field: where it stands, its name, what it holds, whether it has to be given, and what it says. */
export const REQUEST_LINES = listLines(DECISION_REQUEST)

/** A line of that table. */
export const REQUEST_LINE = new RegExp(`^\\| (${Object.values(PLACES).join("|")}) \\| \``)
