/**
 * Eight passports at 56 hubs, inside the international area: whatever the state's own list decides is known.
 *
 * Sources: 8 U.S.C. 1225(a) and 1187(a)(11): whoever lands in the United States is inspected, and a visitor without a visa has an ESTA. Immigration and
 * Refugee Protection Regulations (Canada), ss. 7 to 7.1 and 190. Immigration New Zealand, transit visa waiver countries. Law on Migration (Mexico), art. 37.
 */
import { describe, expect, it } from "vitest"
import { isRequirement } from "../../src/codes.ts"
import { embeddedDataset, type ItineraryRequest, lookup } from "../../src/index.ts"
import { decided, stay } from "./decisions.ts"

const PASSPORTS = "IND PAK NGA PHL CHN USA GBR BRA".split(" ")
const HUBS = (
  "ARE QAT AUS USA KWT JPN HKG GBR TWN TUR THA SGP SAU PRT PHL OMN NZL NLD MYS MAR LKA KOR KEN ITA ISL IRL IND FRA " +
  "FIN ESP DEU CHN CHE CAN BHR BEL AUT BRA ETH EGY PAN MEX COL ZAF RUS POL DNK NOR SWE GRC CZE HUN VNM IDN PER JOR"
).split(" ")

const today = embeddedDataset()
const DATES = { passportExpiry: "2033-01-01", passportIssued: "2025-01-01" }

/** Whether a change inside is permitted, what has to be obtained for it, or why that is not known. */
function change(passport: string, country: string, more: Partial<ItineraryRequest> = {}): string {
  const stops = [stay(country === "THA" ? "VNM" : "THA", "2026-12-10", "2026-12-15")]
  const asked = { passport, ...DATES, stops, transit: [{ country, airside: true }], ...more }
  const { transit, toDo } = decided(today, asked)
  const { permitted } = transit[0]!
  const needed = toDo.find(({ transits, code }) => transits !== undefined && isRequirement(code))?.code
  return permitted.status === "known" ? (needed ?? permitted.value) : permitted.code
}

/** Citizens of the Bahamas need no visa if they are inspected there before the flight (8 CFR 212.1(a)(3)), which is not asked for. */
const OPEN: Readonly<Record<string, readonly string[]>> = { USA: ["BHS"] }

/** At whom it is not known, and why. */
const UNKNOWN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // A visa is asked for on the way to four countries.
  TUR: { transit_conditional: "IND" },
}

describe("a change of planes inside the international area", () => {
  it("is known for eight passports at 56 hubs, but for those of whose rules no list was found", () => {
    expect(new Set(HUBS).size).toBe(56)
    const unknown: Record<string, Record<string, string>> = {}
    for (const country of HUBS) {
      for (const passport of PASSPORTS) {
        const found = change(passport, country)
        if (["yes", "no", "eta", "e_visa", "visa_on_arrival"].includes(found)) continue
        const known = unknown[country] ?? {}
        unknown[country] = { ...known, [found]: `${known[found] ?? ""} ${passport}`.trim() }
      }
    }
    expect(unknown).toEqual(UNKNOWN)
  })

  it("is possible in the United States with an ESTA, with what it is given for, or with a visa, and for its nationals", () => {
    const visa = { kind: "visa", issuer: "USA", validUntil: "2030-01-01" } as const
    expect(change("GBR", "USA")).toBe("eta")
    expect(change("GBR", "USA", { held: [{ kind: "eta", issuer: "USA" }] })).toBe("yes")
    expect(change("USA", "USA")).toBe("yes")
    expect(change("CAN", "USA")).toBe("yes")
    expect(change("IND", "USA")).toBe("no")
    expect(change("IND", "USA", { held: [visa] })).toBe("yes")
    // 8 U.S.C. 1187(a)(12): who was in Cuba needs a visa.
    const earlierStays = [stay("CUB", "2024-12-10", "2024-12-15")]
    expect(change("GBR", "USA", { earlierStays })).toBe("no")
    expect(change("GBR", "USA", { earlierStays, held: [visa] })).toBe("yes")
  })

  it("is possible in the United States with a visa as far as an entry on it is", () => {
    const visa = { kind: "visa", issuer: "USA", type: "B1/B2", validUntil: "2030-01-01" } as const
    // Proclamation 10949: entry is suspended but for holders of a visa of before it.
    expect(change("AFG", "USA", { held: [{ ...visa, issuedOn: "2024-01-01" }] })).toBe("yes")
    expect(change("AFG", "USA", { held: [visa] })).toBe("transit_needs_entry")
    expect(change("AFG", "USA", { held: [{ ...visa, issuedOn: "2026-08-01" }] })).toBe("no")
    // 8 U.S.C. 1182(a)(7)(B)(i)(I): valid for six months more, but for some countries.
    const short = { passportExpiry: "2027-02-01", held: [visa] }
    expect([change("VNM", "USA", short), change("IND", "USA", short)]).toEqual(["no", "yes"])
    // 8 U.S.C. 1185(b): a citizen uses his own passport.
    const citizen = [
      { passport: "IND", ...DATES },
      { passport: "USA", passportExpiry: "2026-01-01" },
    ]
    const stops = [stay("MEX", "2026-12-10", "2026-12-15")]
    const asked = { passports: citizen, stops, held: [visa], transit: [{ country: "USA", airside: true }] }
    expect(decided(today, asked).blockers).toMatchObject([{ transit: 0, params: { because: "passport" } }])
    // A visa for one entry may be used up by a stop.
    const once = { held: [{ ...visa, entries: 1 }] }
    expect(change("IND", "USA", once)).toBe("yes")
    expect(change("IND", "USA", { ...once, stops: [stay("USA", "2026-12-10", "2026-12-15")] })).toBe(
      "transit_needs_entry",
    )
    // Who lives there is not said to have a permit.
    expect(change("IND", "USA", { residence: "USA" })).toBe("transit_document_to_check")
  })

  it("needs an eTA in Canada of who needs none by land, but not of nationals and permanent residents of the United States", () => {
    expect(change("GBR", "CAN")).toBe("eta")
    expect(change("GBR", "CAN", { held: [{ kind: "eta", issuer: "CAN" }] })).toBe("yes")
    expect(change("USA", "CAN")).toBe("yes")
    expect(change("IND", "CAN")).toBe("no")
    const greenCard = { kind: "residence_permit", issuer: "USA", permanent: true, validUntil: "2030-01-01" } as const
    expect(change("IND", "CAN", { held: [greenCard] })).toBe("yes")
    // With a visa of the United States citizens of some countries get an eTA.
    const visa = { kind: "visa", issuer: "USA", type: "B1/B2", validUntil: "2030-01-01" } as const
    expect(change("BRA", "CAN", { held: [visa] })).toBe("eta")
    expect(change("IND", "CAN", { held: [visa] })).not.toBe("yes")
  })

  it("needs an NZeTA in New Zealand of countries whose citizens need no visa to enter or in transit", () => {
    expect(["GBR", "PHL", "CHN"].map(each => change(each, "NZL"))).toEqual(["eta", "eta", "eta"])
    for (const passport of ["GBR", "PHL"]) {
      expect(change(passport, "NZL", { held: [{ kind: "eta", issuer: "NZL" }] })).toBe("yes")
    }
    // One that has ended by the last day does not hide another one.
    const held = ["2026-12-12", "2027-12-01"].map(validUntil => ({ kind: "eta", issuer: "NZL", validUntil }) as const)
    expect([change("PHL", "NZL", { held: held.slice(0, 1) }), change("PHL", "NZL", { held })]).toEqual(["eta", "yes"])
    // Operational Manual, A2.5: valid for three months after the departure.
    expect(change("PHL", "NZL", { passportExpiry: "2027-03-01" })).toBe("no")
    expect(change("AUS", "NZL")).toBe("yes")
    // Its visa for visitors is applied for online.
    expect(change("NGA", "NZL")).toBe("e_visa")
  })

  it("asks in the United States, Canada and Mexico what an entry asks, of every passport", () => {
    for (const country of ["USA", "CAN", "MEX"]) {
      const wrong = today.passports.filter(passport => {
        const entry = lookup(passport, country)
        if (entry.kind !== "found" || passport === country) return false
        const found = change(passport, country)
        const expected = { visa_free: "yes", visa_required: "no", no_admission: "no" }[entry.requirement as "visa_free"]
        return found !== (expected ?? entry.requirement)
      })
      expect([country, ...wrong]).toEqual([country, ...(OPEN[country] ?? [])])
    }
  })

  it("uses no days of a stay there", () => {
    // 90 days of the last 90 were spent there.
    const earlierStays = [stay("USA", "2026-09-10", "2026-12-08")]
    expect(change("GBR", "USA", { held: [{ kind: "eta", issuer: "USA" }], earlierStays })).toBe("yes")
  })

  it("shares what is obtained with the stops and with other transits", () => {
    const stops = [stay("USA", "2026-12-10", "2026-12-15"), stay("JAM", "2026-12-16", "2026-12-20")]
    const { toDo, outcome } = decided(today, { passport: "GBR", ...DATES, stops, transit: ["USA", "CAN", "USA"] })
    expect(outcome).toBe("obtain")
    expect(toDo.filter(({ code }) => code === "eta")).toMatchObject([
      { destination: "USA", step: 0, steps: [0], transits: [0, 2] },
      { destination: "CAN", step: null, steps: [], transits: [1] },
    ])
  })
})
