/** A last stop whose last day is not given: what is known of the arrival is said, what the length of the stay decides is unknown. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  applyRemedy,
  decide,
  decideWithRemedies,
  embeddedDataset,
  type ItineraryRequest,
  judgeRequest,
  readDecisionRequest,
} from "../../src/index.ts"
import { decided } from "./decisions.ts"

const dataset = embeddedDataset()
const dates = { passportExpiry: "2034-01-01", passportIssued: "2026-01-01" }
const open = (passport: string, destination: string, more: Partial<ItineraryRequest> = {}) =>
  decided(dataset, { passport, ...dates, stops: [{ destination, from: "2026-12-01" }], ...more })

describe("a last stop without a last day", () => {
  it("says what is needed to enter, and that the length of the stay is not judged", () => {
    const decision = open("USA", "FRA")
    expect(decision).toMatchObject({ outcome: "unknown", verdict: "no_blocker_found", blockers: [] })
    expect(decision.steps[0]).toMatchObject({
      from: "2026-12-01",
      to: null,
      days: null,
      requirement: { status: "known", value: "visa_free" },
      maxStay: { status: "known", value: 90 },
      daysAccumulated: { status: "unknown", code: "end_not_given" },
      countedStay: null,
      // Three months after the departure, of which nobody knows the day.
      passportValidity: { status: "unknown", code: "end_not_given", rule: { anchor: "departure", months: 3 } },
      zoneStay: { status: "unknown", code: "end_not_given", zone: "schengen", allowanceDays: 90 },
    })
    expect(decision.unknowns).toContainEqual(expect.objectContaining({ field: "to", step: 0, code: "end_not_given" }))
  })

  it("is judged by the arrival where a rule counts from it", () => {
    expect(open("FRA", "THA").steps[0]?.passportValidity).toMatchObject({ status: "known", value: "met" })
    const short = open("FRA", "THA", { passportExpiry: "2027-01-01" })
    expect(short.blockers.map(({ code }) => code)).toEqual(["passport_validity_short"])
    // Three months are not left on the day of arrival, so they are on no day of departure.
    const late = open("USA", "FRA", { passportExpiry: "2027-02-01" })
    expect(late.blockers.map(({ code }) => code)).toEqual(["passport_validity_short"])
  })

  it("names no day of exit", () => {
    const expired = open("USA", "FRA", { passportExpiry: "2026-11-01" })
    expect(expired.blockers.map(({ code }) => code)).toEqual(["passport_expired", "passport_validity_short"])
    expect(JSON.stringify(expired)).not.toContain("before_exit")
  })

  it("is clear at home, and left open where the traveller moves freely, because the passport may end before it", () => {
    expect(open("FRA", "FRA")).toMatchObject({ outcome: "clear", unknowns: [{ code: "validity_for_visitors" }] })
    const codes = open("FRA", "DEU").unknowns.map(({ code }) => code)
    expect(codes).toEqual(["stay_moves_freely", "validity_for_visitors", "end_not_given"])
    expect(open("FRA", "DEU").outcome).toBe("unknown")
  })

  it("is blocked if the days before it use up the allowance", () => {
    const decision = open("GBR", "FRA", {
      stops: [
        { destination: "DEU", from: "2026-12-01", to: "2027-02-28" },
        { destination: "FRA", from: "2027-03-01" },
      ],
    })
    expect(decision.blockers.map(({ code, step }) => [code, step])).toEqual([["zone_stay_exceeded", 1]])
  })

  it("has the visa of the first entry, because no main destination can be determined", () => {
    const decision = open("IND", "FRA", {
      stops: [
        { destination: "FRA", from: "2026-12-01", to: "2026-12-03" },
        { destination: "DEU", from: "2026-12-03", to: "2026-12-20" },
        { destination: "ITA", from: "2026-12-20" },
      ],
    })
    expect(decision.toDo.map(({ code, destination, steps }) => [code, destination, steps])).toEqual([
      ["visa_required", "FRA", [0, 1, 2]],
      ["insurance", "FRA", [0, 1, 2]],
    ])
  })

  it("is one stay with the stop before it in the same country", () => {
    const decision = open("USA", "JPN", {
      stops: [
        { destination: "JPN", from: "2026-12-01", to: "2026-12-10" },
        { destination: "JPN", from: "2026-12-10" },
      ],
    })
    expect(decision.steps.map(({ to, days }) => [to, days])).toEqual([
      ["2026-12-10", 10],
      [null, null],
    ])
  })

  it("is read from JSON, and written there with nulls", () => {
    const read = readDecisionRequest({ passport: "USA", stops: [{ destination: "FRA", from: "2026-12-01", to: null }] })
    const decision = read.ok ? judgeRequest(dataset, read.value) : null
    expect(decision).toMatchObject({ kind: "decided", steps: [{ to: null, days: null }] })
  })

  it("is refused for any stop but the last", () => {
    const stops = [
      { destination: "FRA", from: "2026-12-01" },
      { destination: "JPN", from: "2026-12-20" },
    ]
    const refused = decide(dataset, { passport: "USA", stops })
    expect(refused.ok ? [] : refused.error.issues).toEqual([
      { path: "stops[0].to", message: "Only the last stop may leave out its last day." },
    ])
    const malformed = decide(dataset, { passport: "USA", stops: [{ ...stops[0]!, to: "soon" }, stops[1]!] })
    expect(malformed.ok ? [] : malformed.error.issues.map(({ path }) => path)).toEqual(["stops[0].to"])
  })

  it("can be moved by a remedy, which adds no end", () => {
    const stops = [{ destination: "FRA", from: "2026-12-01" }]
    expect(applyRemedy({ passport: "USA", stops }, { action: "enter_from", step: 0, value: "2027-01-01" })).toEqual({
      passport: "USA",
      stops: [{ destination: "FRA", from: "2027-01-01" }],
    })
  })

  it("is not blocked if some end of the stay is possible, and not clear if some end is blocked", () => {
    const some = fc.constantFrom("USA", "IND", "FRA", "BRA", "GBR", "RUS", "CHN")
    const where = fc.constantFrom("FRA", "DEU", "JPN", "THA", "GBR", "USA", "GTM", "TUR")
    fc.assert(
      fc.property(some, where, where, fc.integer({ min: 1, max: 200 }), (passport, first, last, days) => {
        const stop = { destination: first, from: "2026-12-01", to: "2027-02-20" }
        const ask = (to: string | undefined) => {
          const end = { destination: last, from: "2027-02-20", ...(to === undefined ? {} : { to }) }
          const answer = decideWithRemedies(dataset, { passport, ...dates, stops: [stop, end] })
          return answer.ok && answer.value.kind === "decided" ? answer.value : expect.unreachable()
        }
        const to = new Date(Date.UTC(2027, 1, 19 + days)).toISOString().slice(0, 10)
        const [opened, closed] = [ask(undefined), ask(to)]
        if (closed.verdict === "no_blocker_found") expect(opened.verdict).toBe("no_blocker_found")
        else expect(opened.outcome).not.toBe("clear")
        // What is to be had for the arrival does not depend on how long the stay is.
        expect(opened.steps[1]?.requirement).toEqual(closed.steps[1]?.requirement)
      }),
      { numRuns: 300 },
    )
  })
})
