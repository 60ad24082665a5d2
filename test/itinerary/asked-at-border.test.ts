/**
 * What is asked by some borders alone: Immigration and Refugee Protection Regulations, SOR/2002-227, s. 7.1(1) (an electronic travel authorization of
 * who "seeks to enter Canada by air" and needs no visa) and s. 7.01(1) (of who needs one, by air alone); Mexico's Sistema de Autorización
 * Electrónica, which is good by air alone. The United States ask for theirs by land too (87 FR 18967, since 2022-10-01).
 */
import { describe, expect, it } from "vitest"
import { describePair } from "../../src/engine.ts"
import { embeddedDataset } from "../../src/index.ts"
import type { ItineraryRequest } from "../../src/trip/request-fields.ts"
import { decided, stay } from "./decisions.ts"

const dataset = embeddedDataset()
const dates = { passportExpiry: "2035-01-01", passportIssued: "2026-06-01" }
const week = (destination: string, by?: "air" | "land" | "sea") => ({
  ...stay(destination, "2027-03-01", "2027-03-07"),
  ...(by === undefined ? {} : { by }),
})
const found = (request: Omit<ItineraryRequest, "passportExpiry">) => {
  const { outcome, conditions, blockers, steps, unknowns, held } = decided(dataset, { ...dates, ...request } as never)
  const { requirement, maxStay } = steps[0]!
  return {
    outcome,
    codes: [...blockers, ...conditions].map(({ code }) => code),
    asked: requirement.status === "known" ? requirement.value : null,
    stay: maxStay.status === "known" ? maxStay.value : null,
    unknown: unknowns.map(({ field }) => field),
    held: held.map(({ steps }) => steps),
  }
}

describe("the eTA of Canada", () => {
  it("is required by air, and not by land or sea", () => {
    const flown = found({ passport: "FRA", stops: [week("CAN", "air")] })
    expect(flown).toMatchObject({ outcome: "obtain", codes: ["eta"] })
    for (const by of ["land", "sea"] as const) {
      expect(found({ passport: "FRA", stops: [week("CAN", by)] })).toMatchObject({
        ...{ outcome: "clear", codes: [], asked: "visa_free", stay: flown.stay },
      })
    }
  })

  it("is required if the mode of arrival is not given, with the borders that require it", () => {
    expect(found({ passport: "FRA", stops: [week("CAN")] })).toMatchObject({
      ...{ outcome: "obtain", codes: ["eta", "asked_at"] },
    })
    const { conditions } = decided(dataset, { passport: "FRA", ...dates, stops: [week("CAN")] })
    expect(conditions[1]).toMatchObject({
      message: "It is asked of arrivals by air only. Others enter without a visa.",
      params: { destination: "CAN", borders: ["air"], elsewhere: "visa_free" },
    })
  })

  it("changes nothing by land if it is held, and is told so", () => {
    const held = [{ kind: "eta" as const, issuer: "CAN" }]
    expect(found({ passport: "FRA", held, stops: [week("CAN", "land")] })).toMatchObject({
      ...{ outcome: "clear", unknown: ["held[0]"], held: [[]] },
    })
    expect(found({ passport: "FRA", held, stops: [week("CAN", "air")] })).toMatchObject({
      ...{ outcome: "clear", unknown: [], held: [[0]] },
    })
  })

  it("allows six months by land as by air (s. 183(2))", () => {
    const until = (to: string) =>
      found({ passport: "FRA", stops: [{ ...stay("CAN", "2027-01-01", to), by: "land" as const }] }).outcome
    expect(until("2027-07-01")).toBe("clear")
    expect(until("2027-07-02")).toBe("blocked")
  })

  it("never replaces a required visa by land (s. 7.01(1))", () => {
    const held = [{ kind: "visa" as const, issuer: "USA", type: "B1/B2", validUntil: "2030-01-01" }]
    expect(found({ passport: "BRA", held, stops: [week("CAN", "air")] }).codes).toEqual(["eta"])
    expect(found({ passport: "BRA", held, stops: [week("CAN", "land")] }).codes).toEqual(["visa_required"])
  })

  it("is not lifted by land for a Romanian passport without a chip, which needs a visa", () => {
    const romanian = { passport: "ROU", passportBiometric: false, stops: [week("CAN", "land")] }
    expect(found(romanian)).toMatchObject({ outcome: "obtain", asked: "visa_required" })
  })

  it("is required for a change of planes outside the international area, and not for a transit by land", () => {
    const permitted = (by: "air" | "land") => {
      const transit = [{ country: "CAN", by, ...(by === "air" ? { airside: false } : {}) }]
      const decision = decided(dataset, { passport: "FRA", ...dates, transit, stops: [week("JPN")] })
      expect(decision.transit[0]!.permitted).toMatchObject({ status: "known", value: "yes" })
      return decision.toDo.filter(({ transits }) => transits).map(({ code, destination }) => [code, destination])
    }
    expect(permitted("air")).toEqual([["eta", "CAN"]])
    expect(permitted("land")).toEqual([])
    expect(permitted("air")).toEqual([["eta", "CAN"]])
  })

  it("is named with its borders in the long form of a lookup", () => {
    const pair = describePair(dataset, "FRA", "CAN")
    expect(pair.kind === "found" && pair.conditions).toMatchObject([
      { kind: "asked_at", borders: ["air"], elsewhere: "visa_free", source: { id: "can-irpr" } },
    ])
  })
})

describe("other authorisations", () => {
  it("of Mexico are valid by air only: by land a visa is needed", () => {
    expect(found({ passport: "TUR", stops: [week("MEX", "air")] }).codes).toEqual(["eta"])
    expect(found({ passport: "TUR", stops: [week("MEX", "land")] })).toMatchObject({
      ...{ outcome: "obtain", asked: "visa_required", codes: ["visa_required"], stay: null },
    })
  })

  it.each(["USA", "GBR", "KOR", "AUS", "ISR"])("of %s are asked by every border", destination => {
    for (const by of ["land", "sea", "air"] as const) {
      const passport = destination === "GBR" || destination === "AUS" ? "FRA" : destination === "KOR" ? "ARG" : "DEU"
      expect(found({ passport, stops: [week(destination, by)] }).codes).toContain(
        destination === "AUS" ? found({ passport, stops: [week(destination)] }).codes[0] : "eta",
      )
    }
  })

  it("of New Zealand serve passengers of cruise ships who need a visa otherwise", () => {
    const { conditions } = decided(dataset, { passport: "IND", ...dates, stops: [week("NZL", "sea")] })
    expect(conditions.map(({ message }) => message)).toContain(
      "The same entry can also be had in another way: with a travel authorisation, if this is so: the traveller arrives as a passenger of a cruise ship.",
    )
  })
})
