/**
 * What a law asks of visitors beside the requirement: arrival forms and insurance. Sources: Thailand, Immigration Bureau, TDAC (three days before the
 * arrival, tdac.immigration.go.th); Regulation (EC) No 810/2009, Art. 15 (insurance with a visa); Australia, incoming passenger card (everybody);
 * Regulation (EU) 2018/1240, Art. 2 (whom ETIAS concerns) and Art. 83(1): for six months from its start, announced for 2026-10-01 at the earliest,
 * its use is optional. International Health Regulations (2005), Art. 1(1) (travellers) and Annex 7(2) (yellow fever).
 */
import { describe, expect, it } from "vitest"
import type { ItineraryRequest } from "../../src/engine.ts"
import { completeToDo, loadFullFacts } from "../../src/full.ts"
import { embeddedDataset } from "../../src/index.ts"
import { openFacts } from "../record/localised-facts.ts"
import { decided, stay } from "./decisions.ts"
import { compareDuties } from "./duties.ts"

const dataset = embeddedDataset()
const dates = { passportExpiry: "2036-01-01", passportIssued: "2026-06-02" }
const judge = (passport: string, destinations: readonly string[], more: Partial<ItineraryRequest> = {}) =>
  decided(dataset, {
    passport,
    ...dates,
    stops: destinations.map((each, at) => stay(each, `2027-03-${10 + 6 * at}`, `2027-03-${15 + 6 * at}`)),
    ...more,
  })
const codesOf = ({ toDo }: ReturnType<typeof judge>) => toDo.map(({ code, steps }) => `${code} ${steps}`)

describe("an arrival form", () => {
  it("is what a British traveller to Thailand has to fill in, with its name, its page and its earliest day", async () => {
    const decision = completeToDo(await loadFullFacts(), judge("GBR", ["THA"]))
    expect(decision.outcome).toBe("obtain")
    expect(decision.toDo).toMatchObject([
      { code: "arrival_form", due: "before_departure", destination: "THA", name: "TDAC" },
    ])
    expect(decision.toDo[0]!.url).toMatch(/^https:\/\/tdac\.immigration\.go\.th/)
    expect(decision.toDo[0]!.message).toBe("Fill in an arrival form online before the arrival, from 2027-03-07 on.")
  })

  it("is not filled in by citizens who come home, unless everybody fills it in", () => {
    expect(codesOf(judge("THA", ["THA"]))).toEqual([])
    expect(codesOf(judge("IDN", ["IDN"]))).toEqual(["arrival_form 0"])
    expect(codesOf(judge("AUS", ["AUS"]))).toEqual(["arrival_form_paper 0"])
  })

  it("that is handed out on arrival is told and leaves the outcome as it is", () => {
    const { outcome, toDo } = judge("GBR", ["FJI"])
    expect(outcome).toBe("clear")
    expect(toDo).toMatchObject([{ code: "arrival_form_paper", due: "on_arrival" }])
  })

  it("is not filled in by passports that are exempt, and again for each arrival", () => {
    expect(codesOf(judge("SGP", ["MYS"]))).toEqual([])
    expect(codesOf(judge("GBR", ["MYS", "THA", "MYS"]))).toEqual(["arrival_form 0", "arrival_form 1", "arrival_form 2"])
  })

  it("is two forms where a destination asks for two, each with its name in every sentence", async () => {
    const names = ["e-Arrival Card", "Air Suvidha"]
    const told = judge("GBR", ["IND"])
    for (const { toDo } of [told, completeToDo(await loadFullFacts(), told)]) {
      const forms = toDo.filter(({ code }) => code === "arrival_form")
      expect(forms.map(({ name }) => name)).toEqual(names)
      for (const [at, { message }] of forms.entries()) expect(message).toContain(`(${names[at]})`)
    }
  })

  it("is not asked for in a sentence that stands twice at a stop, and nor is anything else", () => {
    for (const passport of ["GBR", "IND", "NGA"]) {
      for (const destination of dataset.destinations) {
        const { conditions } = judge(passport, [destination])
        const messages = conditions.map(({ message }) => message)
        expect([...new Set(messages)], `${passport} ${destination}`).toEqual(messages)
      }
    }
  })
})

describe("insurance that a law asks for", () => {
  it("is had once for the whole zone by those who need its visa, and not by those who hold it", () => {
    expect(codesOf(judge("IND", ["DEU", "ITA"]))).toEqual(["visa_required 0,1", "insurance 0,1"])
    const held = [{ kind: "visa" as const, issuer: "DEU", entries: 1, validUntil: "2027-12-01" }]
    expect(codesOf(judge("IND", ["DEU"], { held }))).toEqual([])
  })

  it("is asked in France of applicants for a visa alone: the Borders Code, Art. 6(1), lists none among what visitors have to meet", async () => {
    const { facts } = await openFacts()
    for (const passport of ["USA", "GBR", "BRA"])
      expect(codesOf(completeToDo(facts, judge(passport, ["FRA"])))).toEqual([])
    expect(codesOf(judge("IND", ["FRA"]))).toContain("insurance 0")
  })

  it("is asked of visitors without a visa too who hold a visa of the country that they do not need", () => {
    const held = [{ kind: "visa" as const, issuer: "ABW", validUntil: "2030-01-01" }]
    expect(codesOf(judge("BLZ", ["ABW"], { held }))).toContain("insurance 0")
  })

  it("is not asked of those who move freely", () => {
    expect(codesOf(judge("FRA", ["DEU"]))).toEqual([])
  })
})

describe("an authorisation that is announced", () => {
  const announced = (passport: string, from: string, more: Partial<ItineraryRequest> = {}) => {
    const stops = [stay("FRA", from, from)]
    const { outcome, conditions } = decided(dataset, { passport, ...dates, stops, ...more })
    const found = conditions.find(({ code }) => code === "authorisation_announced")
    return [outcome, found?.params.from ?? null]
  }

  it("is told an American to France, and left open from the first day on which it can be required", () => {
    expect(announced("USA", "2027-03-31")).toEqual(["clear", "2027-04-01"])
    expect(announced("USA", "2027-04-01")).toEqual(["unknown", "2027-04-01"])
  })

  it("concerns nobody who moves freely, needs a visa, or has a passport that the regulation exempts", () => {
    expect(announced("DEU", "2027-04-01")).toEqual(["clear", null])
    expect(announced("AND", "2027-04-01")).toEqual(["clear", null])
    expect(announced("IND", "2027-04-01")).toEqual(["obtain", null])
    expect(announced("USA", "2027-04-01", { passportKind: "diplomatic" })[1]).toBeNull()
  })

  it("concerns nobody who holds it, or a visa or permit of one of its states", () => {
    for (const kind of ["eta", "residence_permit"] as const) {
      const held = [{ kind, issuer: "DEU", validUntil: "2028-01-01" }]
      expect(announced("USA", "2027-04-01", { held })).toEqual(["clear", null])
      const { unknowns } = decided(dataset, {
        passport: "USA",
        ...dates,
        held,
        stops: [stay("CYP", "2027-04-01", "2027-04-02")],
      })
      expect(unknowns.map(({ field }) => field)).not.toContain("held[0]")
    }
    const ended = [{ kind: "residence_permit" as const, issuer: "DEU", validUntil: "2027-03-01" }]
    expect(announced("USA", "2027-04-01", { held: ended })[0]).toBe("unknown")
  })

  it("is named once for a journey through its states", () => {
    const { conditions } = judge("USA", ["FRA", "DEU", "FRA"])
    expect(conditions.filter(({ code }) => code === "authorisation_announced")).toHaveLength(1)
  })
})

describe("the Entry/Exit System: Regulation (EU) 2017/2226", () => {
  const isTold = (passport: string, destination: string, held: ItineraryRequest["held"] = []) =>
    judge(passport, [destination], { held }).conditions.some(({ code }) => code === "entry_exit_system")
  const german = (kind: "visa" | "residence_permit", type?: string) => [
    { kind, issuer: "DEU", validUntil: "2028-01-01", ...(type === undefined ? {} : { type }) },
  ]

  it("registers visitors with and without a visa (Art. 2(1)), which leaves nothing open", () => {
    expect([isTold("USA", "FRA"), isTold("IND", "FRA"), isTold("IND", "FRA", german("visa", "C"))]).toEqual([
      true,
      true,
      true,
    ])
    expect(judge("USA", ["FRA"]).outcome).toBe("clear")
  })

  it("registers nobody in Cyprus and Ireland (Art. 3(1)), and once who goes on inside the area", () => {
    expect([isTold("USA", "CYP"), isTold("USA", "IRL")]).toEqual([false, false])
    const { conditions } = judge("USA", ["FRA", "DEU"])
    expect(conditions.filter(({ code }) => code === "entry_exit_system")).toHaveLength(1)
  })

  it("registers no citizens who move freely, no holders of permits and long-stay visas, and nobody of Andorra, Monaco, San Marino and the Holy See (Art. 2(3))", () => {
    expect(["FRA", "AND", "MCO", "SMR", "VAT"].map(passport => isTold(passport, "DEU"))).toEqual(Array(5).fill(false))
    expect(isTold("IND", "FRA", german("residence_permit"))).toBe(false)
    expect(isTold("IND", "FRA", german("visa", "D"))).toBe(false)
  })
})

describe("a certificate of vaccination against yellow fever", () => {
  const asked = (passport: string, destinations: readonly string[], more: Partial<ItineraryRequest> = {}) =>
    judge(passport, destinations, more)
      .conditions.filter(({ code }) => code.endsWith("vaccination"))
      .map(({ code, step, params }) => `${code} ${step} ${params.country ?? "everybody"}`)

  it("is asked by Ghana of all travellers from 9 months of age, its own citizens too (IHR, Art. 1(1)), ten days before (Annex 7(2)(a)(iv))", () => {
    expect(judge("CPV", ["GHA"]).outcome).toBe("obtain")
    for (const passport of ["CPV", "GBR", "GHA"]) {
      const certificate = judge(passport, ["GHA"]).toDo.find(({ code }) => code === "vaccination")
      expect(certificate).toMatchObject({ due: "before_departure", applyBy: "2027-02-28" })
      expect(certificate?.message).toBe("A yellow fever certificate is needed from the age of 9 months.")
    }
  })

  it("is had before the journey begins, however long before Ghana", () => {
    const stops = [stay("GBR", "2027-03-01", "2027-04-20"), stay("GHA", "2027-04-20", "2027-04-25")]
    const [certificate] = judge("GBR", [], { stops }).toDo.filter(({ code }) => code === "vaccination")
    expect(certificate).toMatchObject({ step: 1, applyBy: "2027-02-28" })
  })

  it("is asked by Egypt of whoever lives in a country with a risk, and not of its citizens who live elsewhere", () => {
    expect(asked("CIV", ["EGY"], { residence: "CIV" })).toEqual(["vaccination 0 CIV"])
    expect(asked("FRA", ["EGY"], { residence: "CIV" })).toEqual(["vaccination 0 CIV"])
    expect(asked("CIV", ["EGY"], { residence: "FRA" })).toEqual([])
    expect(asked("FRA", ["EGY"])).toEqual([])
    expect(asked("EGY", ["EGY"], { residence: "EGY" })).toEqual([])
  })

  it("has to be checked where only the passport says from where the journey begins", () => {
    const { outcome, conditions } = judge("PER", ["FJI"])
    expect(outcome).toBe("unknown")
    expect(conditions.find(({ code }) => code === "check_vaccination")?.message).toBe(
      "A yellow fever certificate is needed from the age of 12 months on a journey from or through PER: check before travel.",
    )
  })

  it("is asked for six days after a stay in a country with a risk, the time of incubation (Annex 7(2)(a)(i) and (h))", () => {
    const afterStay = (days: number, ...between: ItineraryRequest["stops"]) =>
      asked("EGY", [], {
        stops: [
          stay("KEN", "2027-02-01", "2027-02-10"),
          ...between,
          stay("EGY", `2027-02-${10 + days}`, `2027-02-${10 + days}`),
        ],
      }).filter(each => each.startsWith(`vaccination ${1 + between.length}`))
    expect(afterStay(0)).toEqual(["vaccination 1 KEN"])
    expect(afterStay(6)).toEqual(["vaccination 1 KEN"])
    expect(afterStay(7)).toEqual([])
    expect(afterStay(6, stay("FRA", "2027-02-11", "2027-02-16"))).toEqual(["vaccination 2 KEN"])
    const earlierStays = [{ destination: "KEN", from: "2027-03-01", to: "2027-03-09" }]
    expect(asked("FRA", ["THA"], { earlierStays })).toEqual(["vaccination 0 KEN"])
  })

  it("is asked because of the home that the traveller left less than six days before, and not because of a journey of weeks", () => {
    const through = (day: number) => ({
      residence: "NGA",
      stops: [stay("FRA", "2027-02-01", `2027-02-${day}`), stay("EGY", `2027-02-${day}`, `2027-02-${day}`)],
    })
    expect(asked("FRA", [], through(5 + 10))).toEqual([])
    expect(
      asked("FRA", [], {
        ...through(10),
        stops: [stay("FRA", "2027-02-05", "2027-02-10"), stay("EGY", "2027-02-10", "2027-02-10")],
      }),
    ).toEqual(["vaccination 1 NGA"])
  })

  it("has to be checked if the traveller changes in a country with a risk: whether that counts depends on hours", () => {
    expect(asked("FRA", ["THA"], { transit: ["ETH"] })).toEqual(["check_vaccination 0 ETH"])
    expect(asked("FRA", ["THA"], { transit: ["ARE"] })).toEqual([])
  })

  it("is asked by countries with a list of their own of arrivals from it alone", () => {
    expect(asked("KEN", ["COL"], { residence: "KEN" })).toEqual([])
    expect(asked("AGO", ["COL"], { residence: "AGO" })).toEqual(["vaccination 0 AGO"])
    // Of some states of Brazil only.
    expect(asked("BRA", ["DOM"], { residence: "BRA" })).toEqual(["check_vaccination 0 BRA"])
  })
})

describe("a bond for a visa", () => {
  it("is to do before departure where the United States ask for it, and not with a visa in hand", () => {
    expect(codesOf(judge("BGD", ["USA"]))).toEqual(["visa_required 0", "bond 0"])
    // No visas are issued.
    expect(codesOf(judge("MWI", ["USA"]))).toEqual([])
    const held = [{ kind: "visa" as const, issuer: "USA", type: "B1/B2", validUntil: "2028-01-01" }]
    expect(codesOf(judge("BGD", ["USA"], { held }))).toEqual([])
  })
})

describe("the full record and the decision", () => {
  it.each(["2026-12-05", "2027-04-01", "2028-07-01"])(
    "name the same arrival forms, insurance, certificates of vaccination, bonds, registrations and announced authorisations for a sample of pairs on %s",
    async day => {
      const { duties, differences } = compareDuties(await openFacts(), day, 37, Number(day.slice(-1)))
      expect(differences).toEqual([])
      expect(duties).toBeGreaterThan(300)
    },
  )
})
