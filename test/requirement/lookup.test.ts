import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  datasetOn,
  embeddedDataset,
  type Found,
  formatCivilDate,
  lookup,
  lookupAt,
  lookupRequirement,
} from "../../src/index.ts"
import { lookupAtOn } from "../../src/requirement/lookup.ts"
import { importedDataset } from "../dataset/imported-table.ts"
import { lookupByWalking, oracleDestinations, oraclePassports } from "../oracles/lookup.ts"
import { countTrips } from "../sample.ts"

const dataset = embeddedDataset()
const found = (passport: string, destination: string, on?: string): Found => {
  const answer = lookup(passport, destination, on === undefined ? {} : { on })
  if (answer.kind !== "found") throw new Error(`${passport} ${destination}: ${answer.message}`)
  return answer
}
const flatten = (answer: ReturnType<typeof lookup>) =>
  answer.kind !== "found"
    ? null
    : {
        requirement: answer.requirement,
        days: answer.days,
        home: answer.home,
        uncertain: answer.uncertain,
        basis: answer.basis,
        subject: answer.bloc ?? answer.follows,
        source: answer.source?.id ?? null,
        verifiedOn: answer.verifiedOn ?? answer.citedOn,
      }

describe("lookup", () => {
  it("lets a French passport into Japan without a visa for 90 days", () => {
    expect(found("FRA", "JPN")).toMatchObject({ requirement: "visa_free", days: 90, home: false })
  })

  it("says where an answer comes from, and that nobody has verified it", () => {
    expect(found("FRA", "JPN")).toMatchObject({
      source: { id: "passport-index" },
      verifiedOn: null,
      datasetVersion: dataset.version,
    })
  })

  it("claims to have read a page only where we did: the day of a compiler's reading is his", () => {
    for (const answer of dataset.answers) {
      if (answer.kind !== "found" || answer.source === null) continue
      if (answer.source.compiled) expect(answer.verifiedOn).toBeNull()
      else expect(answer.citedOn).toBeNull()
    }
    expect(found("FRA", "OMN")).toMatchObject({
      source: { id: "travelrequirements" },
      verifiedOn: null,
      citedOn: "2026-10-07",
    })
  })

  it("knows that Saint Lucia and Nicaragua need a visa for the United Kingdom since 2026-03-05", () => {
    for (const passport of ["LCA", "NIC"]) {
      expect(found(passport, "GBR", "2026-03-04")).toMatchObject({ requirement: "eta", days: 180, verifiedOn: null })
      expect(found(passport, "GBR", "2026-03-05")).toMatchObject({
        requirement: "visa_required",
        days: null,
        source: { id: "gov-uk-check-visa" },
        verifiedOn: "2026-08-21",
      })
      expect(found(passport, "JEY")).toMatchObject({ requirement: "visa_required", follows: "GBR" })
    }
  })

  it("calls a passport's own country home", () => {
    expect(found("FRA", "FRA")).toMatchObject({ requirement: "visa_free", days: null, home: true, basis: "home" })
  })

  it("calls an entry uncertain exactly where it rests on a bloc that one of the two has left", () => {
    const left = ["BFA", "MLI", "NER"]
    const stayed = ["BEN", "CIV", "CPV", "GHA", "GIN", "GMB", "GNB", "LBR", "NGA", "SEN", "SLE", "TGO"]
    const asked = ["CPVMLI", "GHAMLI", "LBRMLI", "SLEMLI"] // Mali's own ministry asks them for an e-visa
    // The pages of these name the three since they left, with days of their own.
    const named = left.flatMap(code => ["CPV", "SLE", "TGO"].map(destination => code + destination))
    const every = left.flatMap(a => stayed.flatMap(b => [`${a}${b}`, `${b}${a}`]))
    const expected = every.filter(pair => !asked.includes(pair) && !named.includes(pair)).sort()
    const uncertain = dataset.passports.flatMap(passport =>
      dataset.destinations
        .filter(destination => {
          const answer = lookup(passport, destination)
          return answer.kind === "found" && answer.uncertain
        })
        .map(destination => passport + destination),
    )
    expect(uncertain).toEqual(expected)
    expect(found("MLI", "BFA")).toMatchObject({ uncertain: false, bloc: "AES" })
    expect(found("FRA", "DEU")).toMatchObject({ uncertain: false, bloc: "EU" })
  })

  it("says that a pair without a rule has no record, and that this is not 'no visa needed'", () => {
    expect(lookup("FRA", "ATA")).toEqual({
      kind: "no_record",
      reason: "no_rule",
      message: "No rule is recorded for this pair. That means unknown, not that no visa is needed.",
    })
  })

  it("says that an unknown code has no record, and which one it is", () => {
    expect(lookup("ZZZ", "JPN")).toMatchObject({ kind: "no_record", reason: "unknown_passport" })
    expect(lookup("FRA", "ZZZ")).toMatchObject({ kind: "no_record", reason: "unknown_destination" })
    expect(lookup("ATA", "FRA")).toMatchObject({ kind: "no_record", reason: "unknown_passport" })
  })

  it.each(["FR", "fra", "Fra", "FRANCE", "", "FR4", "F RA", "\u0000\u0000\u0000", "constructor"])(
    "takes %j for malformed on either side, and never converts it",
    code => {
      expect(lookup(code, "JPN")).toMatchObject({
        kind: "malformed",
        field: "passport",
        message: "passport: an ISO 3166-1 alpha-3 code in capital letters, such as FRA, is expected.",
      })
      expect(lookup("FRA", code)).toMatchObject({
        kind: "malformed",
        field: "destination",
        message: "destination: an ISO 3166-1 alpha-3 code in capital letters, such as FRA, is expected.",
      })
    },
  )

  it("refuses a day that no calendar has, and knows nothing before the dataset's first", () => {
    expect(lookup("FRA", "JPN", { on: "2026-02-30" })).toMatchObject({
      kind: "malformed",
      field: "on",
      message: "on: a calendar date YYYY-MM-DD from 1900 to 2199 is expected.",
    })
    expect(lookup("FRA", "JPN", { on: "2026-02-16" })).toMatchObject({ kind: "no_record", reason: "before_dataset" })
    expect(lookup("FRA", "JPN", { on: "2026-02-17" }).kind).toBe("found")
  })

  it("hands out one shared frozen record for equal answers", () => {
    expect(lookup("FRA", "JPN")).toBe(lookup("FRA", "JPN"))
    expect(Object.isFrozen(lookup("FRA", "JPN"))).toBe(true)
    expect(lookup("ZZZ", "JPN")).toBe(lookup("ZZZ", "KOR"))
  })

  it("answers every pair as a walk over the policy files does", () => {
    expect(oraclePassports).toEqual(dataset.passports)
    expect(oracleDestinations).toEqual(dataset.destinations)
    for (const passport of oraclePassports) {
      for (const destination of oracleDestinations) {
        const answer = flatten(lookup(passport, destination))
        const walked = lookupByWalking(passport, destination, dataset.asOf)
        if (JSON.stringify(answer) !== JSON.stringify(walked)) expect(answer, passport + destination).toEqual(walked)
      }
    }
  })

  it("answers for any day as a walk over the policy files does", () => {
    const days = fc.integer({ min: dataset.sinceDay - 30, max: dataset.sinceDay + 1500 }).map(formatCivilDate)
    const pairs = fc.tuple(
      fc.constantFrom(...oraclePassports, "LCA", "NIC", "MLI"),
      fc.constantFrom(...oracleDestinations, "GBR", "GHA"),
    )
    fc.assert(
      fc.property(pairs, days, ([passport, destination], on) => {
        expect(flatten(lookup(passport, destination, { on }))).toEqual(lookupByWalking(passport, destination, on))
      }),
      { numRuns: countTrips(500) },
    )
  })

  it("never throws, for any arguments", () => {
    const ask = lookup as (...values: unknown[]) => unknown
    fc.assert(
      fc.property(
        fc.anything(),
        fc.anything(),
        fc.record({ on: fc.anything() }),
        (a, b, on) => ask(a, b, on) !== undefined,
      ),
    )
    const throwing = {
      get on() {
        throw new Error("read")
      },
    }
    for (const options of [throwing, null]) expect(ask("FRA", "JPN", options)).toMatchObject({ field: "on" })
  })

  it("reads the day once, so that what was checked is what is answered for", () => {
    let reads = 0
    const changing = {
      get on() {
        return reads++ === 0 ? "2026-03-04" : "not a day"
      },
    }
    expect(lookup("LCA", "GBR", changing)).toMatchObject({ requirement: "eta" })
    expect(reads).toBe(1)
  })
})

describe("lookupAt and lookupAtOn", () => {
  it("answer by indices as lookup answers by codes", () => {
    for (const [p, passport] of dataset.passports.entries()) {
      for (const [d, destination] of dataset.destinations.entries()) {
        if (lookupAt(dataset, p, d) !== lookup(passport, destination)) expect.fail(passport + destination)
        if (lookupAtOn(dataset, p, d, dataset.asOfDay) !== lookup(passport, destination))
          expect.fail(passport + destination)
      }
    }
  })
})

describe("datasetOn", () => {
  it("answers for its own day without being asked for one", () => {
    const earlier = datasetOn(dataset, "2026-03-04")
    if (!earlier.ok) throw new Error(earlier.error.message)
    const index = (codes: readonly string[], code: string) => codes.indexOf(code)
    const answer = lookupAt(earlier.value, index(dataset.passports, "LCA"), index(dataset.destinations, "GBR"))
    expect(answer).toBe(lookup("LCA", "GBR", { on: "2026-03-04" }))
  })

  it.each(["2026-02-16", "2026-02-30", "tomorrow"])("refuses %s", on => {
    const view = datasetOn(dataset, on)
    expect(view).toEqual({
      ok: false,
      error: {
        tag: "InputRefused",
        message: `on: "${on}" is not a calendar date YYYY-MM-DD from 2026-02-17 to 2199-12-31.`,
        issues: [{ path: "on", message: `"${on}" is not a calendar date YYYY-MM-DD from 2026-02-17 to 2199-12-31.` }],
      },
    })
  })

  it("refuses a proxy that was revoked, which cannot even be asked what it is", () => {
    const { proxy, revoke } = Proxy.revocable([], {})
    revoke()
    expect(datasetOn(dataset, proxy as never)).toMatchObject({
      error: { message: "on: An object is not a calendar date YYYY-MM-DD from 2026-02-17 to 2199-12-31." },
    })
  })
})

describe("the imported table", () => {
  const imported = importedDataset()
  // The digest is that of the table of 2026-02-17: its 39,402 pairs as `passport,destination,requirement,days` lines in the order of
  // codes, without the days of the two pairs that need a visa, taken before anything was imported.
  const { pairs, sha256 } = JSON.parse(readFileSync("test/fixtures/passport-index-2026-02-17.json", "utf8"))

  it("comes back exactly, pair by pair, where nobody reviewed anything", () => {
    const lines: string[] = []
    for (const passport of imported.passports) {
      for (const destination of imported.passports) {
        if (passport === destination) continue
        const { requirement, days } = lookupRequirement(imported, passport, destination, { on: "2026-02-17" }) as Found
        lines.push(`${passport},${destination},${requirement},${days ?? ""}`)
      }
    }
    expect(lines.length).toBe(pairs)
    expect(createHash("sha256").update(lines.join("\n")).digest("hex")).toBe(sha256)
  })

  it("is corrected only by treaties and by rules that name another source", () => {
    for (const passport of dataset.passports) {
      for (const destination of dataset.passports.filter(code => code !== passport)) {
        const before = lookupRequirement(imported, passport, destination) as Found
        const now = found(passport, destination)
        if (before.requirement === now.requirement && before.days === now.days) continue
        if (now.basis === "freedom_of_movement") continue
        if (now.source === null || now.source.imported) expect.fail(`${passport} ${destination}`)
      }
    }
  })
})
