import { readFileSync } from "node:fs"
import { gzipSync } from "node:zlib"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { compileFacts, encodeDataset, layOutHistory } from "../../src/compiler.ts"
import {
  addHistory,
  embeddedHistory,
  listPast,
  lookupPast,
  openHistory,
  type PastAnswer,
  pastDataset,
  readDatasetHistory,
} from "../../src/history.ts"
import {
  embeddedDataset,
  formatCivilDate,
  lookup,
  lookupRequirement,
  openDataset,
  parseCivilDate,
  rankPassports,
  scorePassport,
} from "../../src/index.ts"
import { smallFacts } from "../dataset/small-facts.ts"
import { oracleColumns, oracleDays, readTableOf } from "../oracles/past.ts"
import { sampleOf } from "../sample.ts"
import "../property-seed.ts"

const history = embeddedHistory()

const ask = (pair: string, on: string) => lookupPast(history, pair.slice(0, 3), pair.slice(3), on)
const sayValue = (answer: PastAnswer) =>
  answer.kind === "found" ? `${answer.value.word} ${answer.value.days ?? ""}`.trim() : answer.kind

/** The periods of a pair, as `value (after, by] last`. */
const sayPeriods = (pair: string) =>
  listPast(history, pair.slice(0, 3), pair.slice(3)).map(({ value, firstSeen, lastSeen }) =>
    [value.word, ...(value.days === null ? [] : [value.days]), `(${firstSeen.after}, ${firstSeen.by}]`, lastSeen].join(
      " ",
    ),
  )

describe("an answer for a past day", () => {
  it("is that of the table of this day, for a hundred random pairs and days, read by the oracle", () => {
    const passports = embeddedDataset().passports
    fc.assert(
      fc.property(
        fc.constantFrom(...oracleDays),
        fc.constantFrom(...passports),
        fc.constantFrom(...oracleColumns),
        (on, passport, destination) => {
          const said = readTableOf(on, passport, destination)
          const answer = lookupPast(history, passport, destination, on)
          if (said === null) expect(answer.kind).toBe("no_record")
          else expect(answer).toMatchObject({ kind: "found", status: "imported", value: said, or: null })
        },
      ),
      { numRuns: 100 },
    )
  })

  it("is that of every line of the tables that are kept beside the tests", () => {
    for (const on of oracleDays) {
      for (const line of readFileSync(`test/fixtures/past-tables/${on}.csv`, "utf8").trim().split("\n").slice(1)) {
        const [passport = "", destination = "", value = ""] = line.split(",")
        if (value === "-1") continue
        const answer = lookupPast(history, passport, destination, on)
        const said = /^\d+$/.test(value)
          ? `visa_free ${value}`
          : value === "e-visa"
            ? on < "2025-01-12"
              ? "e_visa_or_eta"
              : "e_visa"
            : value === "Hayya Entry Permit"
              ? "hayya_permit"
              : value.replaceAll(" ", "_")
        expect(sayValue(answer), `${on} ${line}`).toBe(said)
      }
    }
  })

  it("has the known changes within the span that the tables allow", () => {
    // France to China began on 2023-12-01; India to Thailand on 2023-11-10, which the tables show late.
    expect(sayPeriods("FRACHN")).toEqual([
      "visa_required (null, 2020-11-19] 2023-11-06",
      "visa_free 15 (2023-11-06, 2023-12-03] 2024-11-11",
      "visa_free 30 (2024-11-11, 2024-12-04] 2026-02-17",
    ])
    expect(sayPeriods("INDTHA")).toContain("visa_free 30 (2024-01-05, 2024-02-07] 2024-05-08")
    // Georgia to Russia began on 2023-05-15: three copies of an older table prove nothing in between.
    expect(sayPeriods("GEORUS")).toContainEqual(expect.stringContaining("(2023-04-06, 2023-08-15]"))
  })

  it("has the exact day if the authority published its lists: the United Kingdom's visa for Jordan and Botswana", () => {
    expect(sayPeriods("JORGBR")).toEqual([
      "visa_required (null, 2015-11-17] 2024-02-21",
      "eta (2024-02-21, 2024-02-22] 2024-09-09",
      "visa_required (2024-09-09, 2024-09-10] 2026-08-21",
    ])
    expect(sayPeriods("BWAGBR").at(-1)).toBe("visa_required (2025-10-13, 2025-10-14] 2026-08-21")
    expect(ask("JORGBR", "2024-09-09")).toMatchObject({ status: "published", value: { requirement: "eta" }, or: null })
    expect(ask("JORGBR", "2024-09-10")).toMatchObject({ status: "published", value: { requirement: "visa_required" } })
  })

  it("agrees with today's answers at the end of the United Kingdom's lists, for every passport that they name", () => {
    const compared = embeddedDataset().passports.flatMap(passport => {
      const then = ask(`${passport}GBR`, "2026-08-21")
      const today = lookup(passport, "GBR")
      if (then.kind !== "found" || today.kind !== "found") return []
      return [then.value.requirement === today.requirement]
    })
    expect(compared).toHaveLength(197)
    expect(compared.filter(isSame => !isSame)).toEqual([])
  })

  it("gives both answers on a day between two tables that differ, and one on the days of the tables", () => {
    expect(ask("FRACHN", "2023-11-06")).toMatchObject({ value: { requirement: "visa_required" }, or: null })
    expect(ask("FRACHN", "2023-11-20")).toMatchObject({
      value: { requirement: "visa_required" },
      lastSeen: "2023-11-06",
      or: {
        value: { requirement: "visa_free", days: 15 },
        firstSeen: { after: "2023-11-06", by: "2023-12-03" },
      },
    })
    expect(ask("FRACHN", "2023-12-03")).toMatchObject({ value: { requirement: "visa_free", days: 15 }, or: null })
  })

  it("gives both answers in the gap from 2025-01-12 to 2026-02-17, with its span, only if its ends differ", () => {
    const span = { after: "2025-01-12", by: "2026-02-17" }
    const differing = { open: 0, closed: 0 }
    for (const destination of ["CHN", "KEN", "VNM", "SUR"]) {
      for (const passport of embeddedDataset().passports) {
        const [before, within, after] = ["2025-01-12", "2025-08-01", "2026-02-17"].map(on =>
          lookupPast(history, passport, destination, on),
        )
        if (before?.kind !== "found" || within?.kind !== "found" || after?.kind !== "found") continue
        if (sayValue(before) === sayValue(after)) {
          expect(within.or).toBeNull()
          differing.closed++
        } else {
          expect(within.value).toEqual(before.value)
          expect(within.or).toEqual({ value: after.value, firstSeen: span })
          differing.open++
        }
      }
    }
    expect(differing.open).toBeGreaterThan(150)
    expect(differing.closed).toBeGreaterThan(150)
  })

  it("distinguishes a ban of the pandemic from a law: no admission, for a reason", () => {
    expect(ask("INDTHA", "2021-05-13")).toMatchObject({
      value: { requirement: "no_admission", word: "covid_ban", days: null, reason: "covid_ban" },
    })
    expect(ask("ISRIRN", "2023-12-03")).toMatchObject({ value: { word: expect.not.stringMatching("covid") } })
  })

  it("never turns an ambiguous word of a table into a requirement", () => {
    expect(ask("FRAQAT", "2022-11-20")).toMatchObject({ value: { requirement: null, word: "hayya_permit" } })
    // The tables wrote e-visa for an eTA until 2025-01-12, and this one never changed.
    expect(ask("FRAUSA", "2022-01-05")).toMatchObject({
      value: { requirement: null, word: "e_visa_or_eta" },
      laterCalled: "eta",
    })
    expect(sayPeriods("FRAUSA").at(-1)).toMatch(/^e_visa_or_eta .* 2026-02-17$/)
  })

  it("has no record before the first day, which it names, and after the last", () => {
    expect(ask("FRACHN", "2020-11-18")).toEqual({
      kind: "no_record",
      reason: "before_history",
      message: "Nothing is recorded before 2020-11-19.",
      firstOn: "2020-11-19",
    })
    expect(ask("FRAGBR", "2015-11-16")).toMatchObject({ reason: "before_history", firstOn: "2015-11-17" })
    expect(ask("FRACHN", "2026-02-18")).toMatchObject({
      reason: "after_history",
      message: "The history ends on 2026-02-17; the dataset answers for later days.",
    })
  })

  it("has no record for unknown codes, and is malformed for an invalid code or day", () => {
    expect(ask("ZZZCHN", "2023-01-01")).toMatchObject({ kind: "no_record", reason: "unknown_passport" })
    expect(ask("FRAZZZ", "2023-01-01")).toMatchObject({ kind: "no_record", reason: "unknown_destination" })
    expect(ask("FRAFRA", "2023-01-01")).toMatchObject({ kind: "no_record", reason: "no_rule" })
    expect(ask("fraCHN", "2023-01-01")).toMatchObject({ kind: "malformed", field: "passport" })
    expect(ask("FRAchn", "2023-01-01")).toMatchObject({ kind: "malformed", field: "destination" })
    for (const on of ["2023-02-29", "", "2023-1-1"]) {
      expect(ask("FRACHN", on)).toMatchObject({ kind: "malformed", field: "on" })
    }
    expect(lookupPast(history, "FRA", "CHN", Number.NaN)).toMatchObject({ kind: "malformed", field: "on" })
    expect(lookupPast(history, "FRA", "CHN", null as never)).toMatchObject({ kind: "malformed", field: "on" })
  })

  it("is the same for a day's number as for its text", () => {
    fc.assert(
      fc.property(fc.integer({ min: 18_500, max: 20_600 }), day => {
        expect(lookupPast(history, "FRA", "CHN", day)).toBe(lookupPast(history, "FRA", "CHN", formatCivilDate(day)))
      }),
    )
    expect(parseCivilDate("2020-11-19")).toBe(18_585)
  })

  it("is never called verified", () => {
    const statuses = new Set(
      history.series.flatMap(({ passports, destinations }) =>
        passports.flatMap(passport =>
          destinations.map(destination => {
            const answer = lookupPast(history, passport, destination, "2023-06-01")
            return answer.kind === "found" ? answer.status : null
          }),
        ),
      ),
    )
    expect([...statuses].sort()).toEqual(["imported", null, "published"].sort())
  })
})

describe("the view of a dataset on a past day", () => {
  const dataset = embeddedDataset()
  const view = (on: string) => {
    const made = pastDataset(history, dataset, on)
    if (!made.ok) throw new Error(made.error.message)
    return made.value
  }

  it("answers every pair like the lookup of the past", () => {
    const past = view("2024-05-27")
    for (const passport of sampleOf(past.passports, 6)) {
      for (const destination of past.destinations) {
        const answer = lookupPast(history, passport, destination, "2024-05-27")
        const seen = lookupRequirement(past, passport, destination)
        if (passport === destination) expect(seen).toMatchObject({ kind: "found", home: true })
        else if (answer.kind !== "found") expect(seen.kind).toBe("no_record")
        else {
          const counted = answer.value.requirement ?? answer.laterCalled ?? "e_visa"
          expect(seen).toMatchObject({ requirement: counted, days: answer.value.days, verifiedOn: null, home: false })
        }
      }
    }
  })

  it("scores and ranks passports, and names its day", () => {
    const ranking = rankPassports(view("2022-03-06"))
    expect(ranking.ok && [ranking.value.passports.length, ranking.value.on]).toEqual([199, "2022-03-06"])
    const score = scorePassport(view("2022-03-06"), "JPN")
    // A destination that admits nobody in the pandemic is closed.
    expect(score.ok && score.value.kind === "found" && score.value.breakdown.access.detail.no_admission).toBe(19)
  })

  it("is refused for days without a table", () => {
    for (const on of ["2020-11-18", "2026-02-18", "2023-02-29", ""]) {
      expect(pastDataset(history, dataset, on)).toMatchObject({
        ok: false,
        error: {
          message: `on: "${on}" is not a calendar date YYYY-MM-DD from 2020-11-19 to 2026-02-17.`,
        },
      })
    }
  })
})

describe("a dataset file with a history of its own", () => {
  const compiled = compileFacts(smallFacts())
  const parts = compiled.ok ? compiled.value : null

  it("returns it, and one without has none", () => {
    const bytes = layOutHistory([
      {
        source: { id: "tables", name: "Tables", url: null },
        kind: "seen",
        days: ["2021-01-01"],
        untilOn: "2021-12-31",
        changes: [{ destination: "CHN", on: "2021-01-01", word: "visa_free", days: 7, passports: ["FRA"] }],
      },
    ])
    const extended = bytes.ok && parts !== null ? addHistory(parts, bytes.value) : null
    const opened = extended?.ok ? openDataset(encodeDataset(extended.value)) : null
    const own = opened?.ok ? readDatasetHistory(opened.value) : null
    expect(own?.ok && own.value && lookupPast(own.value, "FRA", "CHN", "2021-06-01")).toMatchObject({
      value: { requirement: "visa_free", days: 7 },
    })
    expect(readDatasetHistory(embeddedDataset())).toEqual({ ok: true, value: null })
  })

  it("is refused if the bytes are something else", () => {
    expect(parts !== null && addHistory(parts, new Uint8Array(3))).toMatchObject({ ok: false })
  })
})

describe("the bytes of a history", () => {
  it("take at most 20 KB gzip, from 2020-11-19 on and with stays", () => {
    expect(gzipSync(readFileSync("src/history/embedded-history.generated.ts"), { level: 9 }).length).toBeLessThan(
      20_000,
    )
  })

  it("are refused unless they are a whole history", () => {
    for (const bytes of [new Uint8Array(0), new Uint8Array(100).fill(255), Uint8Array.from([76, 70, 72, 49, 0])]) {
      expect(openHistory(bytes)).toEqual({
        ok: false,
        error: {
          tag: "MalformedDataset",
          message: "The bytes are not a history: `landfall dataset build` and `npm run embed` write one.",
        },
      })
    }
    expect(openHistory("LFH1" as never).ok).toBe(false)
  })
})
