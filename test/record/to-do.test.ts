/** The days on which to apply: all before the journey, and one after the other for one passport. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { completeToDo, loadFullFacts } from "../../src/full.ts"
import { decideGroup, embeddedDataset, formatCivilDate, parseCivilDate, type ToDo } from "../../src/index.ts"
import { decided, stay } from "../itinerary/decisions.ts"

const dataset = embeddedDataset()
const facts = await loadFullFacts()
const dayOf = (on: string) => parseCivilDate(on)!
const isWorking = (on: string) => (dayOf(on) + 3) % 7 < 5
const workingDays = (from: string, to: string) =>
  Array.from({ length: dayOf(to) - dayOf(from) }, (_, at) => formatCivilDate(dayOf(from) + at)).filter(isWorking).length
const plan = (passport: string, stops: readonly ReturnType<typeof stay>[]): readonly ToDo[] =>
  completeToDo(facts, decided(dataset, { passport, passportExpiry: "2039-01-01", stops })).toDo

describe("the applications of a journey", () => {
  it("are the visa for the United Kingdom, then that for France, because one passport is at one consulate at a time", () => {
    // Leaving on Monday, 2027-06-07: back on Friday; 15 days for France (Visa Code, Art. 9(1)) and 21 for the United Kingdom before it.
    const stops = [stay("FRA", "2027-06-07", "2027-06-12"), stay("GBR", "2027-06-13", "2027-06-20")]
    const visas = plan("IND", stops).filter(({ code }) => code === "visa_required")
    expect(
      visas.map(({ destination, applyFrom, applyBy, backBy }) => [destination, applyFrom, applyBy, backBy]),
    ).toEqual([
      ["FRA", "2026-12-07", "2027-05-20", "2027-06-04"],
      ["GBR", "2027-03-13", "2027-04-28", "2027-05-19"],
    ])
  })

  it("begin with the one that takes the longest, and 15 working days are longer than 15 days", () => {
    const stops = [stay("JAM", "2027-06-07", "2027-06-12"), stay("FRA", "2027-06-13", "2027-06-20")]
    const visas = plan("NGA", stops).filter(({ code }) => code === "visa_required")
    expect(visas.map(({ destination, applyBy, backBy }) => [destination, applyBy, backBy])).toEqual([
      ["JAM", "2027-04-28", "2027-05-19"],
      ["FRA", "2027-05-20", "2027-06-04"],
    ])
  })

  it("say when the passport is back at the latest where it is not recorded how long a visa takes", () => {
    const stops = [stay("FRA", "2027-06-07", "2027-06-12"), stay("TKM", "2027-06-13", "2027-06-20")]
    const visas = plan("IND", stops).filter(({ code }) => code === "visa_required")
    expect(visas.map(({ destination, applyBy, backBy }) => [destination, applyBy, backBy])).toEqual([
      ["FRA", "2027-05-20", "2027-06-04"],
      ["TKM", null, "2027-06-04"],
    ])
  })

  it("are those for transits too, before the day on which the traveller leaves", () => {
    const asked = { passport: "GBR", passportExpiry: "2039-01-01", stops: [stay("CRI", "2027-06-07", "2027-06-12")] }
    const decision = decided(dataset, { ...asked, transit: [{ country: "USA", airside: true }] })
    const [esta] = completeToDo(facts, decision).toDo.filter(({ code }) => code === "eta")
    expect(esta).toMatchObject({
      destination: "USA",
      step: null,
      transits: [0],
      name: "ESTA",
      fee: { currency: "USD" },
    })
    expect(esta!.applyBy! < "2027-06-07").toBe(true)
  })

  it("leave each time enough, one after the other in one passport, all before the journey begins", () => {
    const destination = fc.constantFrom("FRA", "JPN", "GBR", "CHN", "USA", "IND", "KOR", "AUS", "THA", "GHA")
    const stop = fc.tuple(destination, fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 9 }))
    let visas = 0
    fc.assert(
      fc.property(
        fc.constantFrom("PHL", "NGA", "IND", "CHN"),
        fc.integer({ min: 20_900, max: 21_300 }),
        fc.array(stop, { minLength: 1, maxLength: 6 }),
        (passport, first, planned) => {
          let day = first
          const stops = planned.map(([code, length, gap]) => {
            const from = formatCivilDate(day)
            day += length + gap
            return stay(code, from, formatCivilDate(day - gap))
          })
          const leaving = stops[0]!.from
          const applied = plan(passport, stops).filter(({ applyBy }) => applyBy !== null)
          for (const { code, destination, applyBy, backBy, applyFrom, due } of applied) {
            expect(due).toBe("before_departure")
            expect(applyBy! < leaving).toBe(true)
            if (code === "registration" || code === "vaccination") continue
            // As long as for a journey there alone.
            const alone = plan(passport, [stay(destination, leaving, leaving)]).find(each => each.code === code)!
            const end = backBy ?? leaving
            const endAlone = alone.backBy ?? leaving
            const [days, working] = [dayOf(endAlone) - dayOf(alone.applyBy!), workingDays(alone.applyBy!, endAlone)]
            expect(dayOf(end) - dayOf(applyBy!) >= days || workingDays(applyBy!, end) >= working).toBe(true)
            expect(applyFrom === undefined || applyFrom < leaving).toBe(true)
          }
          const handedIn = applied
            .filter(({ backBy }) => backBy !== undefined)
            .sort((one, other) => one.applyBy!.localeCompare(other.applyBy!))
          for (const [at, { code, applyBy, backBy }] of handedIn.entries()) {
            expect(code).toBe("visa_required")
            expect(isWorking(applyBy!) && isWorking(backBy!)).toBe(true)
            expect(backBy! < (handedIn[at + 1]?.applyBy ?? leaving)).toBe(true)
            visas++
          }
        },
      ),
      { numRuns: 150 },
    )
    expect(visas).toBeGreaterThan(50)
  })

  it("of several travellers follow each other for each of them, because each hands in a passport of his own", () => {
    const stops = [stay("FRA", "2027-06-07", "2027-06-12"), stay("GBR", "2027-06-13", "2027-06-20")]
    const travellers = ["IND", "NGA"].map(passport => ({ passport, passportExpiry: "2039-01-01" }))
    const answer = decideGroup(dataset, { travellers, stops })
    if (!answer.ok || answer.value.kind !== "decided") throw new Error("not decided")
    const daysOf = (toDo: readonly ToDo[]) => toDo.map(({ code, applyBy, backBy }) => [code, applyBy, backBy])
    const { toDo, travellers: each } = completeToDo(facts, answer.value)
    for (const [at, { passport }] of travellers.entries()) {
      expect(daysOf(toDo.filter(({ traveller }) => traveller === at))).toEqual(daysOf(plan(passport, stops)))
      expect(daysOf(each[at]!.toDo)).toEqual(daysOf(plan(passport, stops)))
    }
  })
})
