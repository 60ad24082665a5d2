import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { lookup } from "../../src/index.ts"

const passports = (JSON.parse(readFileSync("data/passports.json", "utf8")) as { code: string }[]).map(
  ({ code }) => code,
)

function ask(passport: string, destination: string, on = "2026-11-21") {
  const answer = lookup(passport, destination, { on })
  return answer.kind === "found" ? `${answer.requirement} ${answer.days ?? "-"}` : answer.kind
}

describe("the visa lists of territories", () => {
  it.each(["ABW", "AIA", "BES", "BMU", "CUW", "GIB", "SHN", "SXM", "TCA"])("answer for every passport in %s", code => {
    expect(passports.filter(passport => ask(passport, code) === "no_record")).toEqual([])
  })

  it.each([
    ["CYM", ["SSD"]],
    ["MSR", ["XKX"]],
    ["NIU", ["GBR", "PRT"]],
  ])("leave out in %s the passports that the sources leave open", (code, silent) => {
    expect(passports.filter(passport => ask(passport, code) === "no_record")).toEqual(silent)
  })

  it("let a Jamaican without a visa into Curaçao alone of the Dutch Caribbean", () => {
    expect(["ABW", "BES", "CUW", "SXM"].map(code => ask("JAM", code))).toEqual([
      "visa_required -",
      "visa_required -",
      "visa_free 90",
      "visa_required -",
    ])
  })

  it("give Dutch and U.S. nationals 180 days in the Dutch Caribbean, and Schengen nationals only in Aruba", () => {
    expect(["NLD", "USA", "DEU", "IRL"].map(passport => ask(passport, "ABW"))).toEqual([
      "visa_free 180",
      "visa_free 180",
      "visa_free 180",
      "visa_free 90",
    ])
    expect(["NLD", "USA", "DEU"].map(passport => ask(passport, "BES"))).toEqual([
      "visa_free 180",
      "visa_free 180",
      "visa_free 90",
    ])
  })

  it("follow Schengen in Gibraltar from 2026-07-15, and have no record for most passports before", () => {
    expect(["GBR", "JPN", "IND", "FRA"].map(passport => ask(passport, "GIB", "2026-07-14"))).toEqual([
      "visa_free -",
      "no_record",
      "no_record",
      "no_record",
    ])
    expect(["GBR", "JPN", "IND", "FRA"].map(passport => ask(passport, "GIB", "2026-07-15"))).toEqual([
      "visa_free 90",
      "visa_free 90",
      "visa_required -",
      "visa_free -",
    ])
  })

  it("agree with the Schengen area on who needs a visa for Gibraltar", () => {
    const others = passports.filter(passport => passport !== "ESP" && ask(passport, "ESP") !== "no_record")
    const differing = others.filter(
      passport => ask(passport, "GIB").startsWith("visa_free") !== ask(passport, "ESP").startsWith("visa_free"),
    )
    expect(differing).toEqual([])
  })

  it("claim no verification that did not happen", () => {
    for (const code of ["ABW", "AIA", "BMU", "CYM", "GIB", "MSR", "NIU", "SHN", "TCA"]) {
      const answer = lookup("JPN", code)
      expect(answer.kind === "found" && answer.source?.url, code).toMatch(/^https:\/\//)
      expect(answer.kind === "found" && answer.verifiedOn, code).toBeNull()
    }
  })
})
