import fc from "fast-check"
import { describe, expect, it } from "vitest"
import yellowFever from "../../data/destinations/yellow-fever.json" with { type: "json" }
import { decideGroup } from "../../src/engine.ts"
import { completeToDo, loadFullFacts } from "../../src/full.ts"
import { datasetWithPast, embeddedHistory } from "../../src/history.ts"
import { decide, embeddedDataset, type ItineraryRequest, isRequirement } from "../../src/index.ts"
import { countTrips } from "../sample.ts"
import { decided, stay } from "./decisions.ts"
import { makeJourney } from "./rich-journeys.ts"

const embedded = embeddedDataset()
const valid = { passportExpiry: "2033-01-01", passportIssued: "2023-01-02" }
const outcomeOf = (request: Parameters<typeof decided>[1]) => decided(embedded, request).outcome

type Stops = readonly { readonly destination: string; readonly from: string; readonly to?: string }[]
/** Says whether two stops are one stay: they are judged as one, and what ends it is shown with the last of them. */
const hasJoinedStops = (stops: Stops) =>
  stops.some(({ destination, from }, at) => {
    const before = stops[at - 1]
    return before?.destination === destination && Date.parse(from) <= Date.parse(before.to ?? "") + 86_400_000
  })

describe("the outcome of a decision", () => {
  const thailand = stay("THA", "2027-03-01", "2027-03-10")
  const france = stay("FRA", "2027-03-01", "2027-03-10")

  it("is the first of blocked, obtain, unknown and clear that applies", () => {
    expect(outcomeOf({ passport: "USA", ...valid, stops: [france] })).toBe("clear")
    expect(outcomeOf({ passport: "USA", stops: [france] })).toBe("unknown")
    expect(outcomeOf({ passport: "NGA", ...valid, stops: [france] })).toBe("obtain")
    expect(outcomeOf({ passport: "NGA", passportExpiry: "2027-03-05", stops: [france] })).toBe("blocked")
  })

  it("is not `obtain` if the visa is issued on arrival", () => {
    const { outcome, toDo } = decided(embedded, {
      passport: "FRA",
      ...valid,
      stops: [stay("JOR", "2027-03-01", "2027-03-05")],
    })
    expect(toDo.map(({ code, due, step }) => [code, due, step])).toEqual([["visa_on_arrival", "on_arrival", 0]])
    expect(outcome).not.toBe("obtain")
  })

  it("is clear for all citizens at home, whose own state lets them in (ICCPR, Art. 12(4)), except where all travellers fill in an arrival form or show a certificate", () => {
    const outcomes = embedded.passports.map(passport => {
      const { outcome, toDo } = decided(embedded, {
        ...{ passport, ...valid },
        stops: [stay(passport, "2027-03-01", "2027-03-10")],
      })
      return [passport, outcome, ...toDo.filter(({ due }) => due === "before_departure").map(({ code }) => code)].join()
    })
    const withForm = ["CUB", "DOM", "IDN", "NZL", "PHL", "ZAF"].map(passport => `${passport},obtain,arrival_form`)
    // GUF issues no passports.
    const vaccinated = yellowFever
      .filter(({ certificate }) => certificate === "all_travellers")
      .flatMap(({ destinations }) => destinations.filter(code => embedded.passports.includes(code)))
    const expected = [...withForm, ...vaccinated.map(passport => `${passport},obtain,vaccination`)]
    expect(outcomes.filter(each => !each.endsWith(",clear")).sort()).toEqual(expected.sort())
  })

  it("is never clear for an unknown country, a passport without a record, or a past journey", () => {
    const asFrench = { passport: "FRA", ...valid }
    expect(outcomeOf({ ...asFrench, stops: [stay("ZZZ", "2027-03-01", "2027-03-10")] })).toBe("unknown")
    expect(outcomeOf({ ...asFrench, stops: [france], transit: ["ZZZ"] })).toBe("unknown")
    const passports = [
      { passport: "FRA", ...valid },
      { passport: "ZZZ", ...valid },
    ]
    expect(outcomeOf({ passports, stops: [france] })).toBe("unknown")
    const past = [stay("FRA", "2021-03-01", "2021-03-10")]
    expect(outcomeOf({ ...asFrench, stops: past })).toBe("unknown")
    expect(decided(datasetWithPast(embeddedHistory(), embedded), { ...asFrench, stops: past }).outcome).toBe("unknown")
  })

  it("is clear only where nothing has to be done before departure and nothing that decides is unknown", () => {
    const { destinations, passports } = embedded
    const codes = fc.array(fc.constantFrom(...destinations), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(fc.constantFrom(...passports), codes, (passport, to) => {
        const stops = to.map((code, at) => stay(code, `2027-0${at + 1}-05`, `2027-0${at + 1}-12`))
        const { outcome, blockers, toDo, steps, unknowns } = decided(embedded, { passport, ...valid, stops })
        const before = toDo.filter(({ due, code }) => due === "before_departure" && isRequirement(code))
        const needs = steps.filter(({ requirement: found }) =>
          found.status === "known" ? ["eta", "e_visa", "visa_required"].includes(found.value) : false,
        )
        const isSuspended = (step: number) =>
          blockers.some(each => each.step === step && each.code === "visa_suspended")
        const served = before.flatMap(each => each.steps).sort()
        expect(served).toEqual(needs.map(({ index }) => index).filter(step => !isSuspended(step)))
        const isDisputed = unknowns.some(({ code }) => code === "disputed")
        if (blockers.length > 0) expect(outcome).toBe("blocked")
        else if (isDisputed && outcome === "unknown") return
        else if (toDo.some(({ due }) => due === "before_departure")) expect(outcome).toBe("obtain")
        else if (steps.some(each => each.requirement.status === "unknown")) expect(outcome).toBe("unknown")
        else expect(["unknown", "clear"]).toContain(outcome)
      }),
    )
  })

  it("is the worst of what its stops and transits come to, and that of each stop follows from the weights that are shown", () => {
    const order = ["blocked", "obtain", "unknown", "clear"] as const
    const ranks = { blocks: 0, obtain: 1, check: 2, unknown: 2, info: 3 } as const
    for (let number = 0; number < countTrips(500); number++) {
      const request = makeJourney(embedded, number)
      if ("travellers" in request) continue
      const judged = decide(embedded, request as unknown as ItineraryRequest)
      if (!judged.ok || judged.value.kind !== "decided") continue
      const { outcome, steps, blockers, conditions, unknowns, purpose, passports } = judged.value
      // A dispute that decides and a purpose without rules leave a journey open by themselves.
      if (purpose === "work" || unknowns.some(({ code, weight }) => code === "disputed" && weight === "unknown"))
        continue
      // An officer asks for the expiry of the passport that is shown to enter: that of one which only a change of planes rests on leaves no stop open.
      const undated = passports.flatMap(({ passport, passportKind }, at) =>
        steps.some(step => step.passport === passport && step.passportKind === passportKind)
          ? []
          : `passports[${at}].passportExpiry`,
      )
      const isTransit = (field: string) => field.startsWith("transit[") || undated.includes(field)
      const shown = [
        ...blockers.map(({ step, transit }) => ({ step, rank: 0, isTransit: transit !== undefined })),
        ...conditions.map(({ step, weight, transit }) => ({
          step,
          rank: ranks[weight],
          isTransit: transit !== undefined,
        })),
        ...unknowns.map(({ step, field, weight }) => ({ step, rank: ranks[weight], isTransit: isTransit(field) })),
      ]
      const worstOf = (some: typeof shown) => order[Math.min(3, ...some.map(({ rank }) => rank))]
      if (!hasJoinedStops(request.stops as Stops)) {
        for (const [at, step] of steps.entries()) {
          const here = shown.filter(each => !each.isTransit && (each.step === at || each.step === null))
          expect([number, at, step.outcome]).toEqual([number, at, worstOf(here)])
        }
      }
      expect([number, outcome]).toEqual([number, worstOf(shown)])
    }
  })

  it("of a stop leaves out a passport that only a change of planes rests on", () => {
    const passports = [{ passport: "AUS" }, { passport: "POL", passportExpiry: "2033-01-01" }]
    const { outcome, steps } = decided(embedded, { passports, stops: [france], transit: ["AUS"] })
    expect([outcome, ...steps.map(step => [step.passport, step.outcome])]).toEqual(["unknown", ["POL", "clear"]])
  })

  it("of several travellers is the worst of theirs", () => {
    const travellers = [
      { passport: "USA", ...valid },
      { passport: "NGA", ...valid },
    ]
    const judged = decideGroup(embedded, { travellers, stops: [thailand, stay("FRA", "2027-03-10", "2027-03-20")] })
    const group = judged.ok && judged.value.kind === "decided" ? judged.value : null
    expect(group?.travellers.map(({ outcome }) => outcome)).not.toContain("blocked")
    expect(group?.outcome).toBe("obtain")
    expect(group?.toDo.map(({ traveller, step }) => [traveller, step])).toContainEqual([1, 1])
  })
})

describe("what has to be done", () => {
  const schengen = [
    stay("FRA", "2027-03-01", "2027-03-05"),
    stay("DEU", "2027-03-05", "2027-03-20"),
    stay("GBR", "2027-03-21", "2027-03-25"),
    stay("FRA", "2027-03-26", "2027-03-30"),
  ]

  it("is one visa for the Schengen states, of the state of the longest stay: Regulation (EC) No 810/2009, Art. 5(1)(b)", () => {
    const { toDo } = decided(embedded, { passport: "NGA", ...valid, stops: schengen })
    expect(toDo.map(({ code, destination, step, steps }) => [code, destination, step, steps])).toEqual([
      ["visa_required", "DEU", 0, [0, 1, 3]],
      ["insurance", "DEU", 0, [0, 1, 3]],
      ["visa_required", "GBR", 2, [2]],
    ])
  })

  it("is issued by the state of the first entry where no stay is the longest: Art. 5(1)(c)", () => {
    const stops = [stay("ITA", "2027-03-01", "2027-03-05"), stay("DEU", "2027-03-06", "2027-03-10")]
    expect(decided(embedded, { passport: "NGA", ...valid, stops }).toDo[0]?.destination).toBe("ITA")
  })

  it("is an authorisation once for a country and its territories", () => {
    const stops = [
      stay("USA", "2027-03-01", "2027-03-05"),
      stay("CAN", "2027-03-06", "2027-03-10"),
      stay("PRI", "2027-03-11", "2027-03-15"),
    ]
    const { toDo } = decided(embedded, { passport: "FRA", ...valid, stops })
    expect(toDo.map(({ code, steps }) => [code, steps])).toEqual([
      ["eta", [0, 2]],
      ["eta", [1]],
    ])
  })

  it("is named, with its page, fee and days, by the facts: six months to 15 days before a Schengen journey, Art. 9(1)", async () => {
    const facts = await loadFullFacts()
    const decision = decided(embedded, { passport: "NGA", ...valid, stops: schengen })
    const [visa] = completeToDo(facts, decision).toDo
    // The passport is back on the Friday before the Monday of the arrival.
    expect(visa).toMatchObject({ applyFrom: "2026-09-01", applyBy: "2027-02-11", backBy: "2027-02-26" })
    expect(visa).toMatchObject({ fee: { amount: 90, currency: "EUR" } })
    const usa = decided(embedded, { passport: "FRA", ...valid, stops: [stay("USA", "2027-03-01", "2027-03-05")] })
    expect(completeToDo(facts, usa).toDo[0]).toMatchObject({ name: "ESTA", url: "https://esta.cbp.dhs.gov/" })
    expect(decision.toDo[0]).toMatchObject({ name: null, url: null, applyBy: null, fee: null })
  })

  it("is the same whether a task is kept for the passports that no fact names, or selected for each", async () => {
    const facts = await loadFullFacts()
    // Nothing is kept for facts that are another object each time.
    const selecting = { ...facts, factsOf: (destination: string) => ({ ...facts.factsOf(destination) }) }
    for (const destination of embedded.destinations) {
      const isNamed = (passport: string) => facts.isSingledOut(destination, passport)
      const others = embedded.passports.filter(passport => !isNamed(passport))
      for (const passport of [...others.slice(0, 3), ...embedded.passports.filter(isNamed)]) {
        const decision = decided(embedded, {
          passport,
          ...valid,
          stops: [stay(destination, "2027-03-01", "2027-03-05")],
        })
        expect(completeToDo(facts, decision).toDo).toEqual(completeToDo(selecting, decision).toDo)
      }
    }
  })
})
