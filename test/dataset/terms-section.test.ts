import { crc32 } from "node:zlib"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { compileFacts, encodeDataset, type Facts, type ProvisionFact, splitEmbedded } from "../../src/compiler.ts"
import { makeListReader, readHeader } from "../../src/dataset/embedded-lists.ts"
import {
  type Dataset,
  describePair,
  findStayRule,
  findZoneAgreement,
  lookupHeld,
  openDataset,
  openParts,
  REQUIREMENTS,
} from "../../src/index.ts"
import { type ListRows, readProvisions, type TermsSection } from "../../src/rules/provisions.ts"
import { policy, rule, smallFacts, stayRule, terms, waiver, zone } from "./small-facts.ts"

/** Facts with something of every kind. */
const wholeFacts: Facts = smallFacts({
  zones: [zone()],
  transit: [
    {
      area: "airside",
      demand: "visa",
      hours: null,
      condition: null,
      waivedFor: [{ kind: "visa", issuers: ["@area"] }],
      isComplete: true,
      confidence: "high",
      passports: ["AAA"],
      destinations: ["BBB"],
      source: "law",
      sourceUrl: null,
      verifiedOn: null,
    },
  ],
  policies: [
    policy("AAA"),
    policy("BBB", {
      defaults: [terms({ note: "The default.", conditions: [{ kind: "gateway_visa", states: ["@area"] }] })],
      reviewed: [
        rule(["AAA"], { requirement: "e_visa", days: 30, until: "2026-04-01", sourceUrl: "https://law.example/p" }),
      ],
      conditions: [
        { kind: "other", text: "Bring a pen.", source: "law", passports: ["@OLD"], requirements: ["visa_required"] },
      ],
      note: "An island.",
    }),
    policy("TTT", { follows: "BBB", defaults: [] }),
  ],
  waivers: [waiver({ conditions: [{ kind: "purpose", purposes: ["tourism"] }], until: "2027-01-01", note: "So far." })],
  stayRules: [
    stayRule({ passports: ["@OLD"] }),
    stayRule({ kind: "beside_zone", zone: "area", agreement: "Notes", windowDays: 180 }),
  ],
  changeLog: [
    { destinations: ["BBB"], on: "2026-05-01", change: "x", source: "law", sourceUrl: null, verifiedOn: null },
  ],
  corroboration: [
    {
      destination: "BBB",
      checks: [
        {
          source: "law",
          sourceUrl: null,
          checkedOn: "2026-05-01",
          says: [{ requirement: "eta", days: null }],
          silent: ["CCC"],
        },
      ],
    },
  ],
})
const compiled = compileFacts(wholeFacts)
if (!compiled.ok) throw new Error(compiled.error.message)
const parts = compiled.value
const section = parts.terms as TermsSection
const bytes = encodeDataset(parts)
const refusalWith = (changes: Record<string, unknown>) => {
  const opened = openDataset(encodeDataset({ ...parts, terms: { ...section, ...changes } as TermsSection }))
  return opened.ok ? "opened" : opened.error.message
}
const mistake = (what: string) => `The dataset contradicts itself: ${what}.`

/** Asks everything of every pair. */
const askAll = (dataset: Dataset) => {
  for (const passport of dataset.passports) {
    for (const destination of dataset.destinations) {
      const pair = describePair(dataset, passport, destination)
      if (pair.kind === "found") {
        for (const { requirement } of pair.waivers) expect(REQUIREMENTS).toContain(requirement)
        expect(pair.notes.every(note => typeof note === "string")).toBe(true)
      }
      lookupHeld(dataset, passport, destination, { held: [{ kind: "visa", issuer: "CCC" }] })
      findStayRule(dataset, passport, destination, dataset.asOfDay)
      findZoneAgreement(dataset, passport, destination, "area", dataset.asOfDay)
    }
  }
}

describe("the terms of a dataset", () => {
  it("have the same bytes for the same facts, and are read from a file as they were compiled", () => {
    const again = compileFacts(wholeFacts)
    expect(again.ok && encodeDataset(again.value)).toEqual(bytes)
    const fromFile = openDataset(bytes)
    expect(openParts(parts)).toEqual(fromFile)
    if (fromFile.ok) askAll(fromFile.value)
  })

  it("are separate from the data that a lookup needs", () => {
    const { pairs, places, rules, retrievedDays, remarks } = splitEmbedded(parts)
    expect(Object.keys(pairs.header).sort()).toEqual([
      "asOfDay",
      "contents",
      "destinations",
      "origins",
      "passports",
      "sinceDay",
      "sources",
      "timelines",
      "version",
    ])
    const { zones, ...ofPlaces } = places
    expect({ ...readHeader(pairs), ...ofPlaces }).toEqual(parts.header)
    expect(zones).toEqual(["BBBCCC"])
    const read = makeListReader(rules, remarks, pairs)
    const names = Object.keys({ ...rules, ...remarks.lists })
    const { sources, ...lists } = Object.fromEntries(names.map(name => [name, read(name)]))
    expect({ sources: sources?.rows, retrievedDays, lists }).toEqual(section)
    const { sources: _, ...bare } = rules
    expect(JSON.stringify(bare)).not.toContain("https://")
    expect(remarks.texts.filter(text => text.startsWith("https://")).length).toBeGreaterThan(0)
  })

  it("may be absent, and may be followed by unknown sections", () => {
    const { terms: _, ...bare } = parts
    const opened = openDataset(encodeDataset(bare))
    expect(opened.ok && opened.value.terms).toEqual({ sources: [], retrievedDays: [], lists: {} })
    const more = new Uint8Array(bytes.length + 8 + 5)
    more.set(bytes)
    more.set(
      [..."MOON"].map(letter => letter.charCodeAt(0)),
      bytes.length,
    )
    const view = new DataView(more.buffer)
    view.setUint16(10, 2, true)
    view.setUint32(bytes.length + 4, 5, true)
    view.setUint32(4, crc32(more.subarray(8)), true)
    const [longer, plain] = [openDataset(more), openDataset(bytes)]
    if (!longer.ok || !plain.ok) throw new Error("a sound dataset was refused")
    const { sections, ...read } = longer.value
    expect(read).toEqual(plain.value)
    expect([...(sections ?? [])]).toEqual([["MOON", new Uint8Array(5)]])
  })

  it("are refused if they are not valid JSON or are cut off", () => {
    const broken = bytes.slice()
    broken[bytes.length - 1] = 0x5d
    new DataView(broken.buffer).setUint32(4, crc32(broken.subarray(8)), true)
    const opened = openDataset(broken)
    expect(opened.ok ? "opened" : opened.error.message).toBe(
      "The dataset's terms are not JSON: it was not written by `landfall dataset build`.",
    )
    const short = openDataset(bytes.subarray(0, bytes.length - 9))
    expect(short.ok ? "opened" : short.error.message).toBe(
      `The dataset is cut off: ${bytes.length - 9} bytes found, ${bytes.length} expected.`,
    )
  })

  const list = (
    name: keyof TermsSection["lists"],
    ...changes: readonly (readonly [field: string, value: unknown])[]
  ) => {
    const { fields, rows } = section.lists[name] as ListRows
    const [first] = rows as readonly (readonly unknown[])[]
    const row = changes.reduce(
      (cells, [field, value]) => {
        const at = fields.split(" ").findIndex(each => each.split(":")[0] === field)
        return cells.with(at, value)
      },
      first as readonly unknown[],
    )
    return { lists: { ...section.lists, [name]: { fields, rows: [row] } } }
  }
  it.each<[string, Record<string, unknown>, string]>([
    ["lists that are none", { lists: null }, "its lists have another shape"],
    ["no list of rules", { lists: { rules: {} } }, "its rules have another shape"],
    ["a rule for nobody", list("rules", ["passports", ""]), "its rules have another shape"],
    ["a rule for what is no code", list("rules", ["passports", "AAAbbb"]), "its rules have another shape"],
    ["a rule of two destinations that are none", list("rules", ["destinations", "AA"]), "its rules have another shape"],
    ["a rule past the table of conditions", list("rules", ["conditions", [99]]), "its rules have another shape"],
    ["a rule that ends on no day", list("rules", ["until", "2026-02-30"]), "its rules have another shape"],
    ["a condition of no kind", list("conditions", ["terms", { kind: "moon" }]), "its conditions have another shape"],
    [
      "a condition with a source past the table",
      list("conditions", ["source", 99]),
      "its conditions have another shape",
    ],
    ["provisions that are none", { lists: { waivers: null } }, "its waivers have another shape"],
    ["provisions of an unknown kind", { lists: { moons: section.lists.waivers } }, "its moons have another shape"],
    [
      "provisions whose fields have another order",
      { lists: { waivers: { fields: "requirement held", rows: [] } } },
      "its waivers have another shape",
    ],
    ["a bloc without an id", list("blocs", ["id", 1]), "its blocs have another shape"],
    [
      "a bloc whose members have no codes",
      list("blocs", ["members", [["", null, null]]]),
      "its blocs have another shape",
    ],
    ["a second source that is silent on no day", list("checks", ["checkedOn", null]), "its checks have another shape"],
    ["a second source past the table", list("checks", ["source", 99]), "its checks have another shape"],
    ["days of too few sources", { retrievedDays: [] }, "its retrievedDays have another shape"],
    ["sources that are none", { sources: [1] }, "the sources of its terms have another shape"],
  ])("are refused with %s", (_, changes, what) => {
    expect(refusalWith(changes)).toBe(mistake(what))
  })

  it("are refused if they are not an object", () => {
    const opened = openDataset(encodeDataset({ ...parts, terms: null as unknown as TermsSection }))
    expect(opened.ok ? "opened" : opened.error.message).toBe(mistake("its terms are not an object"))
  })

  it("give answers of the documented shape from every file that opens", () => {
    const listPlaces = (value: unknown, path: readonly string[] = []): string[][] =>
      typeof value === "object" && value !== null
        ? Object.entries(value).flatMap(([key, inner]) => [[...path, key], ...listPlaces(inner, [...path, key])])
        : []
    fc.assert(
      fc.property(fc.constantFrom(...listPlaces(section)), fc.jsonValue(), (place, value) => {
        const changed = structuredClone(section)
        const holder = place
          .slice(0, -1)
          .reduce<Record<string, unknown>>((at, key) => at[key] as never, changed as never)
        holder[place.at(-1) as string] = value
        const opened = openDataset(encodeDataset({ ...parts, terms: changed }))
        if (opened.ok) askAll(opened.value)
      }),
      { numRuns: 500 },
    )
  })

  it("return waivers as they were written", () => {
    const code = fc.constantFrom("AAA", "BBB", "CCC")
    const anyWaiver = fc
      .record({
        held: fc.array(
          fc.record({ kind: fc.constant("visa" as const), issuers: fc.uniqueArray(code, { minLength: 1 }) }),
          { minLength: 1, maxLength: 3 },
        ),
        requirement: fc.constantFrom("visa_free" as const, "eta" as const),
        days: fc.option(fc.integer({ min: 1, max: 3650 })),
        until: fc.option(fc.constantFrom("2026-07-01", "2027-01-01")),
        note: fc.option(fc.constantFrom("A note.", "Zażółć gęślą jaźń 中文")),
        confidence: fc.constantFrom("high" as const, "medium" as const),
        destinations: fc.uniqueArray(code, { minLength: 1 }),
        source: fc.constantFrom("law", "table", null),
        verifiedOn: fc.option(fc.constant("2026-05-01")),
      })
      .map(
        (changes): ProvisionFact<"waivers"> => ({ ...waiver(changes), destinations: changes.destinations.toSorted() }),
      )
    fc.assert(
      fc.property(fc.array(anyWaiver, { minLength: 1, maxLength: 5 }), waivers => {
        const built = compileFacts(smallFacts({ waivers }))
        const opened = built.ok ? openDataset(encodeDataset(built.value)) : built
        if (!opened.ok) throw new Error(opened.error.message)
        const provisions = readProvisions(opened.value)
        for (const destination of ["AAA", "BBB", "CCC"]) {
          const back = provisions.at("waivers", destination, "CCC").map(({ value }) => ({
            ...value,
            source: value.source?.id ?? null,
          }))
          expect(back).toEqual(
            waivers
              .filter(each => each.destinations.includes(destination))
              .map(({ held, requirement, days, note, confidence, source, verifiedOn, until }) => ({
                held,
                requirement,
                days,
                conditions: [],
                note: note ?? null,
                confidence,
                endsOn: until == null ? null : until === "2026-07-01" ? "2026-06-30" : "2026-12-31",
                source,
                sourceUrl: source === "law" ? "https://law.example/" : null,
                verifiedOn,
                citedOn: null,
              })),
          )
        }
      }),
      { numRuns: 100 },
    )
  })

  it("do not change the caller's input", () => {
    const own = structuredClone(section)
    const opened = openParts({ ...parts, terms: own })
    if (!opened.ok) throw new Error(opened.error.message)
    askAll(opened.value)
    expect(own).toEqual(section)
    const listFrozen = (value: unknown): boolean =>
      typeof value === "object" && value !== null && (Object.isFrozen(value) || Object.values(value).some(listFrozen))
    expect(listFrozen(own)).toBe(false)
  })
})
