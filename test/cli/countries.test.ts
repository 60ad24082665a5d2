import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { PlacesRecord, placesOf } from "../../adapters/data-files/file-records.ts"
import { AirportRecords, DemonymRecords, readPlaceWords } from "../../adapters/data-files/write-place-words.ts"
import { formatRecord } from "../../adapters/files/record-files.ts"
import { embeddedDataset } from "../../src/index.ts"
import { writeWorld } from "../changes/datasets.ts"
import { run } from "./run.ts"

describe("countries on the command line", () => {
  it("are accepted by their names in any language, as by their codes", async () => {
    const { stdout } = await run("check", "FRA", "JPN")
    expect((await run("check", "france", "Japan")).stdout).toBe(stdout)
    expect((await run("check", "Frankreich", "日本")).stdout).toBe(stdout)
    const group = await run("group", "FRA,IND", "--json")
    expect((await run("group", "France,Inde", "--json")).stdout).toBe(group.stdout)
    for (const [command, code, name] of [
      ["score", "JPN", "japan"],
      ["entrants", "JPN", "Japon"],
      ["best", "USA,DEU", "america,Deutschland"],
    ] as const) {
      expect((await run(command, name)).stdout).toBe((await run(command, code)).stdout)
    }
  })

  it("are accepted by the codes of passports' machine-readable zones, which name a state or nobody's passport", async () => {
    expect((await run("check", "D", "JPN")).stdout).toBe((await run("check", "DEU", "JPN")).stdout)
    expect((await run("check", "RKS", "JPN")).stdout).toBe((await run("check", "XKX", "JPN")).stdout)
    expect(await run("check", "XPO", "JPN")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(
        "passport: XPO is a document of Interpol: no rules are recorded for it. Give the holder's national passport.",
      ),
    })
    // A destination has no such code.
    expect((await run("check", "JPN", "D")).stderr).toContain("destination: ")
  })

  it("are accepted by the names of their people", async () => {
    const codeOf = async (text: string) => JSON.parse((await run("score", text, "--json")).stdout).passport
    for (const [text, code] of [
      ["french", "FRA"],
      ["Deutsch", "DEU"],
      ["русский", "RUS"],
      ["brasileiro", "BRA"],
      ["フランス人", "FRA"],
      ["中国人", "CHN"],
      ["한국인", "KOR"],
      ["người Nhật Bản", "JPN"],
      ["ชาวไทย", "THA"],
      ["هندي", "IND"],
      ["Pilipino", "PHL"],
      ["I-Kiribati", "KIR"],
      // As passports write it: the word for nationality is feminine.
      ["Française", "FRA"],
      ["ITALIANA", "ITA"],
      ["española", "ESP"],
      ["portuguesa", "PRT"],
      ["brasileira", "BRA"],
      ["alemã", "DEU"],
      ["tunisienne", "TUN"],
      ["österreichische", "AUT"],
      ["русская", "RUS"],
    ] as const)
      expect([text, await codeOf(text)]).toEqual([text, code])
    for (const [text, codes] of [
      ["dominican", ["DMA", "DOM"]],
      ["Congolese", ["COG", "COD"]],
      ["guinean", ["GNQ", "GIN", "GNB", "PNG"]],
      ["korean", ["PRK", "KOR"]],
      ["coréenne", ["PRK", "KOR"]],
      ["Samoan", ["ASM", "WSM"]],
    ] as const) {
      const { error } = JSON.parse((await run("score", text, "--json")).stdout)
      expect([text, error.code, error.did_you_mean.map(({ code }: { code: string }) => code)]).toEqual([
        text,
        "ambiguous_country",
        codes,
      ])
    }
  })

  it("of a dataset file are known too, and a country that it leaves out is still known as one", async () => {
    const folder = mkdtempSync(join(tmpdir(), "landfall-countries-"))
    const world = writeWorld(folder, { version: "countries.1", days: 90 })
    expect((await run("check", "AAA", "CCC", "--dataset", world)).status).toBe(0)
    expect(JSON.parse((await run("find", "AAA", "--dataset", world, "--json")).stdout).countries[0]).toEqual({
      code: "AAA",
      name: "AAA",
    })
    expect((await run("check", "AAA", "CCC")).status).toBe(2)
    expect(await run("check", "AAA", "france", "--dataset", world)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("AAA to FRA: No destination with this code is recorded."),
    })
    rmSync(folder, { recursive: true })
  })

  it("that may be several are listed, with exit code 2", async () => {
    const several = await run("check", "congo", "FRA")
    expect(several).toMatchObject({ status: 2, stdout: "" })
    expect(several.stderr).toContain('"congo" may mean COG (Congo - Brazzaville), COD (Congo - Kinshasa).')
    const near = await run("visa", "FRA", "Japna")
    expect(near).toMatchObject({ status: 2, stdout: "" })
    expect(near.stderr).toMatch(/no country is called "Japna"; is JPN \(Japan\).* meant\?/)
  })

  it("in two letters are refused with the same sentence by every command", async () => {
    const folder = mkdtempSync(join(tmpdir(), "landfall-letters-"))
    const put = (name: string, text: string) => {
      writeFileSync(join(folder, name), text)
      return join(folder, name)
    }
    const stay = { destination: "FR", from: "2026-01-01", to: "2026-01-02" }
    const trip = JSON.stringify({ passport: "FR", stops: [{ ...stay, destination: "JPN" }] })
    const calls = [
      ["check", "FR", "JPN"],
      ["explain", "FR", "JPN"],
      ["itinerary", put("trip.json", trip)],
      ["batch", put("trips.ndjson", `${trip}\n`), "--threads", "1"],
      ["batch", put("trips.csv", "passport,destination,from,to\nFR,JPN,2026-01-01,2026-01-02\n"), "--threads", "1"],
      ["convert", put("list.csv", "Name,Nationality\nSome,DEU\nOther,FR\n")],
      ["stays", put("stays.json", JSON.stringify([stay]))],
      ["stays", put("permits.json", JSON.stringify({ stays: [], permits: [{ ...stay, kind: "residence" }] }))],
    ]
    for (const call of calls) {
      const output = join(folder, "answers.ndjson")
      const { stdout, stderr } = await run(...call, ...(call[0] === "batch" ? ["-o", output] : []))
      const answers = call[0] === "batch" ? readFileSync(output, "utf8") : ""
      expect(`${call[0]}: ${stdout}${stderr}${answers}`).toMatch(/"?FR\W.*The code of France is FRA/)
    }
    rmSync(folder, { recursive: true })
  })

  it("are found by a part of a name", async () => {
    const { stdout } = await run("find", "guinea", "--json")
    const { countries } = JSON.parse(stdout) as { countries: readonly { readonly code: string }[] }
    expect(countries.map(({ code }) => code)).toEqual(["GIN", "GNB", "GNQ", "PNG"])
    expect((await run("find", "guinea")).stdout).toContain("Papua New Guinea")
    expect(JSON.parse((await run("find", "KOR", "--json")).stdout).countries[0]).toEqual({
      code: "KOR",
      name: "South Korea",
    })
    expect(await run("find", "qqqq")).toMatchObject({ status: 1, stdout: "" })
  })
})

describe("the files of places", () => {
  it.each([
    ["cities.json", PlacesRecord],
    ["regions.json", PlacesRecord],
    ["airports.json", AirportRecords],
  ] as const)("are written in the project's style: %s", (file, schema) => {
    const text = readFileSync(`data/${file}`, "utf8")
    expect(formatRecord(schema as typeof PlacesRecord, JSON.parse(text))).toBe(text)
  })

  it("name countries of the dataset, and each airport once", () => {
    const { airports } = JSON.parse(readFileSync("data/airports.json", "utf8")) as typeof AirportRecords.Type
    const regions = JSON.parse(readFileSync("data/regions.json", "utf8")) as PlacesRecord
    const { destinations } = embeddedDataset()
    const countries = [...airports.map(([, country]) => country), ...placesOf(regions).map(({ country }) => country)]
    for (const country of countries) expect(destinations).toContain(country)
    const codes = airports.map(([code]) => code)
    expect(codes).toEqual([...new Set(codes)].sort())
  })
})

describe("data/demonyms.json", () => {
  const text = readFileSync("data/demonyms.json", "utf8")
  const records = JSON.parse(text) as readonly {
    readonly code: string
    readonly names: Record<string, readonly string[]>
  }[]

  it("is written in the project's style, a country once, in the order of codes", () => {
    expect(formatRecord(DemonymRecords, records)).toBe(text)
    const codes = records.map(({ code }) => code)
    expect(codes).toEqual([...new Set(codes)].sort())
    for (const code of codes) expect(embeddedDataset().destinations).toContain(code)
  })

  it("has an English word for the people of every country that issues a passport", () => {
    const named = new Set(records.filter(({ names }) => (names.en ?? []).length > 0).map(({ code }) => code))
    expect(embeddedDataset().passports.filter(code => !named.has(code))).toEqual([])
  })

  it("finds the country by each of its words, alone or among others", async () => {
    const { openFinder } = await import("../../adapters/cli/find-code.ts")
    const { find } = await openFinder()
    for (const { code, names } of records) {
      for (const word of Object.values(names).flat()) {
        const match = find(word)
        const found =
          match.kind === "found" || match.kind === "two_letters"
            ? [match.code]
            : match.candidates.map(each => each.code)
        expect([word, found.includes(code)]).toEqual([word, true])
      }
    }
  })

  it("is refused with its file and field where it is malformed", () => {
    const read = readPlaceWords("test/fixtures", [])
    const message = Result.isFailure(read) ? (read.failure as { readonly message: string }).message : ""
    expect(message.split("\n")[0]).toBe("test/fixtures/demonyms.json: does not exist.")
  })
})
