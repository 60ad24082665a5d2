import { createContext, runInContext } from "node:vm"
import { gzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { bundleUdf } from "../../.ci/packaging/build-udf.ts"
import { DECISION_EXAMPLE } from "../../adapters/answers/decision.ts"
import { makeJudge } from "../../adapters/batch/lines/judge-lines.ts"
import { listExportRows } from "../../adapters/data-files/export-pairs.ts"
import { embeddedDataset } from "../../src/index.ts"
import { run } from "../cli/run.ts"
import { makeTrips, toLines } from "../worker/trips.ts"

/** What runtimes have that the language did not have in 2019. */
const NEWER: Readonly<Record<string, readonly string[]>> = {
  globalThis: [
    "Intl",
    "WebAssembly",
    "BigInt",
    "WeakRef",
    "FinalizationRegistry",
    "AggregateError",
    "Iterator",
    "Atomics",
    "SharedArrayBuffer",
  ],
  "Array.prototype": ["at", "findLast", "findLastIndex", "toReversed", "toSorted", "toSpliced", "with"],
  "Uint8Array.prototype.__proto__": ["at", "findLast", "findLastIndex", "toReversed", "toSorted", "with"],
  "String.prototype": ["at", "replaceAll", "matchAll", "isWellFormed", "toWellFormed"],
  Object: ["hasOwn", "groupBy"],
  Map: ["groupBy"],
  Array: ["fromAsync"],
  Promise: ["allSettled", "any", "withResolvers", "try"],
  "Set.prototype": [
    "union",
    "intersection",
    "difference",
    "isSubsetOf",
    "isSupersetOf",
    "isDisjointFrom",
    "symmetricDifference",
  ],
}

const script = await bundleUdf()
const context = createContext({})
for (const [owner, names] of Object.entries(NEWER)) {
  for (const name of names) runInContext(`delete ${owner}.${name}`, context)
}
runInContext("delete globalThis.globalThis", context)
runInContext(script, context)
const { visa, decide } = runInContext("landfall", context) as {
  readonly visa: (...given: readonly unknown[]) => string | null
  readonly decide: (request: string | null) => string | null
}

/** What `landfall batch - --stage` answers. */
const answerStage = (lines: string) => {
  const judging = {
    lines: { kind: "json" },
    shape: { kind: "whole" },
    answers: "json",
    partition: { isNumbered: false },
  } as const
  return new TextDecoder().decode(
    makeJudge(embeddedDataset(), judging).judgeBlock(new TextEncoder().encode(lines), 1).bytes,
  )
}

const HELD = ["USA", "GBR", "CAN", "DEU", "JPN", "AUS"].flatMap(issuer =>
  ["visa", "residence_permit"].map(kind => ({ kind, issuer })),
)

describe("the engine as one script, where nothing but the language of 2019 is", () => {
  it("is at most 124 KB of gzip, in ASCII, and defines one name", () => {
    expect(gzipSync(script, { level: 9 }).length).toBeLessThanOrEqual(124_000)
    expect(/^[\x20-\x7e\n]*$/.test(script)).toBe(true)
    expect(runInContext("Object.keys(this).filter(name => name !== 'landfall')", context)).toHaveLength(0)
    expect(runInContext("[typeof TextDecoder, typeof URL, typeof Intl].join()", context)).toBe(
      "undefined,undefined,undefined",
    )
  })

  it("answers every pair with its row of the export, and null without a record", () => {
    const dataset = embeddedDataset()
    const rows = new Map(listExportRows(dataset).map(row => [`${row.passport}${row.destination}`, JSON.stringify(row)]))
    const wrong: string[] = []
    for (const passport of dataset.passports) {
      for (const destination of dataset.destinations) {
        if (visa(passport, destination, null) !== (rows.get(`${passport}${destination}`) ?? null))
          wrong.push(`${passport} ${destination}`)
      }
    }
    expect(wrong).toEqual([])
  })

  it("answers for another day like the command line", async () => {
    const on = "2027-03-01"
    const exported = await run("dataset", "export", "--format", "json", "--with-sources", "--on", on)
    const rows = JSON.parse(exported.stdout) as readonly { readonly passport: string; readonly destination: string }[]
    const some = rows.filter((_, at) => at % 40 === 0)
    expect(some.map(({ passport, destination }) => JSON.parse(visa(passport, destination, on) as string))).toEqual(some)
  })

  it("returns null for null, and reports malformed arguments", () => {
    expect([visa(null, "JPN"), visa("FRA", null), visa("FRA", "ZZZ"), decide(null)]).toEqual([null, null, null, null])
    expect(JSON.parse(visa("FRA", "JPN", "2027-02-30") as string)).toEqual({
      error: "on: a calendar date YYYY-MM-DD from 1900 to 2199 is expected.",
    })
    expect(JSON.parse(visa("fra", "JPN") as string)).toEqual({
      error: "passport: an ISO 3166-1 alpha-3 code in capital letters, such as FRA, is expected.",
    })
  })

  it("decides on journeys like a partition of a batch, to the character, mistakes too", () => {
    const mistakes = [
      '{"id": 7',
      "[]",
      '{"id": "a", "passport": "fra", "stops": []}',
      '{"id": [], "passport": "FRA"}',
      '{"id":null}',
    ]
    const several = { passports: ["FRA", "USA"], stops: DECISION_EXAMPLE.stops, id: "two" }
    // Documents bring rules of their own into an answer, with the pages where those were read.
    const holders = embeddedDataset().destinations.map(destination => ({
      passport: "SRB",
      stops: [{ destination, from: "2026-12-08", to: "2026-12-16" }],
      held: HELD,
    }))
    const lines = [
      ...toLines([...makeTrips(150), ...holders])
        .split("\n")
        .slice(0, -1),
      JSON.stringify(several),
      ...mistakes,
    ]
    expect(lines.map(line => `${decide(line)}\n`).join("")).toBe(answerStage(`${lines.join("\n")}\n`))
  })
})
