import { describe, expect, it } from "vitest"
import type { Facts } from "../../src/compiler.ts"
import { describePair, type PairDescription } from "../../src/index.ts"
import { openSmall, policy, rule, stayRule } from "../dataset/small-facts.ts"

const found = (changes: Partial<Facts>, passport = "AAA", destination = "BBB", on?: string): PairDescription => {
  const pair = describePair(openSmall(changes), passport, destination, { on })
  if (pair.kind !== "found") throw new Error(pair.message)
  return pair
}
const byTable = { requirement: "e_visa", days: 30 } as const
const table = { id: "table", name: "A table", url: null, imported: true, snapshotOn: "2026-01-01" }
const law = { id: "law", name: "A law", url: "https://law.example/", imported: false, snapshotOn: null }
const second = { id: "second", name: "Another", url: "https://second.example/", imported: false, snapshotOn: null }
const sources = [table, law, second]

describe("a change that a log names", () => {
  const change = {
    destinations: ["BBB"],
    on: "2026-03-01",
    change: "Visas.",
    source: "law",
    sourceUrl: null,
    verifiedOn: null,
  }
  const since = (changes: Partial<Facts>, on?: string, passport = "AAA") =>
    found({ sources, changeLog: [change], ...changes }, passport, "BBB", on).changedSince?.on ?? null
  const decided = (rules: object) => ({ policies: [policy("BBB", { reviewed: [rule(["AAA"], rules)] })] })

  it("is newer than a table of an earlier day", () => {
    expect(found({ sources, changeLog: [change] }).changedSince).toEqual({
      on: "2026-03-01",
      change: "Visas.",
      source: { id: "law", name: "A law", url: "https://law.example/", imported: false, compiled: false },
      sourceUrl: "https://law.example/",
    })
  })

  it("is not told of a day before it", () => {
    expect([since({}, "2026-02-28"), since({}, "2026-03-01")]).toEqual([null, "2026-03-01"])
  })

  it("is settled by a rule that somebody verified since, or that began since", () => {
    expect(since(decided({ source: "law", verifiedOn: "2026-02-28" }))).toBe("2026-03-01")
    expect(since(decided({ source: "law", verifiedOn: "2026-03-01" }))).toBeNull()
    expect(since(decided({ source: "law" }))).toBe("2026-03-01")
    expect(since(decided({ source: "law", from: "2026-04-01" }))).toBeNull()
    expect(since({ sources: [{ ...table, snapshotOn: "2026-03-02" }, law] })).toBeNull()
  })

  it("concerns whom it names, and nobody who is at home", () => {
    const named = { changeLog: [{ ...change, passports: ["CCC"] }] }
    expect([since(named), since(named, undefined, "CCC"), since({}, undefined, "BBB")]).toEqual([
      null,
      "2026-03-01",
      null,
    ])
  })

  it("is the newest of them", () => {
    expect(since({ changeLog: [change, { ...change, on: "2026-05-01" }, { ...change, on: "2026-04-01" }] })).toBe(
      "2026-05-01",
    )
  })

  it("is settled by a second source that agreed since, and by none that did not", () => {
    const says = (requirement: "visa_required" | "eta", checkedOn: string) => ({
      corroboration: [
        {
          destination: "BBB",
          checks: [{ source: "second", sourceUrl: null, checkedOn, says: [{ requirement, days: null }] }],
        },
      ],
    })
    expect(since(says("visa_required", "2026-04-01"))).toBeNull()
    expect(since(says("visa_required", "2026-02-01"))).toBe("2026-03-01")
    expect(since(says("eta", "2026-04-01"))).toBe("2026-03-01")
  })
})

describe("a second source", () => {
  const says = (answers: readonly object[], changes: object = {}, checkedOn = "2026-04-01"): Partial<Facts> => ({
    sources,
    policies: [policy("BBB", { rules: [rule(["AAA"], { ...byTable, ...changes })] })],
    corroboration: [
      {
        destination: "BBB",
        checks: [
          {
            source: "second",
            sourceUrl: "https://second.example/bbb",
            checkedOn,
            says: answers as never,
            silent: ["CCC"],
          },
        ],
      },
    ],
  })

  it("agrees where it asks the same and gives the same days, or none", () => {
    expect(found(says([byTable])).corroboration).toEqual({
      agrees: true,
      reason: null,
      isOpen: false,
      ...byTable,
      source: { id: "second", name: "Another", url: "https://second.example/", imported: false, compiled: false },
      sourceUrl: "https://second.example/bbb",
      checkedOn: "2026-04-01",
    })
    expect(found(says([{ ...byTable, days: null }])).corroboration).toMatchObject({ agrees: true, days: null })
  })

  it("differs where it asks something else, or gives other days", () => {
    expect(found(says([{ requirement: "visa_free", days: 30 }])).corroboration).toMatchObject({
      agrees: false,
      requirement: "visa_free",
      days: 30,
    })
    expect(found(says([{ ...byTable, days: 60 }])).corroboration).toMatchObject({ agrees: false, days: 60 })
  })

  it("gives the reason why our answer stands, and is open where nothing decides, though both ask the same", () => {
    const because = (reason: object) => {
      const facts = says([
        { requirement: "visa_free", days: 30 },
        { ...byTable, passports: ["CCC"] },
      ])
      const [record] = facts.corroboration ?? []
      const [check] = record?.checks ?? []
      return {
        ...facts,
        corroboration: [{ ...record, checks: [{ ...check, silent: undefined, reasons: [reason] }] }],
      } as never
    }
    const kept = { passports: ["AAA"], reason: "The law says so." }
    expect(found(because(kept)).corroboration).toMatchObject({
      agrees: false,
      reason: "The law says so.",
      isOpen: false,
    })
    const open = { passports: ["AAA", "CCC"], reason: "Two pages differ.", open: true }
    expect(found(because(open)).corroboration).toMatchObject({
      agrees: false,
      reason: "Two pages differ.",
      isOpen: true,
    })
    expect(found(because(open), "CCC").corroboration).toMatchObject({ agrees: false, ...byTable, isOpen: true })
  })

  it("says nothing of whom it leaves out, of its own citizens, and of a rule that began since", () => {
    expect(found(says([byTable]), "CCC").corroboration).toBeNull()
    expect(found(says([byTable]), "BBB").corroboration).toBeNull()
    expect(found({ ...says([{ ...byTable, passports: ["@NEW"] }]) }).corroboration).toBeNull()
    expect(found(says([byTable], { from: "2026-05-01" })).corroboration).toBeNull()
  })

  it("is none where its own page was followed, unless it says something else by now", () => {
    const followed = { source: "second", verifiedOn: "2026-04-01" }
    expect(found(says([byTable], followed)).corroboration).toBeNull()
    expect(found(says([{ requirement: "visa_free", days: 30 }], followed)).corroboration).toMatchObject({
      agrees: false,
    })
  })

  it("confirms the days of an e-visa, which a table alone does not", () => {
    const unconfirmed = { sources, policies: [policy("BBB", { rules: [rule(["AAA"], byTable)] })] }
    expect(found(unconfirmed).stayBasis).toBe("table")
    expect(found(says([byTable])).stayBasis).toBeNull()
    expect(found(says([{ ...byTable, days: null }])).stayBasis).toBe("table")
    expect(found({ ...unconfirmed, stayRules: [stayRule()] }).stayBasis).toBeNull()
    const free = policy("BBB", { rules: [rule(["AAA"], { requirement: "visa_free", days: 30 })] })
    expect(found({ sources, policies: [free] }).stayBasis).toBeNull()
    const read = policy("BBB", { rules: [rule(["AAA"], { ...byTable, source: "law" })] })
    expect(found({ sources, policies: [read] }).stayBasis).toBeNull()
  })
})
