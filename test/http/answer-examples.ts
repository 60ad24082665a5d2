/**
 * The answers that the reference shows as examples, made by asking a running service what the contract asks.
 *
 * `npm run regenerate -- examples` writes them anew. Lists are cut to their first entry, so that the reference stays small,
 * secrets are crossed out, because programs that search for leaked ones would find them, and addresses of this machine become those of the example.
 */
import { writeFileSync } from "node:fs"

const FILE = "adapters/http/openapi/answer-examples.json"

/** Whether examples are written, not compared. */
export const isRecording = process.env.LANDFALL_RECORD_EXAMPLES === "1"

const MOST_ENTRIES = 1
const SECRET = /(svc_visa_(?:team_)?|whsec_)([\w+/=-]+)/g
const HERE = /http:\/\/127\.0\.0\.1:\d+/g

/** A body with short lists, and without the characters of secrets. */
function cutLists(value: unknown): unknown {
  if (typeof value === "string") {
    const shown = value.replace(HERE, "https://visa.example")
    return shown.replace(SECRET, (_, prefix, rest) => prefix + "x".repeat(rest.length))
  }
  if (Array.isArray(value)) return value.slice(0, MOST_ENTRIES).map(cutLists)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, cutLists(held)]))
}

export function writeExamples(answers: ReadonlyMap<string, unknown>): void {
  const sorted = [...answers].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, body]) => [name, cutLists(body)])
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`)
}

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Says where an example has other fields than an answer, or values of another kind; nulls and empty lists may stand for anything. */
export function listDifferences(example: unknown, answer: unknown, path = ""): readonly string[] {
  if (example === null || answer === null) return []
  if (Array.isArray(example) && Array.isArray(answer)) {
    return example.length === 0 || answer.length === 0 ? [] : listDifferences(example[0], answer[0], `${path}[]`)
  }
  if (!isFields(example) || !isFields(answer)) {
    return typeof example === typeof answer && Array.isArray(example) === Array.isArray(answer) ? [] : [path]
  }
  const names = [...new Set([...Object.keys(example), ...Object.keys(answer)])]
  return names.flatMap(name =>
    name in example && name in answer
      ? listDifferences(example[name], answer[name], `${path}.${name}`)
      : [`${path}.${name}`],
  )
}
