/**
 * A change that leaves the international area is an entry: what is known to hinder the entry hinders the change.
 *
 * Sources: Regulation (EU) 2016/399, Art. 6(1): a valid travel document, issued within ten years and valid for three months after the departure, and
 * stays of at most 90 days in any 180; Türkiye, Law 6458, Arts. 7(1)(b) and 18: 60 days beyond the permitted stay.
 */
import { describe, expect, it } from "vitest"
import { completeToDo, loadFullFacts } from "../../src/full.ts"
import { embeddedDataset, type ItineraryRequest, isRequirement } from "../../src/index.ts"
import { sampleOf } from "../sample.ts"
import { DUTIES, decided, stay } from "./decisions.ts"

const dataset = embeddedDataset()
const passport = (code: string, passportExpiry = "2035-01-01", passportIssued = "2026-01-01") => ({
  passport: code,
  passportExpiry,
  passportIssued,
})
const to = (destination: string) => [stay(destination, "2027-01-10", "2027-01-20")]
const through = (country: string) => ({ transit: [{ country, airside: false }] })
const verdictOf = (request: ItineraryRequest) => {
  const { outcome, transit } = decided(dataset, request)
  const [{ permitted }] = transit as unknown as [(typeof transit)[number]]
  return [permitted.status === "known" ? permitted.value : permitted.code, outcome]
}

describe("a change outside the international area", () => {
  it.each<[string, ItineraryRequest, readonly string[]]>([
    [
      "is not permitted on a passport that had expired, where the other one needs a visa",
      {
        passports: [passport("JPN", "2026-06-01", "2016-07-01"), passport("KAZ")],
        stops: to("TUR"),
        ...through("DEU"),
      },
      ["no", "blocked"],
    ],
    [
      "depends on its day where the passport expires during the journey",
      { passports: [passport("JPN", "2027-01-15"), passport("IND")], stops: to("NPL"), ...through("MEX") },
      ["transit_day_not_given", "unknown"],
    ],
    // European Agreement of 13 December 1957 (ETS No. 25), Art. 1 and the appendix: Germany names passports that expired within the last year.
    [
      "is an entry on the expired passport that the country accepts, where the other one needs a visa",
      { passports: [passport("PRT", "2026-12-30"), passport("SYR")], stops: to("SYR"), ...through("DEU") },
      ["transit_needs_entry", "unknown"],
    ],
    // The British-Irish Visa Scheme is for nationals of China and India alone.
    [
      "is open where the passport for which a visa in hand may do expires during the journey, and the other one opens nothing",
      {
        passports: [passport("CHN", "2027-01-15"), passport("ZMB")],
        held: [{ kind: "visa", issuer: "GBR", type: "C", validUntil: "2030-01-01", entries: "multiple" }],
        stops: to("KEN"),
        ...through("IRL"),
      },
      ["transit_document_to_check", "obtain"],
    ],
    [
      "is not permitted on a passport of more than ten years in Schengen",
      { passports: [passport("USA", "2028-03-01", "2016-01-01")], stops: to("MAR"), ...through("DEU") },
      ["no", "blocked"],
    ],
    [
      "is permitted on the same one where no ten years are asked",
      { passports: [passport("USA", "2028-03-01", "2016-01-01")], stops: to("MAR"), ...through("MEX") },
      ["yes", "clear"],
    ],
    [
      "is not permitted in Türkiye on a passport of less than 150 days",
      { passports: [passport("GBR", "2027-04-01")], stops: to("GEO"), ...through("TUR") },
      ["no", "blocked"],
    ],
    [
      "is open in Schengen after 90 days there",
      {
        passports: [passport("USA")],
        earlierStays: [stay("GRC", "2026-10-05", "2027-01-02")],
        stops: [stay("MAR", "2027-01-03", "2027-01-10")],
        ...through("DEU"),
      },
      ["transit_needs_entry", "unknown"],
    ],
    [
      "is open in Schengen after 90 days there, with a stay there later in the journey",
      {
        passports: [passport("USA")],
        earlierStays: [stay("GRC", "2026-10-05", "2027-01-02")],
        stops: [stay("MAR", "2027-01-10", "2027-01-20"), stay("ESP", "2027-07-15", "2027-07-20")],
        ...through("DEU"),
      },
      ["transit_needs_entry", "unknown"],
    ],
    [
      "is permitted there after 80 days",
      {
        passports: [passport("USA")],
        earlierStays: [stay("GRC", "2026-10-15", "2027-01-02")],
        stops: [stay("MAR", "2027-01-03", "2027-01-08")],
        ...through("DEU"),
      },
      ["yes", "clear"],
    ],
    [
      // Gibraltar joined on 2026-07-15.
      "is permitted there after 80 days, and others in a country before it joined",
      {
        passports: [passport("USA")],
        earlierStays: [stay("GIB", "2026-07-01", "2026-07-14"), stay("DEU", "2026-09-10", "2026-11-28")],
        stops: [stay("MAR", "2026-12-05", "2026-12-10")],
        ...through("DEU"),
      },
      ["yes", "clear"],
    ],
    [
      "is open there if 90 days were used since it joined, by stays that overlap",
      {
        passports: [passport("USA")],
        earlierStays: [
          stay("GIB", "2026-06-10", "2026-07-24"),
          stay("DEU", "2026-07-12", "2026-07-16"),
          stay("DEU", "2026-09-10", "2026-11-25"),
        ],
        stops: [stay("MAR", "2026-12-05", "2026-12-10")],
        ...through("DEU"),
      },
      ["transit_needs_entry", "unknown"],
    ],
    [
      "is open in Schengen on a visa whose days were used up there",
      {
        passports: [passport("IND")],
        held: [
          {
            kind: "visa",
            issuer: "DEU",
            type: "C",
            validUntil: "2028-01-01",
            entries: "multiple",
            durationOfStayDays: 5,
          },
        ],
        stops: [stay("FRA", "2027-01-10", "2027-01-14"), stay("NPL", "2027-01-15", "2027-02-09")],
        ...through("DEU"),
      },
      ["transit_needs_entry", "unknown"],
    ],
    [
      // Immigration and Refugee Protection Act, s. 19(1); the own passport is asked for by air only.
      "is permitted to a citizen of Canada on another passport at the land border",
      {
        passports: [passport("IND"), passport("CAN", "2020-01-01", "2010-01-01")],
        stops: [stay("NPL", "2027-01-15", "2027-02-09")],
        transit: [{ country: "CAN", by: "land", airside: false }],
      },
      ["yes", "clear"],
    ],
    [
      "depends on its day if the passport expires at home meanwhile, also with a permit",
      {
        passports: [passport("PER", "2027-01-11")],
        held: [{ kind: "residence_permit", issuer: "USA", validUntil: "2028-08-18" }],
        stops: [stay("PER", "2027-01-05", "2027-02-09")],
        transit: [{ country: "USA", by: "land", airside: false }],
      },
      ["transit_day_not_given", "unknown"],
    ],
    [
      "is no visitor's for who moves freely",
      { passports: [passport("ITA", "2028-03-01", "2010-01-01")], stops: to("MAR"), ...through("DEU") },
      ["yes", "clear"],
    ],
    [
      "is not permitted on an expired passport to who moves freely: Directive 2004/38/EC, Art. 5(1)",
      { passports: [passport("HUN", "2026-10-31", "2017-01-01")], stops: to("MAR"), ...through("HRV") },
      ["no", "blocked"],
    ],
    [
      "is not permitted to a Russian tourist at Estonia's border on a visa of France",
      {
        passports: [passport("RUS")],
        held: [
          { kind: "visa", issuer: "FRA", type: "C", validUntil: "2028-01-01", entries: "multiple" },
          { kind: "visa", issuer: "GBR", validUntil: "2028-01-01" },
        ],
        stops: to("GBR"),
        transit: [{ country: "EST", by: "land", airside: false }],
      },
      ["no", "blocked"],
    ],
    [
      "is open on a visa whose days were used up by the stop before",
      {
        passports: [passport("IND")],
        held: [
          {
            kind: "visa",
            issuer: "FRA",
            type: "C",
            validUntil: "2028-01-01",
            entries: "multiple",
            durationOfStayDays: 10,
          },
        ],
        stops: [stay("FRA", "2027-01-01", "2027-01-10"), stay("MAR", "2027-01-11", "2027-01-20")],
        transit: [{ country: "DEU", airside: false }],
      },
      ["transit_needs_entry", "obtain"],
    ],
    [
      "is permitted at the land border to a citizen of Canada whose passport has expired: Immigration and Refugee Protection Act, s. 19(1)",
      {
        passports: [passport("IND"), passport("CAN", "2026-06-01", "2016-06-02")],
        stops: to("GEO"),
        transit: [{ country: "CAN", by: "land", airside: false }],
      },
      ["yes", "obtain"],
    ],
    [
      "is open where an announced authorisation may be required by then",
      {
        passports: [passport("BRA")],
        stops: [stay("MAR", "2027-05-10", "2027-05-20")],
        ...through("DEU"),
      },
      ["transit_needs_entry", "unknown"],
    ],
    [
      "is permitted with the authorisation in hand",
      {
        passports: [passport("BRA")],
        held: [{ kind: "eta", issuer: "DEU", validUntil: "2029-01-01" }],
        stops: [stay("MAR", "2027-05-10", "2027-05-20")],
        ...through("DEU"),
      },
      ["yes", "clear"],
    ],
    [
      "is not permitted to the holder of another state's permit on a passport of more than ten years: Regulation (EU) 2016/399, Art. 6(1)(a)",
      {
        passports: [passport("CUB", "2028-03-01", "2016-01-01")],
        held: [{ kind: "residence_permit", issuer: "FRA", validUntil: "2028-01-01" }],
        stops: to("MAR"),
        ...through("DEU"),
      },
      ["no", "blocked"],
    ],
  ])("%s", (_, request, expected) => {
    expect(verdictOf(request)).toEqual(expected)
  })

  it("is judged by the dates of each traveller, after any other questions", () => {
    const ask = (issued: string) =>
      verdictOf({ passports: [passport("USA", "2028-03-01", issued)], stops: to("MAR"), ...through("DEU") })
    expect([ask("2020-01-01")[0], ask("2016-01-01")[0], ask("2020-01-01")[0]]).toEqual(["yes", "no", "yes"])
  })
})

describe("a change outside that is open on every passport", () => {
  it("asks the same in every order of the passports", () => {
    const kinds = [
      { ...passport("PRT"), passportKind: "diplomatic" as const },
      { passport: "PER" },
      passport("FRA", "2027-01-15"),
      { passport: "USA" },
    ]
    for (const one of kinds) {
      for (const other of kinds.filter(each => each !== one)) {
        for (const country of ["GBR", "TUR", "SGP", "CAN"]) {
          const request = { stops: to("BMU"), ...through(country) }
          expect(
            verdictOf({ ...request, passports: [one, other] })[1],
            `${one.passport} ${other.passport} ${country}`,
          ).toBe(verdictOf({ ...request, passports: [other, one] })[1])
        }
      }
    }
  })
})

describe("a change of planes without its place", () => {
  it("has to be inside the international area if an entry is not possible", () => {
    const { transit } = decided(dataset, {
      passports: [passport("USA", "2028-03-01", "2016-01-01")],
      stops: to("MAR"),
      transit: ["DEU"],
    })
    expect(transit[0]?.permitted).toMatchObject({ status: "unknown", code: "transit_area_not_given" })
  })
})

describe("a change of planes that is an entry, on a passport without dates", () => {
  const codeOf = (passport: object) => {
    const stops = [{ destination: "JPN", from: "2027-03-01", to: "2027-03-05" }]
    const { transit } = decided(embeddedDataset(), {
      ...{ passport: "USA", stops, transit: [{ country: "FRA", airside: false }] },
      ...passport,
    })
    const { permitted } = transit[0]!
    return permitted.status === "known" ? permitted.value : permitted.code
  }

  it("is unknown until they are given: Regulation (EU) 2016/399, Art. 6(1)(a)", () => {
    expect(codeOf({})).toBe("expiry_not_given")
    expect(codeOf({ passport: "VEN", passportExpiry: "2031-06-01" })).toBe("issue_date_not_given")
    expect(codeOf({ passport: "VEN", passportExpiry: "2031-06-01", passportIssued: "2026-01-01" })).toBe("yes")
    expect(codeOf({ passportExpiry: "2035-01-01" })).toBe("yes")
  })
})

describe("a change of planes that is no entry on a passport", () => {
  it("says that the passport is why, where no visa would help", () => {
    const { blockers } = decided(dataset, {
      ...passport("USA", "2028-03-01", "2016-01-01"),
      stops: to("MAR"),
      ...through("DEU"),
    })
    expect(blockers.map(({ message }) => message)).toEqual([
      "To change in DEU is to enter it, which is not possible on the USA passport.",
    ])
  })

  it("is not permitted without a visa where sources disagree whether visas are issued", () => {
    expect(verdictOf({ passports: [passport("ISR")], stops: to("NPL"), ...through("BGD") })[0]).toBe("no")
  })
})

describe("a country where one changes twice", () => {
  it("is judged at each border that is crossed: Venezuela admits the French without a visa by air only", () => {
    const changes = (["air", "land", "air"] as const).map(by => ({ country: "VEN", by, airside: false }))
    const decision = decided(dataset, { passports: [passport("FRA")], stops: to("USA"), transit: changes })
    expect(decision.transit.map(({ permitted }) => permitted)).toMatchObject([
      { value: "yes" },
      { value: "no" },
      { value: "yes" },
    ])
  })
})

describe("an earlier stay that was too long", () => {
  // 107 days of any 180, where Regulation (EU) 2016/399, Art. 6(1), allows 90.
  const earlierStays = [{ destination: "FRA", from: "2026-06-01", to: "2026-09-15" }]
  const found = (transit: ItineraryRequest["transit"], stops = to("USA")) => {
    const decision = decided(dataset, { passports: [passport("USA")], stops, transit, earlierStays })
    const overstays = decision.conditions.filter(({ code }) => code === "earlier_overstay")
    return [decision.outcome, ...overstays.map(({ step, transit: at }) => step ?? `transit ${at}`)]
  }

  it("is named at each change that is an entry, as at a stop", () => {
    expect(found(null, to("DEU"))).toEqual(["unknown", 0])
    expect(found([{ country: "DEU", airside: false }])).toEqual(["unknown", "transit 0"])
    // A hub that is changed at twice is entered twice.
    const twice = [1, 2].map(() => ({ country: "ESP", by: "land" as const }))
    expect(found(twice)).toEqual(["unknown", "transit 0", "transit 1"])
  })

  it("matters to nobody who stays inside, and nowhere else", () => {
    expect(found([{ country: "DEU", airside: true }])).toEqual(["clear"])
    expect(found([{ country: "MEX", airside: false }])).toEqual(["clear"])
  })
})

describe("what is asked on arrival", () => {
  const asked = (passports: string, transit: ItineraryRequest["transit"], more: Partial<ItineraryRequest> = {}) => {
    const decision = decided(dataset, {
      passports: passports.split(" ").map(code => passport(code)),
      stops: to("ARE"),
      transit,
      ...more,
    })
    const found = decision.conditions.filter(each => each.transit !== undefined)
    return [decision.outcome, ...found.map(({ code, weight, transit: at }) => `${code} ${weight} ${at}`)]
  }
  const outside = (country: string) => ({ country, airside: false })

  it("is to do for a change outside: Thailand, Immigration Bureau, TDAC, of all foreigners who enter", async () => {
    expect(asked("GBR", [outside("THA")])).toEqual(["obtain", "arrival_form obtain 0"])
    const decision = decided(dataset, {
      passports: [passport("GBR")],
      stops: to("ARE"),
      transit: ["KOR", "IND", "THA", "THA"].map(outside),
      held: [{ kind: "visa", issuer: "IND", type: "e-Tourist", validUntil: "2028-01-01", entries: "multiple" }],
    })
    const forms = completeToDo(await loadFullFacts(), decision).toDo.filter(({ code }) => code === "arrival_form")
    expect(forms.map(({ name, step, transits }) => [name, step, transits])).toEqual([
      ["e-Arrival Card", null, [1]],
      ["Air Suvidha", null, [1]],
      ["TDAC", null, [2]],
      ["TDAC", null, [3]],
    ])
    // The day of the change is not given, and so not the day from which on it can be filled in.
    expect(forms[2]?.message).toBe("Fill in an arrival form online before the arrival.")
  })

  it("is not the visa that is in hand, though its days are not named: Türkiye's e-visa", () => {
    const held = [{ kind: "visa", issuer: "TUR" }] as const
    const home = (more: Partial<ItineraryRequest>) => asked("ZAF", [outside("TUR")], { stops: to("BWA"), ...more })
    expect(home({})).toEqual(["obtain", "e_visa obtain 0"])
    expect(home({ held })).toEqual(["unknown"])
    expect(home({ held: [{ ...held[0], durationOfStayDays: 30 }] })).toEqual(["clear"])
  })

  it("is what a stop asks of the holder of another state's visa: Qatar, Hayya A3 with a visa of the United States", () => {
    const held = [{ kind: "visa", issuer: "USA", validUntil: "2028-01-01", entries: "multiple" }] as const
    expect(asked("EGY", [outside("QAT")], { held })).toEqual([
      "obtain",
      "eta obtain 0",
      "registration obtain 0",
      "bring obtain 0",
    ])
  })

  it("is not asked inside, and has to be checked where the area is not given", () => {
    expect(asked("GBR", [{ country: "THA", airside: true }])[1]).toBeUndefined()
    expect(asked("GBR", ["THA"])).toEqual(["unknown", "arrival_form check 0"])
    // New Zealand Traveller Declaration: not of passengers in transit who stay in the transit area.
    expect(asked("GBR", [{ country: "NZL", airside: true }])).toEqual(["obtain", "eta obtain 0"])
    expect(asked("GBR", [outside("NZL")]).slice(1)).toContain("arrival_form obtain 0")
  })

  it("is not asked of a traveller who has a passport of the country too", () => {
    expect(asked("GBR THA", [outside("THA")])).toEqual(["clear"])
  })

  it("is asked too where a rule of transit lets a passport in without a visa: China, arrival card of all foreigners", () => {
    expect(asked("USA", [outside("CHN")]).slice(1)).toContain("arrival_form obtain 0")
    // Whether the 240 hours are given for a passport that is too short for a visit is not recorded.
    const short = { passports: [passport("USA", "2027-05-01")], stops: to("MEX"), ...through("CHN") }
    expect(verdictOf(short)).toEqual(["validity_not_named", "unknown"])
  })

  it("is a certificate of vaccination if a stop before may be the reason: International Health Regulations, Annex 7(2)", () => {
    const stops = (country: string) => [
      stay(country, "2027-01-01", "2027-01-05"),
      stay("FRA", "2027-01-05", "2027-02-09"),
    ]
    const changeAfter = (country: string, area: boolean) =>
      asked("FRA", [{ country: "EGY", airside: area }], { stops: stops(country) }).slice(1)
    expect(changeAfter("KEN", false)).toContain("check_vaccination check 0")
    expect(changeAfter("MAR", false).join()).not.toContain("vaccination")
    expect(changeAfter("KEN", true)).toEqual([])
    // In Ghana of everybody.
    expect(asked("CPV", [outside("GHA")])).toContain("vaccination obtain 0")
  })

  it("is registration at the border of the Schengen area: Regulation (EU) 2017/2226, Art. 2(1)", () => {
    expect(asked("USA", [outside("DEU")]).slice(1)).toContain("entry_exit_system info 0")
    expect(asked("USA", [{ country: "DEU", airside: true }])).toEqual(["clear"])
  })
})

describe("a change outside and a stay of one day on the same passport", () => {
  // Where sources dispute what is needed for a change, both answers are named.
  const saidOf = ({ transit: [change] }: ReturnType<typeof decided>) =>
    change?.permitted.status === "unknown" && change.permitted.code === "disputed"
      ? String(change.permitted.params.says).split(/[ /]+/)
      : []
  // Who changes planes has the purpose of transit.
  const isOfPurpose = ({ code }: { readonly code: string }) => code === "purpose"
  // A certificate that has to be shown on one day has to be checked if the day is not given.
  const sameAs = (code: string) => code.replace("check_", "")
  const day = "2026-12-10"

  it("ask the same on arrival, with and without a visa of the country", () => {
    const missing: string[] = []
    let compared = 0
    for (const code of sampleOf(dataset.passports, 20)) {
      if (!dataset.destinations.includes(code)) continue
      for (const country of dataset.destinations) {
        if (country === code) continue
        for (const held of [[], [{ kind: "visa" as const, issuer: country, validUntil: "2028-01-01" }]]) {
          const more = { passports: [passport(code, "2036-01-01", "2026-06-02")], held }
          const visit = decided(dataset, { ...more, stops: [stay(country, day, day)] })
          const change = decided(dataset, { ...more, stops: [stay(code, day, day)], ...through(country) })
          const { permitted, decidedBy, because } = change.transit[0]!
          const isBlocked = permitted.status === "known" && permitted.value === "no"
          // Without a visa, by a rule of transit or by another source, nothing is asked that belongs to the visa.
          const isAsked = ({ code }: { readonly code: string }) =>
            (decidedBy === null && saidOf(change).length === 0) || (DUTIES.includes(code) && code !== "insurance")
          if (isBlocked) continue
          const ofChange = change.conditions.flatMap(({ transit, code }) => (transit === 0 ? sameAs(code) : []))
          const named = [...ofChange, ...saidOf(change)]
          for (const each of visit.conditions.filter(isAsked)) {
            // On a visa in hand nobody asks whether the passport is biometric.
            if (isOfPurpose(each) || (each.code === "passport_kind" && because.length > 0)) continue
            compared++
            if (!named.includes(sameAs(each.code))) missing.push(`${code} ${country} ${held.length} ${each.code}`)
          }
        }
      }
    }
    expect(missing).toEqual([])
    expect(compared).toBeGreaterThan(2000)
  })

  it("ask for no visa or authorisation that the other does not ask for, whatever is held", () => {
    const asked: string[] = []
    let compared = 0
    const MORE = { validUntil: "2029-01-01", entries: "multiple" } as const
    for (const code of sampleOf(dataset.passports, 50)) {
      for (const country of dataset.destinations) {
        for (const held of [
          [{ kind: "visa" as const, issuer: country }],
          [{ kind: "visa" as const, issuer: "USA", used: true, ...MORE }],
          [{ kind: "residence_permit" as const, issuer: "GBR", permanent: true, ...MORE }],
        ]) {
          const more = { passports: [passport(code)], held }
          const visit = decided(dataset, { ...more, stops: [stay(country, day, day)] })
          // A visit takes an easier entry that has to be checked, where a change takes the one that is certain: K-ETA or, with a visa of the United
          // States and a journey through Korea, none.
          const isChecked = visit.conditions.some(({ weight }) => weight === "check")
          const bare = isChecked ? decided(dataset, { ...more, held: [], stops: [stay(country, day, day)] }) : visit
          const home = country === "PRK" ? "THA" : "PRK"
          const change = decided(dataset, { ...more, stops: [stay(home, day, day)], ...through(country) })
          const { conditions } = change
          const required = conditions.filter(({ transit, code }) => transit === 0 && isRequirement(code))
          compared += required.length
          const isAskedThere = (code: string) =>
            saidOf(change).includes(code) || [...visit.conditions, ...bare.conditions].some(each => each.code === code)
          if (!required.every(each => isAskedThere(each.code))) asked.push(`${code} ${country} ${held[0]!.issuer}`)
        }
      }
    }
    expect(asked).toEqual([])
    expect(compared).toBeGreaterThan(150)
  })

  it("leave the same open: whoever may enter may change", () => {
    const open: string[] = []
    let clear = 0
    for (const code of sampleOf(dataset.passports, 20)) {
      if (!dataset.destinations.includes(code)) continue
      for (const country of dataset.destinations) {
        const more = { passports: [passport(code, "2036-01-01", "2026-06-02")] }
        const home = stay(code, day, day)
        const visit = decided(dataset, { ...more, stops: [stay(country, day, day)] })
        if (visit.outcome !== "clear") continue
        const change = decided(dataset, { ...more, stops: [home], ...through(country) })
        if (change.steps[0]?.outcome !== "clear") continue
        clear++
        if (change.outcome !== "clear") open.push(`${code} ${country}`)
      }
    }
    expect(open).toEqual([])
    expect(clear).toBeGreaterThan(200)
  })

  it("are hindered by the same", () => {
    const free: string[] = []
    let hindered = 0
    for (const code of sampleOf(dataset.passports, 20)) {
      if (!dataset.destinations.includes(code)) continue
      for (const country of dataset.destinations) {
        if (country === code) continue
        const more = { passports: [passport(code, "2027-01-05", "2016-01-01")] }
        const visit = decided(dataset, { ...more, stops: [stay(country, day, day)] })
        if (visit.outcome !== "blocked") continue
        hindered++
        const change = decided(dataset, { ...more, stops: [stay(code, day, day)], ...through(country) })
        const { permitted } = change.transit[0]!
        if (permitted.status === "known" && permitted.value === "yes") free.push(`${code} ${country}`)
      }
    }
    expect(free).toEqual([])
    expect(hindered).toBeGreaterThan(500)
  })
})
