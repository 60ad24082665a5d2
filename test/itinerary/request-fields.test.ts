import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Dataset, embeddedDataset, type InputIssue } from "../../src/index.ts"
import { costOfRequest, judgeRequest, readDecisionRequest } from "../../src/itinerary/decide-request.ts"
import { finish, judgeWithRemedies } from "../../src/itinerary/remedies.ts"
import { WORK_OF_DECISION } from "../../src/trip/choose.ts"
import { judge } from "../../src/trip/judge.ts"
import { readItinerary } from "../../src/trip/request-fields.ts"
import { countTrips } from "../sample.ts"
import { itinerary } from "./arbitrary-trips.ts"
import { world } from "./arbitrary-worlds.ts"
import { openWorld, toRequest } from "./itinerary-worlds.ts"

const dataset = embeddedDataset()
const stop = { destination: "THA", from: "2026-12-01", to: "2026-12-20" }

const readAs = (request: unknown) => {
  const issues: InputIssue[] = []
  const read = readItinerary(request, issues)
  return issues.length > 0 ? issues : read
}
// What has another constructor is read row by row.
const asOther = (given: object) => Object.assign(Object.create(null), given)

function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  for (const each of Object.values(value)) freeze(each)
}

describe("a stay of a request", () => {
  const text = fc.constantFrom("FRA", "2026-12-01", "2026-12-09", "2026-13-01", "fra", null, undefined, 7)
  const stay = fc.record(
    {
      destination: text,
      from: text,
      to: text,
      passport: text,
      permit: fc.constantFrom("residence", "work", null),
      day: text,
    },
    { requiredKeys: [] },
  )

  it("is read by names with the same result as row by row", () => {
    fc.assert(
      fc.property(stay, given => {
        const stops = { passport: "FRA", stops: [given] }
        expect(readAs(stops)).toEqual(readAs({ ...stops, stops: [asOther(given)] }))
        const stays = { passport: "FRA", stops: [{ ...stop, from: "2026-12-09" }] }
        expect(readAs({ ...stays, earlierStays: [given] })).toEqual(
          readAs({ ...stays, earlierStays: [asOther(given)] }),
        )
      }),
      { numRuns: countTrips(300) },
    )
  })
})

describe("a request that was read", () => {
  it("is never changed by a decision", () => {
    fc.assert(
      fc.property(world, fc.array(itinerary, { minLength: 10, maxLength: 10 }), (each, asked) => {
        const opened = openWorld(each)
        for (const one of asked) {
          const read = readItinerary(toRequest(one), [])
          freeze(read)
          const first = judge(opened, read)
          expect(judge(opened, read)).toEqual(first)
          finish(judgeWithRemedies(opened, [read], WORK_OF_DECISION))
        }
      }),
      { numRuns: countTrips(80) / 10 },
    )
  })

  it("names an unknown field with the nearest known one, in either spelling", () => {
    const messages = (request: object) => {
      const read = readDecisionRequest({ passport: "FRA", stops: [stop], ...request })
      return read.ok ? [] : read.error.issues.map(({ message }) => message.replace(/known: [^.]*/, "…"))
    }
    expect(messages({ passport_expirey: "2027-01-01" })).toEqual([
      "There is no such field; …. Did you mean passport_expiry?",
    ])
    expect(messages({ earlierStays: [] })).toEqual(["There is no such field; it is spelled earlier_stays."])
    expect(messages({ budget: 1 })).toEqual(["There is no such field; …."])
    expect(messages({ ["x".repeat(100_000)]: 1 })).toEqual(["There is no such field; …."])
  })
})

describe("what a request costs", () => {
  // A dataset of which nothing can be asked but which codes it knows.
  const codesOnly = new Proxy(dataset, {
    get: (known, name) => {
      if (name !== "passportIndices" && name !== "destinationIndices") throw new Error(`${String(name)} was asked for`)
      return Reflect.get(known, name)
    },
  }) as Dataset
  const read = (request: object) => {
    const result = readDecisionRequest(request)
    if (!result.ok) throw new Error(result.error.message)
    return result.value
  }
  const alone = {
    passport: "FRA",
    stops: [stop, { ...stop, from: "2026-12-20", to: "2026-12-21", destination: "ZZZ" }],
  }

  it.each([
    [{ ...alone, transit: ["ARE", "THA", "YYY"] }, 2],
    [{ stops: [stop], transit: ["ARE"], travellers: [{ passport: "FRA" }, { passports: ["JPN", "USA"] }] }, 4],
    [{ stops: [stop], travellers: [{ passport: "FRA" }, { passport: "ZZZ" }] }, 1],
    [{ stops: [stop], passport: "ZZZ" }, 1],
  ])("is known before anything is looked up: %j", (request, pairs) => {
    const question = read(request)
    expect(costOfRequest(codesOnly, question).pairsCharged).toBe(pairs)
    expect(() => judgeRequest(codesOnly, question)).toThrow("was asked for")
    const answer = judgeRequest(dataset, question)
    if (answer.kind === "decided") expect(answer.pairsCharged).toBe(pairs)
  })
})
