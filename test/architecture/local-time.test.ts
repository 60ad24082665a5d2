import { describe, expect, it } from "vitest"
import { takeReadings } from "../local-time.ts"

describe("code that depends on the machine's time zone", () => {
  it.each<[string, () => unknown]>([
    ["Date.getHours", () => new Date(0).getHours()],
    ["Date.getTimezoneOffset", () => new Date(0).getTimezoneOffset()],
    ["Date.setDate", () => new Date(0).setDate(2)],
    ["Date.toString", () => `${new Date(0)}`],
    ["Date.toLocaleDateString", () => new Date(0).toLocaleDateString("en")],
    ["new Date(year, month, …)", () => new Date(2026, 10, 21)],
    ['new Date("2026-11-21T00:00:00")', () => Date.parse("2026-11-21T00:00:00")],
    ["Intl.DateTimeFormat", () => new Intl.DateTimeFormat("en").format(0)],
  ])("fails its test: %s", (name, read) => {
    read()
    const readings = takeReadings()
    expect(readings).not.toEqual([])
    for (const reading of readings) expect(reading.startsWith(`${name} at `), reading).toBe(true)
  })

  it("does not include code that names its zone", () => {
    const date = new Date("2026-11-21")
    new Intl.DateTimeFormat("en", { timeZone: "UTC" }).format(date)
    date.toLocaleDateString("en", { timeZone: "Asia/Kolkata" })
    for (const text of ["2026-11-21T00:00:00Z", "2026-11-21T00:00:00+05:30", date.toUTCString()]) Date.parse(text)
    expect([date.toISOString(), date.getUTCHours(), takeReadings()]).toEqual(["2026-11-21T00:00:00.000Z", 0, []])
  })
})
