/** Are pairs that were wrong before still right, and are undecided pairs marked as such? */
import { readFileSync } from "node:fs"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { readDataRecords } from "../../adapters/data-files/read-facts.ts"
import { decide, isRequirement } from "../../src/engine.ts"
import { describePair, embeddedDataset } from "../../src/index.ts"
import { run } from "../cli/run.ts"
import { startTestService } from "../http/service.ts"
import { openFacts, recordOf } from "../record/localised-facts.ts"

const ask = (passport: string, destination: string) => {
  const pair = describePair(embeddedDataset(), passport, destination)
  if (pair.kind !== "found") throw new Error(`${passport} ${destination}: ${pair.kind}`)
  return pair
}
const split = (pairs: string) => pairs.split(" ").map(pair => pair.split("-") as [string, string])

describe("a pair that was wrong before", () => {
  it.each([
    ["ISR-IRQ ISR-KWT", "no_admission", []],
    ["PHL-KWT IND-KWT", "visa_required", ["sponsor"]],
    ["LCA-IRL KNA-IRL NIC-IRL", "visa_required", []],
    ["USA-SLE DEU-SLE", "e_visa", []],
    ["GBR-SLE CAN-SLE", "visa_on_arrival", ["also"]],
    ["MNG-JPN IND-JPN", "visa_required", ["sponsor"]],
    ["VNM-JPN PHL-JPN", "visa_required", ["other"]],
    ["IND-SGP", "visa_required", ["sponsor"]],
    ["TUR-EGY", "visa_required", ["other"]],
    ["DEU-SYR GBR-SYR", "visa_required", []],
    ["XKX-SRB", "visa_free", ["special_document"]],
    ["ALB-AUT GEO-FRA MKD-HUN SRB-DEU UKR-POL XKX-ESP", "visa_free", ["passport_kind"]],
    ["LCA-SRB", "visa_free", []],
    ["PHL-SRB", "visa_required", []],
    ["BGD-IND", "e_visa", []],
    ["MWI-USA ZMB-USA GMB-USA MRT-USA TZA-USA", "visa_required", ["suspension", "exempt", "bond"]],
    ["STP-USA", "visa_required", ["bond"]],
    ["GBR-CPV DEU-CPV USA-CPV", "visa_free", ["registration"]],
    ["AUS-BLR JPN-BLR", "visa_free", ["entry_points"]],
    ["SAU-AZE OMN-AZE", "visa_free", []],
    ["BLZ-ARM BOL-ARM BTN-ARM DZA-ARM", "e_visa", []],
    ["XKX-KHM", "e_visa", []],
    ["PAK-KHM NGA-KHM", "visa_on_arrival", ["other", "also"]],
    ["BIH-GNB", "visa_on_arrival", ["other"]],
    ["FRA-USA TWN-USA MDA-ISR", "eta", ["passport_kind"]],
    ["ROU-CAN", "eta", ["passport_kind", "asked_at"]],
    ["SRB-RUS", "visa_free", ["passport_kind"]],
    ["PRK-KOR", "visa_required", ["special_document"]],
    ["USA-PRK", "no_admission", ["exempt", "other"]],
    ["USA-LBR CHN-LBR JPN-LBR ZAF-LBR", "visa_required", []],
    ["IND-LBR CAN-LBR", "e_visa", []],
  ] as const)("is right now: %s", (pairs, requirement, kinds) => {
    for (const [passport, destination] of split(pairs)) {
      const { answer, conditions } = ask(passport, destination)
      expect([passport, destination, answer.requirement, conditions.map(({ kind }) => kind)]).toEqual([
        passport,
        destination,
        requirement,
        kinds,
      ])
    }
  })
})

/** One line is a destination on a day: the passports, what is asked of them, and who says so. */
const SETTLED = readFileSync("test/data/settled-pairs.tsv", "utf8")
  .trimEnd()
  .split("\n")
  .slice(1)
  .map(line => line.split("\t") as [string, string, string, string, string])

describe("a pair whose rule was read with its day", () => {
  it.each(SETTLED)("has the answer of that day: %s to %s on %s, %s", (passports, destination, day, says, source) => {
    for (const passport of passports.split(" ")) {
      const pair = describePair(embeddedDataset(), passport, destination, { on: day })
      if (pair.kind !== "found") throw new Error(`${passport} ${destination}: ${pair.kind}`)
      const { requirement, days, source: by } = pair.answer
      const answer = days === null ? requirement : `${requirement} ${days}`
      expect([passport, answer, by?.id, pair.afterExpiry]).toEqual([passport, says, source, null])
    }
  })
})

it("What holds after an announced end is unknown, whatever was known before that day: the older answer is marked as ended", () => {
  const { claims } = Result.getOrThrow(readDataRecords("data"))
  const ends = claims.flatMap(({ destination, claims }) =>
    claims.flatMap(({ until = "", who, says }) =>
      isRequirement(says.split(" ")[0]) && until > embeddedDataset().asOf
        ? who.split(" ").map(passport => [passport, destination, until] as const)
        : [],
    ),
  )
  expect(ends.length).toBeGreaterThan(150)
  const certain = ends.filter(([passport, destination, on]) => {
    const pair = describePair(embeddedDataset(), passport, destination, { on })
    return pair.kind !== "found" || pair.stale !== "ended"
  })
  expect(certain).toEqual([])
})

it("The United States ask twelve more passports for a bond since 2 April 2026, and not before", () => {
  for (const passport of "ETH GEO GRD KHM LSO MNG MOZ MUS NIC PNG SYC TUN".split(" ")) {
    const kinds = (day: string) => {
      const pair = describePair(embeddedDataset(), passport, "USA", { on: day })
      return pair.kind === "found" ? pair.conditions.map(({ kind }) => kind) : pair.kind
    }
    expect([passport, kinds("2026-04-01"), kinds("2026-04-02")]).toEqual([passport, [], ["bond"]])
  }
})

describe("the days of a stay", () => {
  it("come from the table if the source that decided or agrees names none", () => {
    for (const [passport, destination] of split("ARE-LCA HKG-SGP FRA-VEN BIH-GNB")) {
      expect([passport, destination, ask(passport, destination).stayBasis]).toEqual([passport, destination, "table"])
    }
    for (const [passport, destination] of split("DEU-LCA GBR-VEN FRA-JPN FRA-DEU")) {
      expect([passport, destination, ask(passport, destination).stayBasis]).toEqual([passport, destination, null])
    }
  })

  it("are counted in any twelve months in Kiribati: `landfall check`, the record and the wire say so", async () => {
    const text = "Stay: at most 90 days, counted over a period of 365 days"
    expect((await run("check", "MWI", "KIR")).stdout).toContain(`\ncounted: ${text}\n`)
    const counted = expect.arrayContaining([expect.objectContaining({ kind: "counted", text })])
    expect(recordOf(await openFacts(), "MWI", "KIR").conditions).toEqual(counted)
    await using service = await startTestService()
    const reply = await service.ask("/api/v1/visa/check?passport=MWI&destination=KIR")
    expect(reply.read()).toMatchObject({ conditions: counted })
  })
})

it("Ireland requires a visa of Saint Lucia, Saint Kitts and Nevis and Nicaragua since 15 June 2026, and not before", () => {
  for (const passport of ["KNA", "LCA", "NIC"]) {
    const on = (day: string) => describePair(embeddedDataset(), passport, "IRL", { on: day })
    expect(on("2026-06-15")).toMatchObject({ answer: { requirement: "visa_required" } })
    expect(on("2026-06-14")).toMatchObject({ answer: { requirement: "visa_free" } })
  }
})

const UNSETTLED = [
  "CHN-MDV GUY-MDV IND-MDV MNG-MDV RUS-MDV",
  "BRA-BGD IDN-BGD IRL-BGD ISR-BGD MLT-BGD",
  "CIV-LBN GHA-LBN NGA-LBN TUR-LBN RUS-JOR SYR-JOR TUR-JOR",
  "IRL-SEN CUB-MNG UKR-MNG DEU-GNB CHN-KWT SRB-KWT TUR-LBY CIV-MAR EGY-MAR MLI-MAR",
  "MCO-VUT RWA-VUT TUR-VUT TWN-NIC HTI-ECU MNE-QAT MAC-QAT ISR-OMN",
].join(" ")

describe("an undecided pair", () => {
  it.each(split(UNSETTLED))("is disputed and open, with the contradiction: %s %s", (passport, destination) => {
    const { corroboration } = ask(passport, destination)
    expect(corroboration).toMatchObject({ agrees: false, isOpen: true, reason: expect.stringMatching(/\S{3}/) })
  })

  it("is marked in `landfall check`, in the record and on the wire", async () => {
    const because = "the portal's list asks for no authorisation, the ministry's list for an AEVM"
    const disputed = { requirement: "visa_free", checked_on: "2026-10-03", because, open: true }
    expect((await run("check", "MLI", "MAR")).stdout).toContain(
      `says visa_free, checked on 2026-10-03\nnothing decides: ${because}\n`,
    )
    expect(recordOf(await openFacts(), "MLI", "MAR").disputed).toMatchObject(disputed)
    await using service = await startTestService({ env: { LANDFALL_PUBLIC_URL: "https://visa.localhost" } })
    const reply = await service.ask("/api/v1/visa/check?passport=MLI&destination=MAR")
    expect(reply.read()).toMatchObject({ disputed })
  })

  it("is an unknown of a decision, about the requirement", () => {
    const stops = [{ destination: "MAR", from: "2026-12-01", to: "2026-12-05" }]
    const decided = decide(embeddedDataset(), { passport: "MLI", passportExpiry: "2030-01-01", stops })
    const unknowns = decided.ok && decided.value.kind === "decided" ? decided.value.unknowns : []
    expect(unknowns).toContainEqual(
      expect.objectContaining({
        field: "requirement",
        step: 0,
        code: "disputed",
        reason: "Sources contradict each other about what is needed: eta 90 / visa_free",
      }),
    )
  })
})

it("a permission that has ended is marked as ended", async () => {
  for (const passport of ["BLR", "RUS", "SAU", "TUR"]) {
    expect((await run("check", passport, "MNE")).stdout).toContain(
      "after expiry: visa_free, up to 30 days was announced until 2026-10-31; nothing newer is recorded\n",
    )
  }
})

describe("the words about evidence", () => {
  it("do not claim an official page for a report without a day", async () => {
    const { stdout } = await run("check", "ISR", "IRQ")
    expect(stdout).toContain("each named by its address, which names no day\n")
    expect(stdout).not.toContain("official page")
  })
})
