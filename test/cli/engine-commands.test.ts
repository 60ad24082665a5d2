import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { diffDatasets, embeddedDataset, lookup, openDataset } from "../../src/index.ts"
import { run, runCli } from "./run.ts"

describe("landfall group", () => {
  it("prints a table for people, easiest first", async () => {
    const { status, stdout } = await run("group", "FRA,IND")
    expect(status).toBe(0)
    expect(stdout.split("\n")[0]).toMatch(
      /^destination\s+worst requirement\s+group visa free days\s+group stay\s+passports$/,
    )
    expect(stdout).toMatch(/\nFJI Fiji +visa_free +120 +days +FRA visa_free 120, IND visa_free 120\n/)
    expect(stdout).toMatch(/\ncount +\d+\n/)
  })

  it("prints the wire names for programs", async () => {
    const group = JSON.parse((await run("group", "FRA,IND", "--allow", "visa_free", "--json")).stdout)
    expect(group).toMatchObject({ passports: ["FRA", "IND"], allow: ["visa_free"], count: group.destinations.length })
    expect(group.destinations[0]).toMatchObject({
      worst_requirement: "visa_free",
      group_visa_free_days: expect.any(Number),
      passports: [
        { passport: "FRA", requirement: "visa_free", visa_free_days: expect.any(Number) },
        { passport: "IND" },
      ],
    })
  })

  it("ends with 2 for one passport and for a code that no country has, and with 1 for one that issues no passport", async () => {
    expect(await run("group", "FRA")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("passports: 2 to 10 entries are expected, not 1."),
    })
    expect(await run("group", "FRA,ZZZ")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("passports[1]: no country has the code ZZZ."),
    })
    expect(await run("group", "FRA,ATA")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("No passport with the code ATA is recorded."),
    })
  })
})

describe("landfall itinerary", () => {
  let folder = ""
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "landfall-itinerary-"))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const write = (name: string, value: unknown) => {
    const file = join(folder, name)
    writeFileSync(file, typeof value === "string" ? value : JSON.stringify(value))
    return file
  }

  it("lists blockers, conditions and unknowns", async () => {
    const file = write("trip.json", {
      passport: "FRA",
      passport_expiry: "2027-03-01",
      stops: [
        { destination: "IND", from: "2026-12-01", to: "2026-12-20" },
        { destination: "THA", from: "2026-12-21", to: "2027-11-20" },
      ],
      transit: ["ARE"],
      purpose: "tourism",
    })
    const { status, stdout } = await run("itinerary", file)
    expect(status).toBe(0)
    expect(stdout).toContain("BLOCKED")
    const allowed = lookup("FRA", "THA")
    if (allowed.kind !== "found") throw new Error("a visitor from France to Thailand is answered")
    expect(stdout).toContain(
      `stop 1: 335 days in THA by 2027-11-20: ${allowed.days} are allowed from one entry on. (stay_exceeded)`,
    )
    expect(stdout).toContain("(passport_expires_before_exit)")
    expect(stdout).toContain("stop 0: An electronic visa is needed before travel. (e_visa)")
    expect(stdout).toContain("purpose: This changes nothing here.")
    expect(JSON.parse((await run("itinerary", file, "--json")).stdout)).toMatchObject({
      verdict: "blocked",
      steps: [
        { destination: "IND", days: 20 },
        { days_accumulated: { granularity: "pair", status: "known", value: 335 } },
      ],
    })
  })

  it("names all stops of a thing to do, and its name once", async () => {
    const stay = (destination: string, from: string, to: string) => ({ destination, from, to })
    const indian = [
      stay("FRA", "2026-12-10", "2026-12-12"),
      stay("GBR", "2026-12-12", "2026-12-14"),
      stay("DEU", "2026-12-14", "2026-12-18"),
    ]
    const schengen = await run("itinerary", write("zone.json", { passport: "IND", stops: indian }))
    expect(schengen.stdout).toContain("  stops 0, 2: DEU: A visa is needed before travel. (apply from 2026-06-10, ")
    expect(schengen.stdout).toContain("  stop 1: GBR: A visa is needed before travel.")
    const taiwan = { passport: "TWN", stops: [stay("CHN", "2026-12-10", "2026-12-12")] }
    const { stdout } = await run("itinerary", write("permit.json", taiwan))
    expect(stdout.split("Mainland Travel Permit for Taiwan Residents").length - 1).toBe(2)
  })

  it("says from the next day on that a day to apply by has passed, also to several travellers and for an extension", async () => {
    const stops = [{ destination: "DEU", from: "2026-12-14", to: "2026-12-18" }]
    const canada = [{ destination: "CAN", from: "2026-12-14", to: "2027-07-20" }]
    const files = [
      write("one.json", { passport: "IND", stops }),
      write("two.json", { travellers: [{ passport: "IND" }, { passport: "IND" }], stops }),
      write("extended.json", { passport: "FRA", passport_expiry: "2031-01-01", stops: canada }),
    ]
    const listDays = async (now: string) => {
      vi.useFakeTimers({ now: Date.parse(now), toFake: ["Date"] })
      const texts: string[] = []
      for (const file of files) texts.push((await run("itinerary", file)).stdout)
      return texts.map(text => text.match(/apply by [-\d]+(?:, which has passed)?/g))
    }
    const passed = ", which has passed"
    try {
      const [visa, extension] = ["apply by 2026-11-26", "apply by 2027-06-14"]
      expect(await listDays("2026-11-26T23:59:59.999Z")).toEqual([[visa], [visa, visa], [extension]])
      const late = visa + passed
      expect(await listDays("2026-11-27T00:00:00Z")).toEqual([[late], [late, late], [extension]])
      expect((await listDays("2027-06-15T00:00:00Z"))[2]).toEqual([extension + passed])
    } finally {
      vi.useRealTimers()
    }
  })

  it("says that something has to be checked where a condition leaves the outcome unknown", async () => {
    const stops = [{ destination: "FRA", from: "2026-12-10", to: "2026-12-20" }]
    const georgian = write("checked.json", { passport: "GEO", passport_expiry: "2030-01-01", stops })
    const { stdout } = await run("itinerary", georgian)
    expect(stdout).toContain("UNKNOWN No blocker found, but something that decides is unknown or has to be checked.\n")
    expect(stdout).toContain("stop 0: The passport has to be of this kind: biometric. (passport_kind)")
  })

  it("points to what is unknown only if something is", async () => {
    const stops = [{ destination: "JPN", from: "2026-12-01", to: "2026-12-20" }]
    const { stdout } = await run(
      "itinerary",
      write("clear.json", { passport: "FRA", passport_expiry: "2031-01-01", stops }),
    )
    expect(stdout).toMatch(/CLEAR No blocker found\. That is not a permission to travel\.\n$/)
  })

  it("reads the request from the standard input where a file is named -", async () => {
    const request = { passport: "DEU", stops: [{ destination: "FRA", from: "2026-12-01", to: "2026-12-20" }] }
    expect(await runCli(["itinerary", "-", "--json"], { stdin: JSON.stringify(request) })).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('"verdict": "no_blocker_found"'),
    })
    expect(await runCli(["itinerary", "-"], { stdin: "{" })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("standard input: "),
    })
  })

  it("exits with 2 and a whole example for an invalid request", async () => {
    const file = write("bad.json", {
      passport: "fr",
      stops: [{ destination: "THA", from: "2026-12-10", to: "2026-12-01" }],
    })
    const { status, stderr } = await run("itinerary", file)
    expect(status).toBe(2)
    expect(stderr).toContain("stops[0].to:")
    expect(stderr).toContain('A whole one: {"passport":"FRA"')
    const broken = write("broken.json", '{"passport": "FRA",\n "stops": [}')
    expect(await run("itinerary", broken)).toMatchObject({ status: 2, stdout: "" })
    expect((await run("itinerary", broken)).stderr).toContain(
      `${broken}: is not JSON: Unexpected token '}' (line 2 column 12)\nUsage: landfall itinerary FILE`,
    )
    expect(await run("itinerary", folder)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`${folder}: is a folder, a file is expected.`),
    })
  })
})

describe("landfall stays", () => {
  const put = (content: unknown) => {
    const file = join(mkdtempSync(join(tmpdir(), "landfall-stays-")), "stays.json")
    writeFileSync(file, JSON.stringify(content))
    return file
  }

  it("does not count the days of a permit in its country, counts those before and after it and elsewhere, and says which", async () => {
    const file = put({
      stays: [
        { destination: "FRA", from: "2026-01-01", to: "2026-03-31" },
        { destination: "DEU", from: "2026-04-01", to: "2026-04-10" },
      ],
      permits: [{ destination: "FRA", kind: "national_visa", from: "2026-01-11", to: "2026-03-21" }],
    })
    // By hand: 10 days before the visa, 10 after it, and 10 in Germany.
    const { stdout } = await run("stays", file, "--on", "2026-04-10")
    expect(stdout).toMatch(/days used +30\n/)
    expect(stdout).toMatch(/not counted +FRA 2026-01-11 to 2026-03-21, 70 days: under a permit\n/)
    const report = JSON.parse((await run("stays", file, "--on", "2026-04-10", "--json")).stdout)
    expect(report).toMatchObject({ days_used: 30, not_counted: [{ index: 0, days: 70, reason: "permit" }] })
  })

  it("names agreements of a passport, whose days count, and does not count days at home or with freedom of movement", async () => {
    const stays = [
      { destination: "DNK", from: "2026-01-01", to: "2026-01-20" },
      { destination: "POL", from: "2026-01-21", to: "2026-01-30" },
    ]
    const { stdout } = await run("stays", put(stays), "--passport", "Canada", "--on", "2026-02-01")
    expect(stdout).toMatch(/days used +30\n/)
    expect(stdout).toMatch(/may be longer +DNK 2026-01-01 to 2026-01-20: .*, 90 days; its days are counted\n/)
    expect(stdout).not.toMatch(/may be longer +POL/)
    const report = JSON.parse(
      (await run("stays", put(stays), "--passport", "CAN", "--on", "2026-02-01", "--json")).stdout,
    )
    expect(report).toMatchObject({ passport: "CAN", agreements: [{ index: 0, destination: "DNK", days: 90 }] })
    const danish = JSON.parse(
      (await run("stays", put(stays), "--passport", "DNK", "--on", "2026-02-01", "--json")).stdout,
    )
    expect(danish).toMatchObject({
      days_used: 0,
      not_counted: [
        { index: 0, days: 20, reason: "home" },
        { index: 1, days: 10, reason: "free_movement" },
      ],
    })
  })

  it("names the agreement of a stay once where a permit divides it, and days before a country joined as such", async () => {
    const file = put({
      stays: [
        { destination: "HRV", from: "2022-12-22", to: "2023-01-10" },
        { destination: "FRA", from: "2026-01-01", to: "2026-03-31" },
      ],
      permits: [{ destination: "FRA", kind: "residence", from: "2026-01-11", to: "2026-03-21" }],
    })
    const report = async (passport: string) =>
      JSON.parse((await run("stays", file, "--passport", passport, "--on", "2026-04-10", "--json")).stdout)
    expect((await report("USA")).agreements).toMatchObject([{ index: 1, destination: "FRA" }])
    expect(
      (await report("DEU")).not_counted.filter(({ index }: { readonly index: number }) => index === 0),
    ).toMatchObject([
      { days: 10, reason: "not_member_then" },
      { days: 10, reason: "free_movement" },
    ])
  })

  it("refuses another field of a file, and a passport of no country", async () => {
    expect(await run("stays", put({ stays: [], permitz: [] }))).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("permitz: There is no such field; known: stays, permits."),
    })
    expect(await run("stays", put([null]), "--passport", "FRA")).toMatchObject({ status: 2 })
    expect(await run("stays", put([]), "--passport", "XQX")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("--passport: no country has the code XQX"),
    })
  })

  it("refuses permits with each mistake, and finds a zone by its name", async () => {
    const file = put({
      stays: [],
      permits: [{ destination: "fra", kind: "tourist", from: "2026-1-1", to: "2026-02-01", until: 1 }],
    })
    const { status, stderr } = await run("stays", file)
    expect(status).toBe(2)
    expect(stderr).toContain("permits[0].until: There is no such field; known: destination, kind, from, to.")
    expect(stderr).toContain('permits[0].destination: "fra" is not an ISO 3166-1 alpha-3 code: three capital letters.')
    expect(stderr).toContain('permits[0].kind: "tourist" is neither "residence" nor "national_visa".')
    expect(stderr).toContain('permits[0].from: "2026-1-1" is not a calendar date YYYY-MM-DD.')
    const unknown = put({
      stays: [],
      permits: [{ destination: "FRX", kind: "residence", from: "2026-01-01", to: "2026-02-01" }],
    })
    expect((await run("stays", unknown)).stderr).toContain("permits[0].destination: no country has the code FRX; is")
    const none = put([])
    for (const name of ["Schengen area", "SCHENGEN"]) {
      expect((await run("stays", none, "--zone", name, "--on", "2026-04-10")).stdout).toContain("Schengen area")
    }
  })

  it("names the file and the stay of a mistake as they were given, also where permits divide stays", async () => {
    const divided = { destination: "FRA", from: "2026-01-01", to: "2026-03-31" }
    const file = put({
      stays: [divided, { ...divided, destination: "fr", from: "2026-02-31" }],
      permits: [{ destination: "FRA", kind: "residence", from: "2026-01-11", to: "2026-01-20" }],
    })
    const { status, stderr } = await run("stays", file)
    expect({ status, mistakes: stderr.split("\n").slice(2, 5) }).toEqual({
      status: 2,
      mistakes: [
        `  ${file}: stays[1].destination: "fr" is not an ISO 3166-1 alpha-3 code: three capital letters. The code of France is FRA.`,
        `  ${file}: stays[1].from: "2026-02-31" is not a calendar date YYYY-MM-DD from 1900 to 2199.`,
        expect.stringMatching(/^Usage: /),
      ],
    })
  })

  it("counts the example's days, 31 and 41 and 31: the 91st is the 19th of the last stay", async () => {
    const { stdout } = await run("stays", "--zone", "schengen", "examples/stays.json", "--on", "2028-12-20", "--json")
    expect(JSON.parse(stdout)).toMatchObject({
      days_used: 103,
      days_remaining: 0,
      last_legal_day_on: "2028-12-07",
    })
  })

  it("finds the first day over Schengen's allowance", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "landfall-stays-")), "stays.json")
    const stay = (from: string, to: string) => ({ destination: "FRA", from, to })
    writeFileSync(
      file,
      JSON.stringify([
        stay("2023-01-10", "2023-02-08"),
        stay("2023-02-11", "2023-04-04"),
        stay("2023-07-01", "2023-07-30"),
      ]),
    )
    const report = JSON.parse(
      (await run("stays", "--zone", "schengen", file, "--on", "2023-07-08", "--days", "30", "--json")).stdout,
    )
    expect(report).toMatchObject({
      zone: "schengen",
      days_used: 91,
      days_remaining: 0,
      last_legal_day_on: "2023-07-07",
      breach: { first_breach_on: "2023-07-08", most_days_used: 91, days_over_allowance: 1 },
      earliest_entry_on: expect.stringMatching(/^2023-/),
    })
    expect((await run("stays", "--zone", "schengen", file, "--on", "2023-07-08")).stdout).toMatch(
      /first breach\s+2023-07-08/,
    )
    expect(await run("stays", "--zone", "mars", file)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--zone: "mars" is not one of'),
    })
    const broken = `${file}.broken`
    writeFileSync(broken, "[")
    expect(await run("stays", broken)).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/is not JSON: [\s\S]*Usage: landfall stays/),
    })
    expect(await run("stays", file, "--on", "8 July")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("on:"),
    })
    const misspelt = `${file}.misspelt`
    writeFileSync(
      misspelt,
      JSON.stringify([stay("2023-01-10", "2023-02-08"), { ...stay("2023-03-01", "2023-03-02"), destination: "FRX" }]),
    )
    expect(await run("stays", misspelt)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(
        "stays[1].destination: no country has the code FRX; is FRO (Faroe Islands), FRA (France) meant?",
      ),
    })
    const elsewhere = `${file}.elsewhere`
    writeFileSync(elsewhere, JSON.stringify([{ ...stay("2026-01-01", "2026-03-20"), destination: "CHN" }]))
    expect((await run("stays", elsewhere, "--on", "2026-04-01")).stdout).toMatch(
      /not counted\s+CHN 2026-01-01 to 2026-03-20, 79 days: not in the zone\n/,
    )
    expect(JSON.parse((await run("stays", elsewhere, "--on", "2026-04-01", "--json")).stdout)).toMatchObject({
      days_used: 0,
      not_counted: [{ index: 0, destination: "CHN", days: 79, reason: "outside_zone" }],
    })
    expect(await run("stays", "")).toMatchObject({ status: 1, stderr: expect.stringContaining('"": does not exist.') })
  })
})

describe("landfall best and landfall entrants", () => {
  it("choose a passport for every destination, and list who may enter one", async () => {
    const best = JSON.parse((await run("best", "USA,DEU", "--json")).stdout)
    expect(best.destinations.find((entry: { destination: string }) => entry.destination === "FRA").best.passport).toBe(
      "DEU",
    )
    expect((await run("entrants", "JPN")).stdout).toMatch(/^visa_free \(\d+\): .*FRA 90/)
  })
})

describe("landfall score, compare and rank", () => {
  it("print tables for people", async () => {
    expect((await run("score", "JPN")).stdout).toMatch(/^Japan \(JPN\): \d+\.\d of 1000, rank \d+ of 199/)
    expect((await run("compare", "JPN", "IND")).stdout).toMatch(/only JPN: .*\bFRA\b/)
    expect((await run("rank")).stdout).toMatch(/^rank +passport +score\n1 +SGP Singapore +\d/)
  })

  it("print the names of the wire for machines", async () => {
    expect(JSON.parse((await run("score", "JPN", "--json")).stdout)).toMatchObject({
      passport: "JPN",
      total_ranked: 199,
      breakdown: { access: { detail: { visa_free: expect.any(Number) } }, economy: { gdp_share: expect.any(Number) } },
    })
    expect(JSON.parse((await run("compare", "JPN", "IND", "--json")).stdout)).toMatchObject({
      passport1: { code: "JPN" },
      combined: { only_passport1_count: expect.any(Number), neither_count: expect.any(Number) },
      only_passport2: expect.any(Array),
    })
  })
})

describe("landfall visa", () => {
  it("prints a page for people in their language, and a record for machines", async () => {
    expect((await run("visa", "IND", "DEU", "--lang", "hi")).stdout).toMatch(/^# .*जर्मनी/)
    expect((await run("visa", "FRA", "JPN")).stdout).toMatch(/^# .*Japan/)
    expect(JSON.parse((await run("visa", "FRA", "JPN", "--lang", "ja", "--json")).stdout)).toMatchObject({
      passport: "FRA",
      destination: "JPN",
      requirement: "visa_free",
      description: expect.stringContaining("90日"),
      source_url: null,
      last_verified_at: null,
    })
  })

  it("exits with 2 for an unknown language, and with 1 without a record", async () => {
    expect(await run("visa", "FRA", "JPN", "--lang", "xx")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--lang: "xx" is not one of fr, en,'),
    })
    expect(await run("visa", "F1", "JPN")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('passport: no country is called "F1". An ISO 3166-1 alpha-3 code'),
    })
    expect(await run("visa", "FRA", "ATA")).toMatchObject({ status: 1 })
  })
})

describe("landfall explain", () => {
  it("names the claim that decided and those that it beat", async () => {
    const { stdout } = await run("explain", "LCA", "GBR")
    expect(stdout).toContain("claims/GBR claims[")
    expect(stdout.indexOf("claims/GBR claims[")).toBeLessThan(stdout.indexOf("claims/GBR tables["))
  })
})

describe("landfall diff", () => {
  it("lists the pairs that differ between an older file and today", async () => {
    const older = "test/fixtures/passport-index-2025-01-12.landfall"
    const answer = JSON.parse((await run("diff", older, "--fields", "requirement,days", "--json")).stdout)
    const opened = openDataset(new Uint8Array(readFileSync(older)))
    const differing = opened.ok
      ? diffDatasets(opened.value, embeddedDataset(), { fields: ["requirement", "days"] })
      : []
    expect(answer.count).toBe(differing.length)
    expect(answer.changes.length).toBe(differing.length)
    expect(answer.changes[0]).toMatchObject({
      passport: "AFG",
      previous: { requirement: expect.any(String) },
      severity: expect.stringMatching(/^(minor|major)$/),
    })
    expect((await run("diff", older, older)).stdout).toMatch(
      /^SCHEDULED\n(?:.+\n)+\nbefore +2025\.01\.12\nafter +2025\.01\.12\ncount +0\n/,
    )
    expect(await run("diff", older, "--fields", "colour")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--fields: "colour" is not one of'),
    })
  })
})
