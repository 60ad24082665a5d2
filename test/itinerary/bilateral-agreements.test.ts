/**
 * Agreements of Schengen states that may allow more than 90 days in any 180. The period of a stay may be extended beyond them in the state whose
 * agreement is older than its accession (Convention implementing the Schengen Agreement, Art. 20(2)(b), as amended by Regulation (EU)
 * 2017/2226, Art. 60), on a request at the latest on the last working day of the 90 days (2a). The Commission's list of 8 April 2019 (OJ C 130, p. 17) names two months in Belgium for Australia, Canada, Monaco
 * and New Zealand, three for the United States and others; 90 days in Bulgaria and the Czech Republic. A longer stay is blocked and names the
 * agreement. One agreement frees no days in another state.
 */
import { describe, expect, it } from "vitest"
import { completeToDo, loadFullFacts } from "../../src/full.ts"
import { decideWithRemedies, embeddedDataset } from "../../src/index.ts"
import { decided, stay } from "./decisions.ts"

const dataset = embeddedDataset()
const facts = await loadFullFacts()
const dates = { passportExpiry: "2035-01-01", passportIssued: "2026-06-01" }
const inGermany = stay("DEU", "2027-01-01", "2027-03-21")

function judge(passport: string, ...stops: ReturnType<typeof stay>[]) {
  const { outcome, blockers } = decided(dataset, { passport, ...dates, stops })
  const named = blockers.flatMap(({ params }) => params.agreement ?? [])
  return { outcome, blockers: blockers.map(({ code, step }) => `${step} ${code}`), agreements: named }
}
type Judged = ReturnType<typeof judge>
const extendedBy = (agreement: string, step = 0): Judged => ({
  outcome: "blocked",
  blockers: [`${step} zone_stay_exceeded`],
  agreements: [agreement],
})
const blocked = (...blockers: string[]): Judged => ({ outcome: "blocked", blockers, agreements: [] })

const OF_NEW_ZEALAND = "Bilateral agreements of New Zealand on stays without a visa"
const OF_BELGIUM = "Bilateral agreements of Belgium (OJ C 130, 8.4.2019, p. 17)"
const OF_CZECHIA = "Bilateral agreements of the Czech Republic (OJ C 130, 8.4.2019, p. 17)"
const WITH_JAPAN = "Exchange of notes of Austria and Japan on the waiver of visas"
const OF_DENMARK = "Bilateral agreements of Denmark on stays without a visa"
const OF_GERMANY = "Agreements of Germany from before 1 September 1993 (Aufenthaltsverordnung, section 16 and Annex A)"
const NOTES_OF_1948 = "Exchange of notes of Italy and the United States, 28 and 29 September 1948 (TIAS 1867)"

describe("in a territory that follows a state of the zone", () => {
  // Åland is Finland's, and part of the area.
  it.each(["AUS", "NZL"])("95 days of a traveller from %s are judged as in the state itself", passport => {
    const stays = ["FIN", "ALA"].map(code => judge(passport, stay(code, "2027-01-01", "2027-04-05")))
    expect(stays[0]!.agreements.length).toBe(1)
    expect(stays[1]).toEqual(stays[0])
  })
})

describe("more than the zone's days in a state whose agreement may allow them", () => {
  it.each<[string, Judged, Judged]>([
    [
      "80 days in Germany and 20 in France, from New Zealand",
      judge("NZL", inGermany, stay("FRA", "2027-03-22", "2027-04-10")),
      extendedBy(OF_NEW_ZEALAND, 1),
    ],
    [
      "the same in Slovenia, which has no agreement",
      judge("NZL", inGermany, stay("SVN", "2027-03-22", "2027-04-10")),
      blocked("1 zone_stay_exceeded"),
    ],
    [
      "the same in Poland, which ended its own on 12 October 2025",
      judge("NZL", inGermany, stay("POL", "2027-03-22", "2027-04-10")),
      blocked("1 zone_stay_exceeded"),
    ],
    [
      "80 days in Germany and 10 in France",
      judge("NZL", inGermany, stay("FRA", "2027-03-22", "2027-03-31")),
      { outcome: "clear", blockers: [], agreements: [] },
    ],
    [
      "80 days in Germany, which has an agreement with Japan, and 20 in France, which has none",
      judge("JPN", inGermany, stay("FRA", "2027-03-22", "2027-04-10")),
      blocked("1 zone_stay_exceeded"),
    ],
    [
      "80 days elsewhere and two months in Belgium, from Australia",
      judge("AUS", stay("GRC", "2027-01-01", "2027-03-21"), stay("BEL", "2027-03-22", "2027-05-21")),
      extendedBy(OF_BELGIUM, 1),
    ],
    [
      "90 days elsewhere and two months in Belgium, where the last day to ask is over",
      judge("AUS", stay("GRC", "2027-01-01", "2027-03-31"), stay("BEL", "2027-04-01", "2027-05-31")),
      blocked("1 zone_stay_exceeded"),
    ],
    [
      "five months and three days in Belgium, from Australia",
      judge("AUS", stay("BEL", "2027-01-01", "2027-06-03")),
      blocked("0 stay_exceeded", "0 zone_stay_exceeded"),
    ],
    [
      "the same from the United States, which has three months",
      judge("USA", stay("BEL", "2027-01-01", "2027-06-03")),
      extendedBy(OF_BELGIUM),
    ],
    [
      "80 days in France and three weeks in the Czech Republic, from Argentina",
      judge("ARG", stay("FRA", "2027-01-01", "2027-03-21"), stay("CZE", "2027-03-22", "2027-04-11")),
      extendedBy(OF_CZECHIA, 1),
    ],
    [
      "the same the other way round",
      judge("ARG", stay("CZE", "2027-01-01", "2027-03-31"), stay("FRA", "2027-04-01", "2027-04-21")),
      blocked("1 zone_stay_exceeded"),
    ],
    [
      "four months in Italy, from the United States",
      judge("USA", stay("ITA", "2027-01-01", "2027-04-30")),
      extendedBy(NOTES_OF_1948),
    ],
    [
      "140 days in Austria, from Japan, whose nationals may stay for six months",
      judge("JPN", stay("AUT", "2027-01-01", "2027-05-20")),
      extendedBy(WITH_JAPAN),
    ],
    [
      "180 days there, the most in any 360 since 22 October 2024",
      judge("JPN", stay("AUT", "2027-01-01", "2027-06-29")),
      extendedBy(WITH_JAPAN),
    ],
    [
      "181 days there",
      judge("JPN", stay("AUT", "2027-01-01", "2027-06-30")),
      blocked("0 stay_exceeded", "0 zone_stay_exceeded"),
    ],
    [
      "91 days in Bulgaria, from Canada, which it has no agreement with",
      judge("CAN", stay("BGR", "2027-01-01", "2027-04-01")),
      blocked("0 stay_exceeded", "0 zone_stay_exceeded"),
    ],
    [
      "six months in Denmark, from the United States: 90 days beside the zone's are known",
      judge("USA", stay("DNK", "2027-01-01", "2027-06-29")),
      extendedBy(OF_DENMARK),
    ],
  ])("%s", (_, found, expected) => {
    expect(found).toEqual(expected)
  })
})

describe("the extension", () => {
  const askBy = (from: string, to: string) => {
    const judged = decideWithRemedies(dataset, { passport: "NZL", ...dates, stops: [stay("DEU", from, to)] })
    const completed = judged.ok && judged.value.kind === "decided" ? completeToDo(facts, judged.value) : null
    return completed?.blockers.flatMap(({ remedies = [] }) =>
      remedies.flatMap(each =>
        each.action === "extend" ? [[each.value, each.maxDays, each.applyBy, each.agreement]] : [],
      ),
    )
  }

  it("is asked for at the latest on the last working day of the 90 days: Art. 20(2a)", () => {
    // The ninetieth day is a Wednesday, and a Saturday.
    expect(askBy("2027-01-01", "2027-04-01")).toEqual([[1, null, "2027-03-31", OF_GERMANY]])
    expect(askBy("2027-01-04", "2027-04-10")).toEqual([[7, null, "2027-04-02", OF_GERMANY]])
  })

  it("is not needed for 90 days", () => {
    expect(askBy("2027-01-01", "2027-03-31")).toEqual([])
  })
})
