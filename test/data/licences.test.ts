/** Are the owners of all shipped data named, and does no source claim a reading that did not happen? */
import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { attributions } from "../../src/index.ts"

interface SourceRow {
  readonly id: string
  readonly url: string | null
  readonly licence: string | null
  readonly licence_reason?: string
  readonly retrieved_on: string | null
  readonly note?: string
}

const sources = JSON.parse(readFileSync("data/sources.json", "utf8")) as readonly SourceRow[]
const notices = readFileSync("data/LICENSES.md", "utf8").replace(/\s+/g, " ")

/** Every object below a value of a JSON file. */
function* walkRecords(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return
  if (!Array.isArray(value)) yield value as Record<string, unknown>
  for (const held of Object.values(value)) yield* walkRecords(held)
}

/** The licences that ask for something, by the words of `sources.json`. */
const ASKING: Readonly<Record<string, string>> = {
  "CC BY 4.0": "CC-BY-4.0",
  MIT: "MIT",
  "Open Government Licence v3.0": "OGL-UK-3.0",
  "Unicode-3.0": "Unicode-3.0",
}
/** Those that ask for nothing, or have no name of their own in SPDX and are named in the notices; of Wikipedia only facts were taken, no text. */
const OTHERS = [
  ...["public domain", "CC0", "PDDL 1.0", "CC BY-SA 4.0", "reuse with attribution (Decision 2011/833/EU)"],
  "reproduction permitted (Canada, Reproduction of Federal Law Order)",
]

describe("the licence of the package", () => {
  const { license } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly license: string }
  const named = license.split(" AND ")

  // test/packaging/package.test.ts compares them with the list of the parts.
  const ofParts = ["BSD-2-Clause", "CC0-1.0", "MIT", "MIT-0", "MPL-2.0", "OFL-1.1"]

  it("covers the code, its parts and every source of the data", () => {
    const used = sources.flatMap(({ licence }) => licence?.split("; ") ?? []).filter(name => !OTHERS.includes(name))
    const asked = used.map(name => ASKING[name] ?? `no name is known of ${name}`)
    const others = new Set([...ofParts, ...asked].filter(name => name !== "MIT"))
    expect(named).toEqual(["MIT", ...[...others].sort()])
  })

  it("has the text of each licence that it names", () => {
    expect(readdirSync("LICENSES").sort()).toEqual(named.map(name => `${name}.txt`).sort())
  })
})

describe("attributions()", () => {
  it("names every publication of data/LICENSES.md", () => {
    expect(attributions().length).toBeGreaterThan(10)
    for (const line of attributions()) expect(notices).toContain(line)
    // They are shown as text, to people who have no clone.
    expect(attributions().filter(line => /[`*]/.test(line))).toEqual([])
    for (const name of [
      "TravelRequirements.info",
      "MultiPass Rank",
      "World Bank",
      "Open Government Licence",
      "Unicode",
    ]) {
      expect(
        attributions().filter(line => line.includes(name)),
        name,
      ).toHaveLength(1)
    }
  })
})

describe("the licences of the data", () => {
  it("are shipped with the package", () => {
    const { files } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly files: readonly string[] }
    expect(files).toContain("data/LICENSES.md")
  })

  it("contain the notice that the second source requires, and those of the imported tables", () => {
    for (const notice of [
      "TravelRequirements.info: Entry Requirements Dataset, AXG Sp. z o.o., https://travelrequirements.info/data/ (CC BY 4.0)",
      "Copyright (c) 2017 Ilya Ilyankou",
      "The above copyright notice and this permission notice shall be included",
      "Contains public sector information licensed under the Open Government Licence v3.0",
    ]) {
      expect(notices).toContain(notice)
    }
  })
})

describe("sources", () => {
  it("state if an address, a licence or the day of reading is missing", () => {
    const silent = sources.filter(
      ({ url, licence, licence_reason, retrieved_on, note }) =>
        ([url, retrieved_on].includes(null) && note === undefined) ||
        (licence === null) !== (licence_reason !== undefined),
    )
    expect(silent.map(({ id }) => id)).toEqual([])
  })

  it("whose pages were not read have no day of confirmation", () => {
    const unread = new Set(sources.filter(({ note }) => note?.includes("not read")).map(({ id }) => id))
    const claims = readdirSync("data", { recursive: true, encoding: "utf8" })
      .filter(name => name.endsWith(".json"))
      .flatMap(name =>
        [...walkRecords(JSON.parse(readFileSync(`data/${name}`, "utf8")))].filter(
          ({ source, verified_on }) => unread.has(source as string) && typeof verified_on === "string",
        ),
      )
    expect(unread.size).toBeGreaterThan(0)
    expect(claims).toEqual([])
  })
})
