import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { toExportRow } from "../../adapters/answers/export-row.ts"
import { compileFacts, encodeDataset } from "../../src/compiler.ts"
import { lookupRequirement, openDataset } from "../../src/engine.ts"
import { run } from "../cli/run.ts"
import { IS_WHOLE } from "../sample.ts"
import { policy, rule, smallFacts } from "./small-facts.ts"

interface Vector {
  readonly name: string
  readonly file: string
  /** Bytes that are replaced, by their places. */
  readonly changed?: readonly (readonly [at: number, byte: number])[]
  /** How many bytes are left. */
  readonly bytes?: number
  readonly questions: readonly (readonly [passport: string, destination: string, on: string | null])[]
  /** An answer to each question, or the tag of the refusal. */
  readonly expected: readonly unknown[] | string
}

const PATH = "test/vectors/dataset/small-file.json"
const vectors = JSON.parse(readFileSync(PATH, "utf8")) as readonly Vector[]
const PYTHON = ["python3", "/usr/bin/python3"].find(python => spawnSync(python, ["--version"]).status === 0)
const readInPython = (...args: readonly string[]) =>
  spawnSync(PYTHON as string, ["test/dataset/reader.py", ...args], { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 })

/** A default, rules of a passport and of a bloc, dated rules, freedom of movement that ended, a policy that is followed, and sources of all three kinds. */
const facts = smallFacts({
  sources: [
    ...smallFacts().sources,
    { id: "report", name: "A report", url: null, imported: false, compiled: true, snapshotOn: null },
  ],
  policies: [
    policy("AAA", {
      rules: [
        rule(["@OLD"], { requirement: "visa_free", basis: "freedom_of_movement", bloc: "OLD" }),
        rule(["CCC"], { requirement: "visa_free", days: 30, until: "2026-09-01" }),
        rule(["CCC"], { requirement: "eta", days: 60, from: "2026-09-01", source: "law", verifiedOn: "2026-05-20" }),
      ],
    }),
    policy("BBB", {
      defaults: [],
      rules: [
        rule(["CCC"], { requirement: "no_admission", source: null }),
        rule(["AAA"], { requirement: "visa_on_arrival", days: 14, source: "report", verifiedOn: "2026-05-02" }),
      ],
    }),
    policy("CCC", {
      rules: [rule(["@NEW"], { requirement: "visa_on_arrival", days: 14, source: "law", verifiedOn: "2026-04-01" })],
    }),
    policy("TTT", { follows: "AAA", defaults: [] }),
  ],
})

function answer(vector: Vector): readonly unknown[] | string {
  const bytes = new Uint8Array(Buffer.from(vector.file, "base64"))
  for (const [at, byte] of vector.changed ?? []) bytes[at] = byte
  const opened = openDataset(bytes.slice(0, vector.bytes))
  if (!opened.ok) return opened.error.tag
  const dataset = opened.value
  return vector.questions.map(([passport, destination, on]) => {
    const found = lookupRequirement(dataset, passport, destination, on === null ? {} : { on })
    return found.kind === "found" ? toExportRow(found, { passport, destination, asOf: on ?? dataset.asOf }) : null
  })
}

describe("the vectors of the dataset's format", () => {
  it("describe exactly the bytes of the file that is compiled from the small facts", () => {
    const compiled = compileFacts(facts)
    const file = compiled.ok ? Buffer.from(encodeDataset(compiled.value)).toString("base64") : compiled.error.message
    expect(new Set(vectors.map(vector => vector.file))).toEqual(new Set([file]))
  })

  it.each(vectors.map(vector => [vector.name, vector] as const))("hold: %s", (_, vector) => {
    expect(answer(vector)).toEqual(vector.expected)
  })
})

describe.skipIf(PYTHON === undefined)("a reader in Python, written from docs/dataset-format.md", () => {
  it("gives the answers of the vectors, and refuses damaged files", () => {
    expect(readInPython("--vectors", PATH)).toMatchObject({
      status: 0,
      stdout: `${vectors.length} of ${vectors.length} vectors hold\n`,
    })
  })

  it("exports a dataset of all pairs with the same bytes as the command line", async () => {
    const folder = mkdtempSync(join(tmpdir(), "landfall-format-"))
    try {
      // Each night one with everything that a file may have.
      const file = IS_WHOLE ? join(folder, "whole.landfall") : "test/fixtures/dataset-2026-11-21.landfall"
      if (IS_WHOLE) await run("dataset", "build", "-o", file)
      for (const days of [[], ["2027-03-01"]]) {
        const on = days.flatMap(day => ["--on", day])
        const exported = await run("dataset", "export", file, "--with-sources", ...on)
        const read = readInPython(file, ...days)
        expect({ status: read.status, isSame: read.stdout === exported.stdout }).toEqual({ status: 0, isSame: true })
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
