import { readdirSync, readFileSync } from "node:fs"
import stringify from "json-stringify-pretty-compact"
import { describe, expect, it } from "vitest"
import { countStayDays } from "../../src/itinerary/stay-days.ts"
import type { ZoneTerms } from "../../src/trip/recorded.ts"
import type { Stay } from "../../src/trip/request-fields.ts"
import { loadZone, readZoneText, type ZoneFile } from "./zone-files.ts"

const folder = new URL("../../data/zones/", import.meta.url)
const ids = readdirSync(folder).map(name => name.replace(/\.json$/, ""))
const schengen = loadZone("schengen")

const countDays = (zone: ZoneTerms, stays: readonly Stay[], on: string) => {
  const counted = countStayDays(zone, stays, on)
  if (!counted.ok) throw new Error(counted.error.message)
  return counted.value.daysUsed
}

describe("data/zones", () => {
  it("holds Schengen and CA-4", () => {
    expect(ids).toEqual(["ca-4", "schengen"])
  })

  it.each(ids)("%s has the same bytes when it is written again, one member a line", id => {
    const text = readFileSync(new URL(`${id}.json`, folder), "utf8")
    const file = JSON.parse(text) as ZoneFile
    expect(`${stringify(file, { maxLength: 120 })}\n`).toBe(text)
    expect(text.split("\n").filter(line => line.includes('"code"'))).toHaveLength(file.members.length)
  })

  it.each(ids)("%s names each member once, in the order of codes, with calendar dates", id => {
    const file = JSON.parse(readZoneText(id)) as ZoneFile
    const codes = file.members.map(member => member.code)
    expect(codes).toEqual([...new Set(codes)].sort())
    for (const { code, from, until } of file.members) {
      expect(code).toMatch(/^[A-Z]{3}$/)
      for (const date of [from, until]) {
        if (date !== null) expect(new Date(`${date}T00:00:00Z`).toISOString().slice(0, 10)).toBe(date)
      }
    }
    expect(file.id).toBe(id)
    expect(file.source).not.toBeNull()
  })

  it("gives Schengen its 29 states, and Åland, Gibraltar and Monaco, where days count too", () => {
    const states =
      "AUT BEL BGR CHE CZE DEU DNK ESP EST FIN FRA GRC HRV HUN ISL ITA LIE LTU LUX LVA MLT NLD NOR POL PRT ROU SVK SVN SWE"
    expect(schengen.members.map(member => member.code)).toEqual([...states.split(" "), "ALA", "GIB", "MCO"].sort())
  })

  it("gives CA-4 its four states and 90 days from entry to exit", () => {
    const zone = loadZone("ca-4")
    expect(zone.members.map(member => member.code)).toEqual(["GTM", "HND", "NIC", "SLV"])
    expect(zone.rule).toEqual({ kind: "single-permission", allowanceDays: 90 })
  })
})

describe("the days of a zone", () => {
  it.each([
    ["Croatia from 2023-01-01", "HRV", "2022-12-30", "2023-01-02", 2],
    ["Croatia not before", "HRV", "2021-01-01", "2021-12-31", 0],
    ["Bulgaria from 2024-03-31, when its air and sea borders opened", "BGR", "2024-03-30", "2024-04-01", 2],
    ["Romania from 2024-03-31, not only from the end of land checks", "ROU", "2024-12-31", "2025-01-01", 2],
    ["Switzerland from 2008-12-12", "CHE", "2008-12-11", "2008-12-12", 1],
    ["Liechtenstein from 2011-12-19", "LIE", "2011-12-01", "2011-12-31", 13],
    ["the first seven from 1995-03-26", "FRA", "1995-03-01", "1995-03-31", 6],
    ["Cyprus on no day", "CYP", "2026-01-01", "2026-12-31", 0],
    ["Ireland on no day", "IRL", "2026-01-01", "2026-12-31", 0],
    ["Guadeloupe on no day", "GLP", "2026-01-01", "2026-12-31", 0],
  ])("counts %s", (_, destination, from, to, days) => {
    expect(countDays(schengen, [{ destination, from, to }], to)).toBe(days)
  })

  it("do not include the first day after a membership, and count again after a return", () => {
    const zone = {
      rule: { kind: "single-permission", allowanceDays: 90 } as const,
      members: [
        { code: "AAA", fromDay: 30, untilDay: null },
        { code: "AAA", fromDay: null, untilDay: 10 },
      ],
    }
    const stays = [{ destination: "AAA", from: "1970-01-01", to: "1970-02-10" }]
    // Days 0 to 9 since 1970-01-01, and days 30 to 40.
    expect(countDays(zone, stays, "1970-01-11")).toBe(10)
    expect(countDays(zone, stays, "1970-01-30")).toBe(0)
    expect(countDays(zone, stays, "1970-02-10")).toBe(11)
  })

  it("include a day that two stays share once", () => {
    const stay = (from: string, to: string) => ({ destination: "FRA", from, to })
    const stays = [
      stay("2024-10-04", "2024-10-08"),
      stay("2024-10-08", "2024-10-10"),
      stay("2024-10-11", "2024-10-12"),
      stay("2024-10-14", "2024-10-14"),
    ]
    expect(countDays(schengen, stays, "2024-10-14")).toBe(10)
  })
})
