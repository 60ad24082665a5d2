/**
 * The answers that the reference shows as examples, made by asking a running service what the contract asks.
 *
 * `npm run regenerate -- examples` writes them anew. So that the reference stays small, lists are cut to their first entry, one of the fields that
 * a plan lacks is shown, and a record that another example shows whole is cut to what every plan has. Secrets are crossed out, because
 * programs that search for leaked ones would find them, and addresses of this machine become those of the example.
 */
import { writeFileSync } from "node:fs"

const FILE = "adapters/http/openapi/answer-examples.json"

/** Whether examples are written, not compared. */
export const isRecording = process.env.LANDFALL_RECORD_EXAMPLES === "1"

const MOST_ENTRIES = 1
const SECRET = /(svc_visa_(?:team_)?|whsec_)([\w+/=-]+)/g
const HERE = /http:\/\/127\.0\.0\.1:\d+/g

/** What is shown of the records of `bulk`, which `paidVisa` shows whole. */
const SHOWN_IN_BULK: ReadonlySet<string> = new Set(
  "passport destination requirement visa_free_days visa_required last_verified_at verified description source_url documents_required tips".split(
    " ",
  ),
)

const isUpgrade = (value: unknown): boolean => isFields(value) && "upgrade" in value

/** Whether an example may be without a field of its answer. */
const isLeftOut = (path: string, name: string, value: unknown): boolean =>
  isUpgrade(value) || (path === "bulk.data[]" && !SHOWN_IN_BULK.has(name))

/** A body with short lists and records, and without the characters of secrets. */
function cut(value: unknown, path: string): unknown {
  if (typeof value === "string") {
    const shown = value.replace(HERE, "https://visa.example")
    return shown.replace(SECRET, (_, prefix, rest) => prefix + "x".repeat(rest.length))
  }
  if (Array.isArray(value)) return value.slice(0, MOST_ENTRIES).map(each => cut(each, `${path}[]`))
  if (!isFields(value)) return value
  const first = Object.keys(value).find(name => isUpgrade(value[name]))
  const shown = Object.entries(value).filter(([name, held]) => name === first || !isLeftOut(path, name, held))
  return Object.fromEntries(shown.map(([name, held]) => [name, cut(held, `${path}.${name}`)]))
}

export function writeExamples(answers: ReadonlyMap<string, unknown>): void {
  const sorted = [...answers].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, body]) => [name, cut(body, name)])
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
      : isLeftOut(path, name, answer[name])
        ? []
        : [`${path}.${name}`],
  )
}
