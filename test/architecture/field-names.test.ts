import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { DECISION_ANSWER, DECISION_COST, GROUP_ANSWER } from "../../src/answers.ts"
import { DECISION_REQUEST } from "../../src/engine.ts"

// The names of each object of the tables, on the wire.
const objects = (() => {
  const found = new Set<readonly string[]>()
  const seen = new Set<unknown>()
  const walk = (value: unknown): void => {
    if (typeof value !== "object" || value === null || seen.has(value)) return
    seen.add(value)
    const entries = Object.values(value)
    const names = entries.flatMap(each => (typeof each?.wire === "string" ? [each.wire as string] : []))
    if (names.length > 0) found.add(names)
    entries.forEach(walk)
  }
  walk([DECISION_REQUEST, DECISION_ANSWER, GROUP_ANSWER, DECISION_COST])
  return [...found]
})()

// Names that records of the data, pairs and jobs have too.
const OF_OTHERS = [
  "age_days",
  "source_url",
  "last_verified",
  "pairs_charged",
  "allowance_days",
  "passport_validity",
  "passport_kind",
  "max_days",
]
const own = [...new Set(objects.flat())].filter(name => name.includes("_") && !OF_OTHERS.includes(name))

const TABLES = ["src/trip/request-fields.ts", "src/trip/answer-fields.ts"]
/** Where else a name may occur, and why. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "adapters/http/routes/visa/visa-endpoints.ts": "a sentence of the reference",
  "adapters/mcp/tools.ts": "a sentence for a model",
  "adapters/answers/decision.ts":
    "the example of a request; with the table's name of the field, an edge would load the table",
}

const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "")
const sources = execFileSync("git", ["ls-files", "src", "adapters", "site"], { encoding: "utf8" })
  .split("\n")
  .filter(file => /\.tsx?$/.test(file) && !TABLES.includes(file))
  .map(file => ({ file, text: withoutComments(readFileSync(file, "utf8")) }))

describe("the fields of a decision", () => {
  it("are named in their tables and nowhere else, except in sentences and examples", () => {
    expect(own.length).toBeGreaterThan(10)
    const others = sources.filter(({ text }) => own.some(name => new RegExp(`(?<![.\\w])${name}\\b`).test(text)))
    expect(others.map(({ file }) => file).sort()).toEqual(Object.keys(EXCEPTIONS).sort())
  })

  it("are not listed a second time: no list of texts contains the fields of one object", () => {
    const lists = sources.flatMap(({ file, text }) =>
      [...text.matchAll(/\[((?:\s*"[a-z_]+",?)+)\s*\]/g)].map(match => ({ file, words: match[1]!.match(/[a-z_]+/g)! })),
    )
    const repeated = lists.filter(({ words }) =>
      objects.some(names => words.length >= 3 && words.every(word => names.includes(word))),
    )
    expect(lists.length).toBeGreaterThan(50)
    expect(repeated).toEqual([])
  })
})
