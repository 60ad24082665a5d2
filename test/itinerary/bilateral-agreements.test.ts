/**
 * Agreements of Schengen states that may allow more than 90 days in any 180. The period of a stay may be extended beyond them in the state whose
 * agreement is older than its accession (Convention implementing the Schengen Agreement, Art. 20(2)(b), as amended by Regulation (EU)
 * 2017/2226, Art. 60), on request. The Commission's list of 8 April 2019 (OJ C 130, p. 17) names two months in Belgium for Australia, Canada, Monaco
 * and New Zealand, three for the United States and others; 90 days in Bulgaria and the Czech Republic. Whether it is granted nobody knows
 * beforehand: such a stay is unknown and names the agreement. One agreement frees no days in another state.
 */
import { describe, expect, it } from "vitest"
import { embeddedDataset } from "../../src/index.ts"
import { decided, stay } from "./decisions.ts"

const dataset = embeddedDataset()
const dates = { passportExpiry: "2035-01-01", passportIssued: "2026-06-01" }
const inGermany = stay("DEU", "2027-01-01", "2027-03-21")

function judge(passport: string, ...stops: ReturnType<typeof stay>[]) {
  const { outcome, blockers, unknowns } = decided(dataset, { passport, ...dates, stops })
  const named = unknowns.flatMap(({ code, params }) => (code === "agreement_may_exceed_zone" ? [params.agreement] : []))
  return { outcome, blockers: blockers.map(({ code, step }) => `${step} ${code}`), agreements: [...new Set(named)] }
}
type Judged = ReturnType<typeof judge>
const unknownBy = (agreement: string): Judged => ({ outcome: "unknown", blockers: [], agreements: [agreement] })
const blocked = (...blockers: string[]): Judged => ({ outcome: "blocked", blockers, agreements: [] })

const OF_NEW_ZEALAND = "Bilateral agreements of New Zealand on stays without a visa"
const OF_BELGIUM = "Bilateral agreements of Belgium (OJ C 130, 8.4.2019, p. 17)"
const OF_CZECHIA = "Bilateral agreements of the Czech Republic (OJ C 130, 8.4.2019, p. 17)"
const WITH_JAPAN = "Exchange of notes of Austria and Japan on the waiver of visas"
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
      unknownBy(OF_NEW_ZEALAND),
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
      "90 days elsewhere and two months in Belgium, from Australia",
      judge("AUS", stay("GRC", "2027-01-01", "2027-03-31"), stay("BEL", "2027-04-01", "2027-05-31")),
      unknownBy(OF_BELGIUM),
    ],
    [
      "five months and three days in Belgium, from Australia",
      judge("AUS", stay("BEL", "2027-01-01", "2027-06-03")),
      blocked("0 stay_exceeded", "0 zone_stay_exceeded"),
    ],
    [
      "the same from the United States, which has three months",
      judge("USA", stay("BEL", "2027-01-01", "2027-06-03")),
      unknownBy(OF_BELGIUM),
    ],
    [
      "90 days in France and three weeks in the Czech Republic, from Argentina",
      judge("ARG", stay("FRA", "2027-01-01", "2027-03-31"), stay("CZE", "2027-04-01", "2027-04-21")),
      unknownBy(OF_CZECHIA),
    ],
    [
      "the same the other way round",
      judge("ARG", stay("CZE", "2027-01-01", "2027-03-31"), stay("FRA", "2027-04-01", "2027-04-21")),
      blocked("1 zone_stay_exceeded"),
    ],
    [
      "four months in Italy, from the United States",
      judge("USA", stay("ITA", "2027-01-01", "2027-04-30")),
      unknownBy(NOTES_OF_1948),
    ],
    [
      "140 days in Austria, from Japan, whose nationals may stay for six months",
      judge("JPN", stay("AUT", "2027-01-01", "2027-05-20")),
      unknownBy(WITH_JAPAN),
    ],
    [
      "180 days there, the most in any 360 since 22 October 2024",
      judge("JPN", stay("AUT", "2027-01-01", "2027-06-29")),
      unknownBy(WITH_JAPAN),
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
      { outcome: "unknown", blockers: [], agreements: [] },
    ],
  ])("%s", (_, found, expected) => {
    expect(found).toEqual(expected)
  })
})
