import { describe, expect, it } from "vitest"
import { finish, judgeWithRemedies } from "../../src/itinerary/remedies.ts"
import { WORK_OF_DECISION, WORK_OF_REMEDIES, workOfTraveller } from "../../src/trip/choose.ts"
import { judge } from "../../src/trip/judge.ts"
import { type ItineraryRequest, type ReadItinerary, readItinerary } from "../../src/trip/request-fields.ts"
import { frozenDataset } from "../frozen-dataset.ts"
import { dateOf } from "../oracles/stay-days.ts"
import { sampleOf } from "../sample.ts"
import { stay } from "./decisions.ts"

const CODES = ["FRA", "DEU", "ITA", "ESP", "THA", "GTM", "HND", "GBR", "USA", "TUR", "ALB", "SRB"]
const PASSPORTS = ["USA", "JPN", "BRA", "GTM", "IND", "CHN", "RUS", "SLV", "MEX", "AUS"]
const START = 20_700
const dataset = frozenDataset()

let seed = 3
const below = (limit: number) => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((seed / 4_294_967_296) * limit)
}
const pick = <Value>(values: readonly Value[]) => values[below(values.length)] as Value

/** A journey of twelve stops with all passports, documents and earlier stays that a request may have. */
function makeFullRequest(places: readonly string[]): ItineraryRequest {
  let day = START
  const stops = Array.from({ length: 12 }, () => {
    const from = day + below(5)
    day = from + 5 + below(40)
    return stay(pick(places), dateOf(from), dateOf(day))
  })
  const passports = PASSPORTS.map(passport => ({
    passport,
    passportExpiry: below(3) === 0 ? null : dateOf(START + below(900)),
    passportIssued: "2025-06-01",
  }))
  const held = Array.from({ length: 20 }, () => ({
    kind: "visa" as const,
    issuer: pick(places),
    type: pick(["C", "D"]),
    entries: 1 + below(20),
    durationOfStayDays: 10 + below(30),
  }))
  const earlierStays = Array.from({ length: 100 }, () => {
    const last = START - below(300)
    return stay(pick(places), dateOf(last - 20), dateOf(last))
  })
  return { passports, stops, held, earlierStays }
}

const read = (request: ItineraryRequest): ReadItinerary => {
  const itinerary = readItinerary(request, [])
  if (itinerary.stops.length === 0) throw new Error("Refused.")
  return itinerary
}

describe("the work of one question is bounded", () => {
  const requests = [CODES, CODES.slice(0, 4), CODES.slice(0, 4), ["FRA"], ["GTM", "HND"]].map(makeFullRequest)

  it("for a decision on the largest request: beyond the bound one way is tried at each stop", () => {
    for (const request of sampleOf(requests, 2)) {
      const work = { left: WORK_OF_DECISION }
      expect(judge(dataset, read(request), work).kind).toBe("decided")
      expect(work.left).toBeLessThan(WORK_OF_DECISION)
      expect(work.left).toBeGreaterThan(-WORK_OF_DECISION)
    }
  })

  it("for the remedies of all blockers of all travellers together", () => {
    const { stops } = requests[1] as ItineraryRequest
    const travellers = requests.map(request => ({ ...request, stops }))
    const left = { left: WORK_OF_REMEDIES }
    const decisions = finish(judgeWithRemedies(dataset, travellers.map(read), workOfTraveller(travellers.length), left))
    expect("kind" in decisions).toBe(false)
    expect(left.left).toBeLessThan(WORK_OF_REMEDIES)
    expect(left.left).toBeGreaterThan(-2 * WORK_OF_DECISION)
  })

  it("and no remedy is offered that was not tried", () => {
    const request = { passport: "USA", stops: [stay("FRA", "2026-12-01", "2027-03-20")] }
    const remediesWith = (left: number) => {
      const decisions = finish(judgeWithRemedies(dataset, [read(request)], WORK_OF_DECISION, { left }))
      return "kind" in decisions
        ? []
        : decisions.flatMap(({ blockers }) => blockers.flatMap(each => each.remedies ?? []))
    }
    expect(remediesWith(WORK_OF_REMEDIES).length).toBeGreaterThan(0)
    expect(remediesWith(0)).toEqual([])
  })
})
