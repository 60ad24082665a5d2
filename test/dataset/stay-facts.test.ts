import { describe, expect, it } from "vitest"
import type { Facts } from "../../src/compiler.ts"
import { issuesOf, stayRule, zone } from "./small-facts.ts"

const lines = (changes: Partial<Facts>) =>
  issuesOf(changes).map(({ tag, record, field, message }) => `${tag} ${record} ${field}: ${message}`)

describe("a stay rule", () => {
  const longList = "For AAA in BBB from 1900-01-01 on, [0] is a stay rule too."
  it.each<[string, Parameters<typeof stayRule>[0], string]>([
    [
      "an unknown kind",
      { kind: "by_moon" as never },
      'ImpossibleRule stay-rules [0].kind: "by_moon" is not one of per_entry, rolling, calendar_year, per_year_of_entry, beside_zone, may_exceed_zone.',
    ],
    [
      "no window to roll",
      { kind: "rolling" },
      "ImpossibleRule stay-rules [0].window_days: A rolling rule has a window longer than its days; calendar years and entries have none.",
    ],
    [
      "a window that no stay could break",
      { kind: "rolling", windowDays: 90 },
      "ImpossibleRule stay-rules [0].window_days: A rolling rule has a window longer than its days; calendar years and entries have none.",
    ],
    [
      "a window of a year",
      { windowDays: 365 },
      "ImpossibleRule stay-rules [0].window_days: A rolling rule has a window longer than its days; calendar years and entries have none.",
    ],
    [
      "months of a calendar year",
      { days: null, months: 6 },
      "ImpossibleRule stay-rules [0].months: Months are given for per_entry only, instead of days.",
    ],
    ["days that are none", { days: 0 }, "ImpossibleRule stay-rules [0].days: 0 is not a whole number from 1 to 3650."],
    [
      "days outside of a calendar year",
      { daysOutside: 90 },
      "ImpossibleRule stay-rules [0].days_outside: Days outside before a new entry are given for per_entry only.",
    ],
    [
      "a visit longer than all days together",
      { visitDays: 91 },
      "ImpossibleRule stay-rules [0].visit_days: The longest visit is not longer than all days together, and for per_entry it is the days themselves.",
    ],
    [
      "a zone beside nothing",
      { zone: "area" },
      "ImpossibleRule stay-rules [0].zone: A zone is named by beside_zone and may_exceed_zone only.",
    ],
    [
      "no agreement",
      { kind: "beside_zone", zone: "area" },
      "ImpossibleRule stay-rules [0].agreement: An agreement is named by beside_zone.",
    ],
    [
      "a zone that does not exist",
      { kind: "beside_zone", zone: "sea", agreement: "An agreement" },
      'ImpossibleRule stay-rules [0].zone: "sea" is not a zone.',
    ],
  ])("is refused with %s", (_, changes, line) => {
    expect(lines({ zones: [zone()], stayRules: [stayRule(changes)] })).toEqual([line])
  })

  it("is refused if another rule of its rank is about the same people and days", () => {
    const refusal = [`RulesDisagree stay-rules [1].destinations: ${longList}`]
    expect(lines({ stayRules: [stayRule(), stayRule({ kind: "per_entry" })] })).toEqual(refusal)
    const named = stayRule({ passports: ["AAA"] })
    expect(lines({ stayRules: [stayRule(), named] })).toEqual([])
    expect(lines({ stayRules: [named, stayRule({ passports: ["AAA", "CCC"] })] })).toEqual(refusal)
    expect(lines({ stayRules: [stayRule({ except: ["AAA", "CCC"] }), stayRule({ except: ["BBB"] })] })).toEqual([])
    const earlier = stayRule({ until: "2026-03-01" })
    expect(lines({ stayRules: [earlier, stayRule({ from: "2026-03-01" })] })).toEqual([])
    const ofVisas = stayRule({ requirements: ["e_visa"] })
    expect(lines({ stayRules: [ofVisas, stayRule({ requirements: ["visa_free"] })] })).toEqual([])
  })
})

describe("a logged change and a second source", () => {
  const change = {
    destinations: ["BBB"],
    on: "2026-03-01",
    change: "Visas.",
    source: null,
    sourceUrl: null,
    verifiedOn: null,
  }
  const check = (changes: object) => ({
    corroboration: [
      {
        destination: "BBB",
        checks: [
          {
            source: "law",
            sourceUrl: null,
            checkedOn: "2026-05-01",
            says: [{ requirement: "visa_free" as const, days: null, passports: ["AAA"] }],
            ...changes,
          },
        ],
      },
    ],
  })
  it.each<[string, Partial<Facts>, string]>([
    [
      "a day that no calendar has",
      { changeLog: [{ ...change, on: "2026-13-01" }] },
      'NotACalendarDate change-log [0].on: "2026-13-01" is not a calendar date YYYY-MM-DD from 1900 to 2199.',
    ],
    [
      "a destination that does not exist",
      { changeLog: [{ ...change, destinations: ["QQQ"] }] },
      'UnknownCode change-log [0].destinations[0]: "QQQ" is not one of the 4 destinations.',
    ],
    [
      "the same line twice",
      { changeLog: [change, change] },
      "DuplicateRule change-log [1]: The same is already in [0].",
    ],
    [
      "a source that is not listed",
      check({ source: "hearsay" }),
      'UnknownSource corroboration/BBB checks[0].source: "hearsay" is not an id of sources.json.',
    ],
    [
      "two answers for one passport",
      check({
        says: [
          { requirement: "visa_free", days: null, passports: ["AAA"] },
          { requirement: "eta", days: null, passports: ["AAA"] },
        ],
      }),
      "DuplicateRule corroboration/BBB checks[0].says[1].passports[0]: AAA is already in checks[0].says[0].passports.",
    ],
    [
      "two answers for everybody else",
      check({
        says: [
          { requirement: "visa_free", days: null },
          { requirement: "eta", days: null },
        ],
      }),
      "ImpossibleRule corroboration/BBB checks[0].says: At most one answer may be for all passports that are not named elsewhere.",
    ],
    [
      "an answer that is none",
      check({ says: [{ requirement: "free", days: null, passports: ["AAA"] }] }),
      'ImpossibleRule corroboration/BBB checks[0].says[0].requirement: "free" is not one of visa_free, eta, visa_on_arrival, e_visa, visa_required, no_admission.',
    ],
    [
      "an answer for somebody of whom it says nothing",
      check({ silent: ["AAA"] }),
      "DuplicateRule corroboration/BBB checks[0].silent[0]: AAA is already in checks[0].says[0].passports.",
    ],
  ])("are refused with %s", (_, changes, line) => {
    expect(lines(changes)).toEqual([line])
  })
})
