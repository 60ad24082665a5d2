import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Group, intersectGroup } from "../../src/group/intersect.ts"
import { easeRank, embeddedDataset, lookup, REQUIREMENTS, type Requirement } from "../../src/index.ts"
import { intersectByLookups } from "../oracles/group.ts"
import { countTrips } from "../sample.ts"
import { hostile, smallWorld, somePassports, world } from "./small-worlds.ts"

const dataset = embeddedDataset()
const DEFAULT_ALLOW: readonly Requirement[] = ["visa_free", "eta", "visa_on_arrival", "e_visa"]

const groupIn = (
  data: typeof dataset,
  passports: readonly string[],
  options?: Parameters<typeof intersectGroup>[2],
): Group => {
  const result = intersectGroup(data, passports, options)
  if (!result.ok) throw new Error(result.error.message)
  if (result.value.kind !== "found") throw new Error(result.value.message)
  return result.value
}
const issuesOf = (passports: unknown, options?: unknown) => {
  const result = intersectGroup(dataset, passports as never, options as never)
  return result.ok ? [] : result.error.issues.map(({ path, message }) => `${path}: ${message}`)
}
const groupFor = (...passports: string[]) => groupIn(dataset, passports)
const entry = (group: Group, destination: string) => group.destinations.find(found => found.destination === destination)

const allowed = fc.uniqueArray(fc.constantFrom(...REQUIREMENTS), { minLength: 1 })

describe("intersectGroup", () => {
  it("lets a French and a Japanese traveller into Thailand together, each with a separate answer", () => {
    const found = entry(groupFor("FRA", "JPN"), "THA")
    expect(found?.passports).toEqual([
      { passport: "FRA", ...lookup("FRA", "THA") },
      { passport: "JPN", ...lookup("JPN", "THA") },
    ])
    expect(found?.worstRequirement).toBe("visa_free")
  })

  it("leaves out a destination that one member needs a visa for", () => {
    expect(lookup("IND", "USA")).toMatchObject({ requirement: "visa_required" })
    expect(entry(groupFor("FRA", "JPN"), "USA")?.worstRequirement).toBe("eta")
    expect(entry(groupFor("FRA", "IND"), "USA")).toBeUndefined()
  })

  it("leaves out a destination without a record for one member, whatever is allowed", () => {
    expect(lookup("FRA", "ATA").kind).toBe("no_record")
    expect(entry(groupIn(dataset, ["FRA", "DEU"], { allow: REQUIREMENTS }), "ATA")).toBeUndefined()
  })

  it("counts home as an unlimited stay, so that the other members' days decide", () => {
    expect(lookup("USA", "JPN")).toMatchObject({ days: 90 })
    expect(entry(groupFor("JPN", "USA"), "JPN")).toMatchObject({ groupVisaFreeDays: 90, groupStay: "days" })
  })

  it("gives no number of days if one member's stay is not a fixed number, with the reason for the null", () => {
    expect(entry(groupFor("FRA", "DEU"), "ESP")).toMatchObject({
      groupVisaFreeDays: null,
      groupStay: "freedom_of_movement",
    })
  })

  it("counts freedom of movement as no shorter than any number, so that the other members' days decide", () => {
    expect(entry(groupFor("FRA", "USA"), "DEU")).toMatchObject({ groupVisaFreeDays: 90, groupStay: "days" })
    expect(entry(groupFor("USA", "FRA"), "ESP")).toMatchObject({ groupVisaFreeDays: 90, groupStay: "days" })
  })

  it("never counts the right of a treaty that one of the two has left", () => {
    expect(lookup("NER", "LBR")).toMatchObject({ days: null, uncertain: true, bloc: "ECOWAS" })
    expect(lookup("BEN", "LBR")).toMatchObject({ days: null, uncertain: false, bloc: "ECOWAS" })
    expect(entry(groupFor("BEN", "NER"), "LBR")).toMatchObject({ groupVisaFreeDays: null, groupStay: "unknown" })
  })

  it("lists only allowed requirements", () => {
    const group = groupIn(dataset, ["FRA", "IND"], { allow: ["visa_required", "e_visa"] })
    expect(group.allow).toEqual(["e_visa", "visa_required"])
    expect(group.count).toBeGreaterThan(0)
    for (const { passports } of group.destinations) {
      for (const { requirement } of passports) expect(group.allow).toContain(requirement)
    }
  })

  it("answers for the day asked: a visa for the United Kingdom from 2026-03-05 on", () => {
    expect(entry(groupIn(dataset, ["LCA", "FRA"], { on: "2026-03-04" }), "GBR")?.worstRequirement).toBe("eta")
    const later = groupIn(dataset, ["LCA", "FRA"], { on: "2026-03-05" })
    expect(later.on).toBe("2026-03-05")
    expect(entry(later, "GBR")).toBeUndefined()
  })

  it("lists the passports that are not recorded, neither as mistakes nor as permitted", () => {
    expect(intersectGroup(dataset, ["FRA", "ZZZ", "QQQ"])).toEqual({
      ok: true,
      value: {
        kind: "no_record",
        reason: "unknown_passport",
        message: "No passport with the code ZZZ or QQQ is recorded.",
      },
    })
  })

  it("lists every mistake with its path", () => {
    expect(issuesOf(["FRA", "DEU", "FRA", "fr", Number.NaN], { allow: ["eta", "free"], on: "2026-02-30" })).toEqual([
      'on: "2026-02-30" is not a calendar date YYYY-MM-DD from 2026-02-17 to 2199-12-31.',
      "passports[2]: FRA already stands at passports[0].",
      'passports[3]: "fr" is not an ISO 3166-1 alpha-3 code in capital letters, such as FRA.',
      "passports[4]: NaN is not an ISO 3166-1 alpha-3 code in capital letters, such as FRA.",
      'allow[1]: "free" is not one of visa_free, eta, visa_on_arrival, e_visa, visa_required, no_admission.',
    ])
    expect(issuesOf(["fr", "fr"])).toEqual([
      'passports[0]: "fr" is not an ISO 3166-1 alpha-3 code in capital letters, such as FRA.',
      'passports[1]: "fr" is not an ISO 3166-1 alpha-3 code in capital letters, such as FRA.',
    ])
    expect(issuesOf("FRA,DEU")).toEqual(['passports: "FRA,DEU" is not an array.'])
    expect(issuesOf(["FRA"])).toEqual(["passports: 2 to 10 entries are expected, not 1."])
    expect(issuesOf(dataset.passports)).toEqual(["passports: 2 to 10 entries are expected, not 199."])
    expect(issuesOf(["FRA", "DEU"], { allow: [] })).toEqual(["allow: 1 to 6 entries are expected, not 0."])
    expect(issuesOf(["FRA", "DEU"], { allow: "eta" })).toEqual(['allow: "eta" is not an array.'])
    expect(issuesOf(["FRA", "DEU"], "eta")).toEqual(['options: "eta" is not an object.'])
    expect(issuesOf(["FRA", "DEU"], { on: "2026-02-16" })).toHaveLength(1)
  })

  it("reports a property that throws", () => {
    const options = {
      get allow(): never {
        throw new Error("trap")
      },
    }
    const message = "The input cannot be read: one of its properties throws. Give plain objects."
    expect(intersectGroup(dataset, ["FRA", "DEU"], options)).toEqual({
      ok: false,
      error: { tag: "InputRefused", message, issues: [{ path: "", message }] },
    })
  })

  it("takes 2 and 10 passports", () => {
    expect(groupIn(dataset, dataset.passports.slice(0, 2)).passports).toHaveLength(2)
    expect(groupIn(dataset, dataset.passports.slice(0, 10)).passports).toHaveLength(10)
  })

  it("returns answers that a caller cannot change for the next caller", () => {
    const [first] = groupFor("FRA", "JPN").destinations
    expect(Object.isFrozen(first?.passports[0])).toBe(true)
    expect(groupFor("JPN", "FRA").destinations[0]?.passports[1]).toBe(first?.passports[0])
  })

  it("agrees with asking for every member at every destination", () => {
    const question = world.chain(data =>
      fc.record({
        data: fc.constant(data),
        passports: somePassports(data, 2, 10),
        allow: fc.option(allowed, { nil: undefined }),
        daysOn: fc.option(fc.integer({ min: 0, max: 400 }), { nil: undefined }),
      }),
    )
    fc.assert(
      fc.property(question, ({ data, passports, allow, daysOn }) => {
        const on =
          daysOn === undefined ? undefined : new Date((data.sinceDay + daysOn) * 86_400_000).toISOString().slice(0, 10)
        const group = groupIn(data, passports, { allow, on })
        const expected = intersectByLookups(data, passports, allow ?? DEFAULT_ALLOW, on)
        expect(group.count).toBe(expected.length)
        expect(
          group.destinations.map(({ destination, worstRequirement, groupVisaFreeDays, groupStay, passports }) => ({
            destination,
            worst: worstRequirement,
            stay: { kind: groupStay, days: groupVisaFreeDays },
            members: passports,
          })),
        ).toEqual(expected)
      }),
      { numRuns: countTrips(50) },
    )
  })

  it("does not depend on the order of the passports", () => {
    const groups = world.chain(data =>
      somePassports(data, 2, 10).chain(passports =>
        fc.record({
          data: fc.constant(data),
          passports: fc.constant(passports),
          shuffled: fc.shuffledSubarray(passports, { minLength: passports.length }),
        }),
      ),
    )
    fc.assert(
      fc.property(groups, ({ data, passports, shuffled }) => {
        const arranged = groupIn(data, shuffled).destinations.map(found => ({
          ...found,
          passports: passports.map(code => found.passports[shuffled.indexOf(code)]),
        }))
        expect(arranged).toEqual(groupIn(data, passports).destinations)
      }),
    )
  })

  it("is never easier than any member's own answer, and a further member never adds a destination nor a day", () => {
    const groups = world.chain(data => fc.tuple(fc.constant(data), somePassports(data, 3, 10), allowed))
    fc.assert(
      fc.property(groups, ([data, passports, allow]) => {
        const whole = groupIn(data, passports, { allow })
        const fewer = groupIn(data, passports.slice(1), { allow })
        for (const found of whole.destinations) {
          const before = entry(fewer, found.destination)
          expect(before).toBeDefined()
          expect(easeRank(found.worstRequirement)).toBeGreaterThanOrEqual(easeRank(before?.worstRequirement as never))
          const days = found.groupVisaFreeDays ?? 0
          expect(days).toBeLessThanOrEqual(before?.groupVisaFreeDays ?? Number.POSITIVE_INFINITY)
          for (const { requirement, days: own, home } of found.passports) {
            expect(easeRank(found.worstRequirement)).toBeGreaterThanOrEqual(easeRank(requirement))
            if (own !== null && !home) expect(days).toBeLessThanOrEqual(own)
          }
        }
      }),
    )
  })

  it("never throws, for any arguments", () => {
    fc.assert(
      fc.property(smallWorld, hostile, hostile, fc.array(hostile, { maxLength: 3 }), (data, a, b, list) => {
        for (const passports of [a, list, data.passports.slice(0, 3)]) {
          for (const options of [b, { allow: a, on: b }, undefined]) {
            const result = intersectGroup(data, passports as never, options as never)
            expect(result.ok ? result.value.kind : result.error.tag).toMatch(/^(found|no_record|InputRefused)$/)
            if (!result.ok) expect(result.error.issues.length).toBeGreaterThan(0)
          }
        }
      }),
    )
  })
})
