/**
 * What a class of documents says: how long its holder may stay, what it is, and for what it is issued. Each case is from the text that its row of
 * `data/document-classes.json` cites.
 */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { decideGroup, type HeldDocument, readDecisionRequest } from "../../src/engine.ts"
import { listDocumentClasses } from "../../src/full.ts"
import { decide, embeddedDataset, lookupHeld } from "../../src/index.ts"
import { decided, stay } from "./decisions.ts"

const dates = { passportExpiry: "2035-01-01", passportIssued: "2026-06-01" }
const onVisa = (issuer: string, to: string, more: Partial<HeldDocument> = {}, purpose?: string) => {
  const held = [{ kind: "visa" as const, issuer, validUntil: "2034-01-01", ...more }]
  const stops = [stay(issuer, "2027-01-01", to)]
  const { outcome, blockers } = decided(embeddedDataset(), { passport: "IND", ...dates, held, stops, purpose })
  return [outcome, ...blockers.map(({ code, basis, params }) => `${code} ${basis} ${params.allowed}`)]
}
const blockersOn = (...asked: Parameters<typeof onVisa>) => onVisa(...asked).slice(1)

describe("a stay on a visitor visa of the United States: 8 CFR 214.2(b)(1) and (2)", () => {
  it("is admitted for six months, left open up to a year, and blocked beyond it", () => {
    expect(onVisa("USA", "2027-06-29")).toEqual(["clear"])
    expect(onVisa("USA", "2027-06-30")).toEqual(["unknown"])
    expect(onVisa("USA", "2027-12-31")).toEqual(["unknown"])
    for (const type of ["B1", "B2"]) {
      expect(onVisa("USA", "2028-01-01", { type }), type).toEqual(["blocked", "stay_exceeded held_document 365"])
      expect(onVisa("USA", "2028-12-21", { type }), type).toEqual(["blocked", "stay_exceeded held_document 365"])
    }
    expect(onVisa("USA", "2028-12-21")).toEqual(["unknown"])
  })

  it("is judged so for the classes of visitors alone, however they are written", () => {
    for (const type of ["B1/B2", "b-2", "B 1"]) expect(onVisa("USA", "2027-01-10", { type }), type).toEqual(["clear"])
    expect(onVisa("USA", "2027-01-10", { type: "F1" })).toEqual(["unknown"])
  })

  it("names the class and the page where it was read", () => {
    const held = [{ kind: "visa" as const, issuer: "USA", type: "b-2", validUntil: "2034-01-01" }]
    const stops = [stay("USA", "2027-01-01", "2028-12-21")]
    const { blockers } = decided(embeddedDataset(), { passport: "IND", ...dates, held, stops })
    expect(blockers[0]?.params).toMatchObject({ class: "b-2", page: expect.stringMatching(/^https?:/), days: 721 })
  })
})

describe("the longest stay of a class", () => {
  it.each([
    ["USA", "C1/D", "2027-01-29", "2027-01-30", 29],
    ["THA", "type TR", "2027-03-01", "2027-03-02", 60],
    ["THA", "B", "2027-03-31", "2027-04-01", 90],
    ["PHL", "9(a)", "2027-02-28", "2027-03-01", 59],
    ["BRA", "VIVIS", "2027-03-31", "2027-04-01", 90],
    ["MEX", "visitor visa", "2027-06-29", "2027-06-30", 180],
    ["KOR", "C-3-9", "2027-03-31", "2027-04-01", 90],
    ["VNM", "EV", "2027-03-31", "2027-04-01", 90],
    ["UKR", "C", "2027-03-31", "2027-04-01", 90],
    ["IRL", "BC BIVS", "2027-03-31", "2027-04-01", 90],
    ["AUS", "Subclass 600", "2028-01-01", null, 366],
    ["ISR", "B/2", "2027-04-03", "2027-04-04", 93],
    ["TUR", "sticker", "2027-03-31", "2027-04-01", 90],
    ["MAR", "paper", "2027-03-31", "2027-04-01", 90],
    ["EGY", "5 years", "2027-06-29", "2027-06-30", 180],
    ["USA", "D", "2027-01-29", "2027-01-30", 29],
    ["CHN", "X2", "2027-06-30", "2027-07-01", 180],
  ])("of %s: %s allows a stay until %s and blocks one until %s (%d days)", (issuer, type, within, beyond, days) => {
    expect(blockersOn(issuer, within, { type })).not.toContain(`stay_exceeded held_document ${days}`)
    if (beyond !== null) {
      expect(blockersOn(issuer, beyond, { type })).toContain(`stay_exceeded held_document ${days}`)
      expect(blockersOn(issuer, beyond)).not.toContain(`stay_exceeded held_document ${days}`)
    }
  })

  it("leaves nothing open where the law sets it, and leaves the stay open where an officer or the visa does", () => {
    expect(onVisa("PHL", "2027-02-28", { type: "9(a)" })[0]).not.toBe("unknown")
    expect(onVisa("BRA", "2027-03-31", { type: "VIVIS" })).toContain("unknown")
  })

  it.each(["CHN", "TWN"])(
    "begins in %s on the day after the entry: Decree No. 637 (2013), Art. 36(3); Taichung City Government",
    issuer => {
      for (const type of [undefined, issuer === "CHN" ? "Q2" : "visitor"]) {
        expect(blockersOn(issuer, "2027-01-31", { type, durationOfStayDays: 30 })).toEqual([])
        const beyond = blockersOn(issuer, "2027-02-01", { type, durationOfStayDays: 30 })
        expect(beyond).toEqual(["stay_exceeded held_document 30"])
      }
      // Elsewhere the day of the entry counts.
      expect(blockersOn("VNM", "2027-01-31", { durationOfStayDays: 30 })).toEqual(["stay_exceeded held_document 30"])
    },
  )

  it("is that which the visa itself states, if it is less", () => {
    expect(blockersOn("PHL", "2027-03-15", { type: "9(a)", durationOfStayDays: 90 })).toEqual([
      "stay_exceeded held_document 59",
    ])
    expect(blockersOn("PHL", "2027-02-15", { type: "9(a)", durationOfStayDays: 30 })).toEqual([
      "stay_exceeded held_document 30",
    ])
  })

  it("of an e-visa of the Russian Federation is 30 days: Law 114-FZ, Art. 25.16-1, whoever asks for a class", () => {
    expect(onVisa("RUS", "2027-01-30", { type: "e-visa" })).not.toContain("unknown")
    expect(blockersOn("RUS", "2027-01-31", { type: "e-visa" })).toEqual(["stay_exceeded held_document 30"])
  })

  it("is not recorded for transits to the United Nations: 8 U.S.C. 1101(a)(15)(C)(ii)", () => {
    expect(blockersOn("USA", "2027-03-01", { type: "C2" }, "transit")).toEqual([])
    expect(blockersOn("USA", "2027-01-03", { type: "C2" }, "tourism")).toEqual([
      "purpose_not_covered undefined undefined",
    ])
  })

  it("is left open if none is recorded, or no class", () => {
    expect(onVisa("JPN", "2027-01-02")).toEqual(["unknown"])
    expect(onVisa("JPN", "2027-01-01")).toEqual(["clear"])
  })

  it("of a long-stay visa is one year: Art. 18(2) of the Convention implementing the Schengen Agreement", () => {
    const type = "D"
    expect(blockersOn("FRA", "2028-01-01", { type })).toEqual([])
    for (const validUntil of [undefined, "2028-01-10", "2034-01-01"]) {
      expect(blockersOn("FRA", "2028-01-02", { type, validUntil })).toContain("stay_exceeded held_document 366")
    }
  })
})

describe("a short-stay visa of a Schengen state: Regulation (EC) No 810/2009, Art. 2(2) and (3), Art. 24(1) and Annex VII", () => {
  const uniform = { kind: "visa" as const, issuer: "FRA", type: "C", validUntil: "2027-12-31" }
  const into = (held: HeldDocument, ...stays: readonly ReturnType<typeof stay>[]) =>
    decided(embeddedDataset(), { passport: "IND", ...dates, held: [held], stops: stays }).outcome

  it("is for the days on its sticker, not for every day until it ends: whether they are enough is left open if they are not given", () => {
    for (const country of ["FRA", "DEU", "CHE"]) {
      const weeks = stay(country, "2027-01-01", "2027-03-01")
      expect(into(uniform, weeks), country).toBe("unknown")
      expect(into({ ...uniform, durationOfStayDays: 90 }, weeks), country).toBe("clear")
      expect(into({ ...uniform, durationOfStayDays: 59 }, weeks), country).toBe("blocked")
    }
  })

  it("is for a day at least, over all states, and for ninety in any 180 at most", () => {
    expect(into(uniform, stay("FRA", "2027-01-01", "2027-01-01"))).toBe("clear")
    expect(into(uniform, stay("FRA", "2027-01-01", "2027-01-01"), stay("DEU", "2027-01-02", "2027-01-02"))).toBe(
      "unknown",
    )
    expect(into(uniform, stay("DEU", "2027-01-01", "2027-04-01"))).toBe("blocked")
  })
})

describe("the purpose of a class", () => {
  it("is the only one: a transit visa of the United States is for no tourist, and a tourist's visa of China for no business", () => {
    expect(blockersOn("USA", "2027-01-03", { type: "C1" }, "tourism")).toEqual([
      "purpose_not_covered undefined undefined",
    ])
    expect(blockersOn("USA", "2027-01-03", { type: "C1" }, "transit")).toEqual([])
    expect(blockersOn("USA", "2027-01-03", { type: "C1" })).toHaveLength(1)
    expect(blockersOn("USA", "2027-01-03", { type: "F1" })).toEqual([])
    expect(blockersOn("CHN", "2027-01-03", { type: "L" }, "business")).toHaveLength(1)
    expect(blockersOn("CHN", "2027-01-03", {}, "business")).toEqual([])
    expect(blockersOn("TUR", "2027-01-03", { type: "e-visa" }, "medical")).toHaveLength(1)
    expect(blockersOn("TUR", "2027-01-03", { type: "sticker" }, "medical")).toEqual([])
  })
})

describe("a class that the law does not have", () => {
  const held = [{ kind: "visa" as const, issuer: "FRA", type: "B1/B2" }]
  const request = { passport: "IND", held, stops: [stay("FRA", "2027-01-01", "2027-01-10")] }
  const issues = [
    {
      path: "held[0].type",
      message: "It is not one of A, C, short-stay, D, long-stay, national, VLS-TS.",
    },
  ]

  it("is refused with those that it has: Visa Code, Art. 2(3) to (5), and the Convention, Art. 18", () => {
    expect(decide(embeddedDataset(), request)).toMatchObject({ ok: false, error: { tag: "InputRefused", issues } })
    expect(lookupHeld(embeddedDataset(), "IND", "FRA", { held })).toMatchObject({ ok: false, error: { issues } })
    expect(readDecisionRequest({ ...request, held }, embeddedDataset())).toMatchObject({ ok: false, error: { issues } })
    expect(readDecisionRequest({ ...request, held })).toMatchObject({ ok: true })
    const travellers = [{ passport: "FRA" }, { passport: "IND", held }]
    expect(decideGroup(embeddedDataset(), { travellers, stops: request.stops })).toMatchObject({
      ok: false,
      error: { issues: [{ path: "travellers[1].held[0].type" }] },
    })
  })

  it("is read where the list is not said to be whole, and where nothing is recorded", () => {
    for (const issuer of ["USA", "GBR", "KAZ"])
      expect(onVisa(issuer, "2027-01-10", { type: "Z9" })[0], issuer).not.toBe("")
  })
})

describe("the classes of an issuer", () => {
  it("are listed by the kind of document, in the order of the file", () => {
    const namesOf = (kind: HeldDocument["kind"], issuer: string) =>
      listDocumentClasses(embeddedDataset(), kind, issuer).map(({ types }) => types)
    expect(namesOf("visa", "DEU")).toEqual([["A"], ["C", "short-stay"], ["D", "long-stay", "national", "VLS-TS"]])
    expect(namesOf("eta", "USA")).toEqual([["ESTA"]])
    expect(namesOf("visa", "KAZ")).toEqual([])
  })
})

describe("the sources of classes", () => {
  const read = (file: string) => JSON.parse(readFileSync(`data/${file}.json`, "utf8"))
  const classes: readonly Readonly<Record<"source" | "confidence", string>>[] = read("document-classes")
  const REPORTS = ["press-reports", "travelrequirements", "wikipedia"]

  it("are the issuer's own text wherever the confidence is high", () => {
    const high = classes.filter(({ confidence }) => confidence === "high")
    expect(high.filter(({ source }) => REPORTS.includes(source))).toEqual([])
    expect(high.length).toBeGreaterThanOrEqual(52)
  })

  it("have a visa of each of the forty busiest destinations", () => {
    const busiest: readonly { readonly code: string }[] = read("busiest").destinations
    expect(busiest).toHaveLength(40)
    const without = busiest.filter(({ code }) => listDocumentClasses(embeddedDataset(), "visa", code).length === 0)
    expect(without).toEqual([])
  })
})

describe("what a document is", () => {
  // The ministry asks for a visa or permit on paper or a card: https://www.mfa.gov.tr/visa-information-for-foreigners.en.mfa
  const checks = (held: HeldDocument) => {
    const stops = [stay("TUR", "2027-01-01", "2027-01-10")]
    const { conditions } = decided(embeddedDataset(), { passport: "PHL", ...dates, held: [held], stops })
    return conditions.map(({ code }) => code)
  }

  it("is not asked of a sticker of a Schengen state or the United States, nor of a card", () => {
    const dated = { validUntil: "2034-01-01" }
    for (const issuer of ["DEU", "USA"]) {
      expect(checks({ kind: "visa", issuer, ...dated }), issuer).toContain("e_visa")
      expect(checks({ kind: "visa", issuer, ...dated }), issuer).not.toContain("check_held_document")
    }
    expect(checks({ kind: "residence_permit", issuer: "FRA", ...dated })).not.toContain("check_held_document")
    expect(checks({ kind: "visa", issuer: "GBR", ...dated })).toContain("check_held_document")
  })

  it("is nothing that can be shown: permits of the United Kingdom are eVisas", () => {
    expect(checks({ kind: "residence_permit", issuer: "GBR", validUntil: "2034-01-01" })).not.toContain("e_visa")
  })

  it("says that an ESTA is for a biometric passport: 8 U.S.C. 1187(a)(3)", () => {
    const stops = [stay("USA", "2027-01-01", "2027-01-10")]
    const asked = (held: readonly HeldDocument[]) =>
      decided(embeddedDataset(), { passport: "FRA", ...dates, held, stops }).conditions.map(({ code }) => code)
    expect(asked([])).toContain("passport_kind")
    expect(asked([{ kind: "eta", issuer: "USA" }])).not.toContain("passport_kind")
  })
})
