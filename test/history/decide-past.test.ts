import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Decision, decideWithRemedies, type HeldDocument, type ItineraryRequest } from "../../src/engine.ts"
import { datasetWithPast, embeddedHistory } from "../../src/history.ts"
import { decide, embeddedDataset, isRequirement } from "../../src/index.ts"
import { oracleColumns, oracleDays, readTableOf } from "../oracles/past.ts"
import "../property-seed.ts"

const present = embeddedDataset()
const dataset = datasetWithPast(embeddedHistory(), present)

/** Decides on stops such as `CHN 2023-06-01 2023-06-10`. */
function judge(passport: string, stops: readonly string[], more: Partial<ItineraryRequest> = {}): Decision {
  const result = decideWithRemedies(dataset, {
    passport,
    passportExpiry: "2030-01-01",
    passportIssued: "2020-02-01",
    ...more,
    stops: stops.map(stop => {
      const [destination = "", from = "", to = ""] = stop.split(" ")
      return { destination, from, to }
    }),
  })
  if (!result.ok || result.value.kind !== "decided") throw new Error("nothing was decided")
  return result.value
}

const sayGaps = ({ unknowns }: Decision) => unknowns.map(({ field, code }) => `${field} ${code}`)

describe("a decision on a past journey", () => {
  it("requires what the table of the day of arrival says, for a hundred random pairs and days, read by the oracle", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...oracleDays),
        fc.constantFrom(...present.passports),
        fc.constantFrom(...oracleColumns),
        (on, passport, destination) => {
          // The dataset itself answers for the last of these days.
          if (passport === destination || on >= "2026-02-17") return
          const said = readTableOf(on, passport, destination)
          const [step] = judge(passport, [`${destination} ${on} ${on}`]).steps
          if (step === undefined) throw new Error("a step is missing")
          const { requirement, maxStay } = step
          if (said === null) expect(requirement).toMatchObject({ status: "unknown", code: "no_rule" })
          else if (isRequirement(said.word)) {
            expect(requirement).toMatchObject({ status: "known", value: said.word })
            if (said.days !== null && step.countedStay === null) expect(maxStay).toMatchObject({ value: said.days })
          }
        },
      ),
      { numRuns: 100 },
    )
  })

  it("says that the answer is imported, from when to when it was seen, and that nobody verified it", () => {
    const { steps, unknowns, conditions } = judge("FRA", ["CHN 2023-06-01 2023-06-10"])
    expect(conditions.map(({ code }) => code)).toEqual(["visa_required"])
    const [requirement] = steps.map(step => step.requirement)
    expect(requirement).toMatchObject({ answer: { source: { imported: true }, verifiedOn: null, citedOn: null } })
    expect(unknowns.find(({ code }) => code === "imported_past")).toMatchObject({
      field: "requirement",
      step: 0,
      params: { by: "2020-11-19", until: "2023-11-06" },
      reason:
        "What was needed then is what Passport Index data: 45 dated tables from 2020-11-19 to 2026-02-17 has from 2020-11-19 to 2023-11-06; it was not verified.",
    })
  })

  it("gives both answers on a day between two tables that differ, and chooses neither", () => {
    const decision = judge("FRA", ["CHN 2023-11-20 2023-11-25"])
    const params = { earlier: "visa_required", later: "visa_free", after: "2023-11-06", by: "2023-12-03" }
    expect(decision.steps[0]?.requirement).toMatchObject({
      status: "unknown",
      code: "rule_seen_between",
      params,
      reason:
        "Last seen on 2023-11-06: visa_required; first seen on 2023-12-03: visa_free. Which of the two held between is not known.",
    })
    expect([decision.conditions, decision.blockers]).toEqual([[], []])
    expect(sayGaps(decision)).toEqual([
      "requirement rule_seen_between",
      "maxStay rule_seen_between",
      "passportValidity no_rule_of_that_day",
    ])
  })

  it("keeps the requirement if only the days of stay differ", () => {
    const { steps, blockers } = judge("FRA", ["CHN 2024-11-20 2024-12-10"])
    expect(steps[0]).toMatchObject({
      requirement: { status: "known", value: "visa_free" },
      maxStay: { status: "unknown", code: "stay_seen_between", params: { earlier: 15, later: 30 } },
    })
    expect(blockers).toEqual([])
  })

  it("judges a stay by the allowed days of its time", () => {
    const { blockers } = judge("FRA", ["CHN 2024-03-01 2024-03-25"])
    expect(blockers.map(({ code, message }) => [code, message])).toEqual([
      ["stay_exceeded", "24 days in CHN by 2024-03-25: 15 are allowed from one entry on."],
    ])
    expect(judge("FRA", ["CHN 2025-01-02 2025-01-12"]).blockers).toEqual([])
  })

  it("has the authority's own day if it published its rules", () => {
    const at = (on: string) => judge("JOR", [`GBR ${on} ${on}`]).steps[0]?.requirement
    expect(at("2024-02-21")).toMatchObject({ value: "visa_required" })
    expect(at("2024-02-22")).toMatchObject({ value: "eta" })
    expect(at("2024-09-09")).toMatchObject({ value: "eta" })
    expect(at("2024-09-10")).toMatchObject({ value: "visa_required" })
  })

  it("refuses under a ban of the pandemic, and says what an ambiguous word of the table may mean", () => {
    expect(judge("FRA", ["ISR 2021-03-10 2021-03-18"]).blockers.map(({ code }) => code)).toEqual(["no_admission"])
    expect(judge("FRA", ["QAT 2022-12-10 2022-12-18"]).steps[0]?.requirement).toMatchObject({
      code: "past_word",
      params: { word: "hayya_permit" },
    })
  })

  it("names the first recorded day for an earlier one", () => {
    expect(judge("FRA", ["CHN 2019-06-01 2019-06-10"]).steps[0]?.requirement).toMatchObject({
      status: "unknown",
      code: "before_history",
      reason: "Nothing is recorded before 2020-11-19.",
    })
    expect(judge("IND", ["GRL 2023-06-01 2023-06-10"]).steps[0]?.requirement).toMatchObject({
      code: "unknown_destination",
    })
  })

  it("counts days in the Schengen area as its law has done since 2013, and judges the passport by it", () => {
    const stays = ["FRA 2023-01-10 2023-02-08", "DEU 2023-02-11 2023-04-04", "AUT 2023-07-01 2023-07-30"]
    const { blockers, steps } = judge("USA", stays, { passportExpiry: "2023-08-01", passportIssued: "2013-08-02" })
    expect(steps.map(({ zoneStay }) => zoneStay)).toMatchObject([{ value: 30 }, { value: 83 }, { value: 91 }])
    expect(blockers.map(({ code, step }) => [code, step])).toEqual([
      ["zone_stay_exceeded", 2],
      ["passport_validity_short", 2],
    ])
  })

  it("judges neither passport validity nor transit nor a waiver by the rules of today", () => {
    const held: readonly HeldDocument[] = [{ kind: "visa", issuer: "USA" }]
    const past = judge("IND", ["MEX 2022-03-10 2022-03-18"], { held, transit: ["GBR"], passportExpiry: "2022-03-20" })
    expect([past.conditions.map(({ code }) => code), past.blockers]).toEqual([["visa_required"], []])
    expect(sayGaps(past)).toEqual([
      "maxStay stay_set_by_permit",
      "passportValidity no_rule_of_that_day",
      "requirement imported_past",
      "transit[0].rule no_rule_of_that_day",
      "transit[0].permitted no_rule_of_that_day",
      "held[0] not_modelled",
    ])
    const own = judge("FRA", ["CHN 2023-06-01 2023-06-10"], { held: [{ kind: "visa", issuer: "CHN" }] })
    expect([own.conditions, own.held.map(({ steps }) => steps)]).toEqual([[], [[0]]])
  })

  it("says if a past stay is counted by the rule of today", () => {
    expect(sayGaps(judge("JOR", ["GBR 2024-05-01 2024-05-05"]))).toContain("countedStay stay_rule_of_today")
  })

  it("needs no history for citizens at home", () => {
    expect(judge("FRA", ["FRA 2021-03-10 2022-03-18"])).toMatchObject({
      blockers: [],
      unknowns: [{ code: "validity_for_visitors" }],
    })
  })

  it("answers for the days of the dataset like a decision without a history", () => {
    const later = { passport: "IND", stops: [{ destination: "THA", from: "2026-12-01", to: "2026-12-20" }] }
    const both = {
      passport: "IND",
      stops: [{ destination: "CHN", from: "2022-03-01", to: "2022-03-09" }, ...later.stops],
    }
    expect(decide(dataset, later)).toEqual(decide(present, later))
    const judged = [dataset, present].map(each => decide(each, both))
    const [withPast, without] = judged.map(each => (each.ok && each.value.kind === "decided" ? each.value : null))
    expect(withPast?.steps[1]).toEqual(without?.steps[1])
    expect(without?.steps[0]?.requirement).toMatchObject({ code: "before_dataset" })
    expect(withPast?.steps[0]?.requirement).toMatchObject({ status: "known", value: "visa_required" })
  })
})
