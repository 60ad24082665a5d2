/** What documents of a zone's states open in the territories of one of them, as of 2026-11-21. */
import { describe, expect, it } from "vitest"
import { describePair, findWaivers, type HeldDocument, lookupHeld, parseCivilDate } from "../../src/index.ts"
import { frozenDataset } from "../frozen-dataset.ts"
import { decided, stay } from "./decisions.ts"

const india = { passport: "IND", passportExpiry: "2034-01-01", passportIssued: "2024-01-01" }
const neededBy = ({ conditions }: ReturnType<typeof decided>) => conditions.map(({ step, code }) => `${step} ${code}`)

// "A visa to enter Denmark or another Schengen country is not valid for entry into the Faroe Islands or Greenland" (nyidanmark.dk; Act of
// Accession of Denmark to the Schengen Convention, Art. 5(1)).
describe("a document of a zone's state", () => {
  it.each<[string, HeldDocument]>([
    ["GRL", { kind: "residence_permit", issuer: "FRA", validUntil: "2028-01-01" }],
    ["GRL", { kind: "visa", issuer: "FRA", type: "D", validUntil: "2028-01-01" }],
    ["FRO", { kind: "residence_permit", issuer: "FRA", validUntil: "2028-01-01" }],
    ["FRO", { kind: "visa", issuer: "FRA", type: "C", validUntil: "2028-01-01" }],
  ])("opens no territory outside the zone: %s", (territory, document) => {
    const [frozen, held] = [frozenDataset(), [document]]
    const decision = decided(frozen, { ...india, stops: [stay(territory, "2026-12-01", "2026-12-20")], held })
    expect(neededBy(decision)).toEqual(["0 visa_required"])
    const asked = lookupHeld(frozen, "IND", territory, { held, on: "2026-12-01", exitOn: "2026-12-20" })
    expect(asked).toMatchObject({ value: { requirement: "visa_required", because: [], possible: [], unused: [0] } })
    expect(findWaivers(frozen, "IND", territory, parseCivilDate("2026-12-01") as number)).toEqual([])
    expect(describePair(frozen, "IND", territory)).toMatchObject({ kind: "found", waivers: [] })
  })

  it("is not a neighbour's document in the territories of the country that issued it", () => {
    const held: HeldDocument[] = [{ kind: "residence_permit", issuer: "FIN", validUntil: "2028-01-01" }]
    const stops = [stay("ALA", "2026-06-01", "2026-12-31")]
    const decision = decided(frozenDataset(), { ...india, stops, held })
    expect([decision.blockers, neededBy(decision)]).toEqual([[], []])
    expect(decision.steps[0]).toMatchObject({ requirement: { because: [{ document: 0, waiver: null }] } })
    const resident = decided(frozenDataset(), { ...india, stops, residence: "FIN" })
    expect(neededBy(resident)).toEqual(["0 visa_required"])
  })
})
