import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { easeRank, isRequirement } from "../../src/codes.ts"
import { chooseBestPassports, embeddedDataset } from "../../src/index.ts"
import { decide } from "../../src/trip/judge.ts"
import * as REASONS from "../../src/trip/reasons.ts"
import { weigh } from "../../src/trip/reasons.ts"
import { decided, reasonsOf, SAID, stay } from "./decisions.ts"

const embedded = embeddedDataset()

describe("passports", () => {
  it("without any record are distinguished from an itinerary that was judged", () => {
    const request = { passport: "ZZZ", stops: [stay("FRA", "2026-12-01", "2026-12-05")] }
    expect(decide(embedded, request)).toEqual({
      ok: true,
      value: { kind: "no_record", reason: "unknown_passport", message: "No passport with this code is recorded." },
    })
    expect(decide(embedded, { passports: ["ZZZ", "YYY"], stops: request.stops })).toMatchObject({
      value: { kind: "no_record" },
    })
  })

  it("of one traveller may be bare codes; one that is not recorded is a gap, and not used", () => {
    const decision = decided(embedded, {
      passports: ["ZZZ", { passport: "DEU" }],
      stops: [stay("FRA", "2026-12-01", "2026-12-05")],
    })
    const given = decision.passports.map(each => Object.entries(each).filter(([, value]) => value !== null))
    expect(given).toEqual([[["passport", "ZZZ"]], [["passport", "DEU"]]])
    expect(decision.steps[0]?.passport).toBe("DEU")
    expect(reasonsOf(decision).slice(-2)).toEqual([
      `- passports[0].passport: ${SAID.no_passport_record}`,
      `- passports[1].passportExpiry: ${SAID.expiry_not_given}`,
    ])
  })

  it("that have expired on arrival are used only when there is no other", () => {
    const passportAt = (...expiries: string[]) =>
      decided(embedded, {
        passports: [
          { passport: "DEU", passportExpiry: expiries[0] },
          { passport: "USA", passportExpiry: expiries[1] },
        ],
        stops: [stay("FRA", "2026-12-01", "2026-12-05")],
      }).steps[0]?.passport
    expect(passportAt("2030-01-01", "2030-01-01")).toBe("DEU")
    expect(passportAt("2026-11-30", "2030-01-01")).toBe("USA")
    expect(passportAt("2026-11-30", "2026-11-30")).toBe("DEU")
  })

  it("that end too early for a stop are used only when there is no other, even if another needs a visa", () => {
    const decisionWith = (american: string, indian: string, issued?: string) => {
      const { steps, verdict } = decided(embedded, {
        passports: [
          { passport: "USA", passportExpiry: american, passportIssued: issued },
          { passport: "IND", passportExpiry: indian },
        ],
        stops: [stay("FRA", "2026-12-01", "2026-12-20")],
      })
      return `${steps[0]?.passport} ${verdict}`
    }
    // Three months after leaving, issued within ten years (Regulation (EU) 2016/399, Art. 6(1)(a)).
    expect(decisionWith("2027-03-20", "2030-01-01")).toBe("USA no_blocker_found")
    expect(decisionWith("2027-03-19", "2030-01-01")).toBe("IND no_blocker_found")
    expect(decisionWith("2026-12-19", "2030-01-01")).toBe("IND no_blocker_found")
    expect(decisionWith("2030-01-01", "2030-01-01", "2016-12-01")).toBe("IND no_blocker_found")
    expect(decisionWith("2027-03-19", "2027-03-19")).toBe("USA blocked")
    expect(decisionWith("2026-11-30", "2026-12-10")).toBe("IND blocked")
  })

  it("are chosen at a stop as the best of several passports is, among those with as few blockers and unknowns", () => {
    // A nationality of one of these bars from the visa waiver of the United States, whatever passport is used.
    const free = embedded.passports.filter(code => !["CUB", "IRN", "IRQ", "PRK", "SDN", "SYR"].includes(code))
    const holders = fc.uniqueArray(fc.constantFrom(...free, "MLI", "BEN", "USA"), {
      minLength: 2,
      maxLength: 4,
    })
    const dated = (passport: string) => ({ passport, passportExpiry: "2040-01-01", passportIssued: "2026-01-01" })
    fc.assert(
      fc.property(holders, fc.constantFrom(...embedded.destinations), (passports, destination) => {
        const stops = [stay(destination, embedded.asOf, embedded.asOf)]
        const troubleOf = (passport: string) => {
          const { blockers, unknowns } = decided(embedded, { passports: [dated(passport)], stops })
          const open = unknowns.filter(({ code }) => !REASONS.isOf("harmless", code) && code !== "disputed")
          return blockers.length * 100 + open.length
        }
        const keepLeast = (codes: readonly string[], weigh: (passport: string) => number) => {
          const least = Math.min(...codes.map(weigh))
          return codes.filter(passport => weigh(passport) === least)
        }
        const requirementOf = (passport: string) => {
          const { requirement } = decided(embedded, { passports: [dated(passport)], stops }).steps[0]!
          return requirement.status === "known" ? easeRank(requirement.value) : 9
        }
        // Of those of which the same is asked, the ones with the least to do and to check, as a dispute is.
        const conditionsOf = (passport: string) => {
          const { conditions, toDo, unknowns } = decided(embedded, { passports: [dated(passport)], stops })
          const count =
            conditions.filter(({ code }) => !isRequirement(code) && weigh(code) === "check").length +
            unknowns.filter(({ code }) => code === "disputed").length
          return 20_000 * count + 50_000 * toDo.filter(({ code }) => !isRequirement(code)).length
        }
        const candidates = keepLeast(keepLeast(keepLeast(passports, troubleOf), requirementOf), conditionsOf)
        const best = chooseBestPassports(embedded, candidates)
        if (!best.ok || best.value.kind !== "found") return expect.fail("no answer")
        const expected = best.value.destinations.find(found => found.destination === destination)?.best?.passport
        const { steps } = decided(embedded, { passports: passports.map(dated), stops })
        expect(steps[0]?.passport).toBe(expected ?? candidates[0])
      }),
      { numRuns: 300 },
    )
  })

  it("whose right rests on a treaty that was left are not preferred to a number of days", () => {
    const passportFor = (destination: string, ...passports: string[]) =>
      decided(embedded, { passports, stops: [stay(destination, "2026-12-01", "2026-12-05")] }).steps[0]?.passport
    expect(passportFor("NGA", "MLI", "CMR")).toBe("CMR")
    expect(passportFor("NGA", "CMR", "SEN")).toBe("SEN")
  })

  it("are each judged until their last use, and blockers stay in the order of stops", () => {
    const { blockers } = decided(embedded, {
      passports: [
        { passport: "DEU", passportExpiry: "2026-12-04" },
        { passport: "IND", passportExpiry: "2027-01-31" },
      ],
      stops: [stay("POL", "2026-12-01", "2026-12-05"), stay("THA", "2027-01-01", "2027-01-05")],
    })
    expect(blockers.map(({ step, code }) => `${step} ${code}`)).toEqual([
      "0 passport_expires_before_exit",
      "1 passport_validity_short",
    ])
  })
})
