import { readdirSync, readFileSync } from "node:fs"
import stringify from "json-stringify-pretty-compact"
import { describe, expect, it } from "vitest"
import { addMemberDays, findMemberships } from "../../src/itinerary/zones.ts"
import { dayOf } from "../oracles/stay-days.ts"
import { loadZone, readZoneText, type ZoneFile } from "./zone-files.ts"

const folder = new URL("../../data/zones/", import.meta.url)
const ids = readdirSync(folder).map(name => name.replace(/\.json$/, ""))
const schengen = loadZone("schengen")

function countMemberDays(destination: string, from: string, to: string): number {
  const runs: number[] = []
  addMemberDays(runs, findMemberships(schengen, destination), dayOf(from), dayOf(to))
  let days = 0
  for (let i = 0; i < runs.length; i += 2) days += (runs[i + 1] as number) - (runs[i] as number) + 1
  return days
}

describe("data/zones", () => {
  it("holds Schengen and CA-4", () => {
    expect(ids).toEqual(["ca-4", "schengen"])
  })

  it.each(ids)("%s keeps every byte when it is written again, one member a line", id => {
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

describe("addMemberDays", () => {
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
    expect(countMemberDays(destination, from, to)).toBe(days)
  })

  it("leaves out the first day after a membership, and counts again after a return", () => {
    const zone = {
      rule: { kind: "single-permission", allowanceDays: 90 } as const,
      members: [
        { code: "AAA", fromDay: 30, untilDay: null },
        { code: "AAA", fromDay: null, untilDay: 10 },
      ],
    }
    const runs: number[] = []
    addMemberDays(runs, findMemberships(zone, "AAA"), 0, 40)
    expect(runs).toEqual([0, 9, 30, 40])
    const before: number[] = []
    addMemberDays(before, findMemberships(zone, "AAA"), 0, 10)
    expect(before).toEqual([0, 9])
  })

  it("joins stops that touch or follow on the next day, and keeps apart what a day separates", () => {
    const france = findMemberships(schengen, "FRA")
    const runs: number[] = []
    addMemberDays(runs, france, 20_000, 20_004)
    addMemberDays(runs, france, 20_004, 20_006)
    addMemberDays(runs, france, 20_007, 20_008)
    addMemberDays(runs, france, 20_010, 20_010)
    expect(runs).toEqual([20_000, 20_008, 20_010, 20_010])
  })
})
