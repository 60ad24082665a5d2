/** Facts small enough to read at a glance: four destinations, three passports, two blocs. */
import {
  compileFacts,
  encodeDataset,
  type Facts,
  type Policy,
  type ProvisionFact,
  type Rule,
  type Terms,
} from "../../src/compiler.ts"
import { type Dataset, openDataset } from "../../src/index.ts"

export const terms = (changes: Partial<Terms> = {}): Terms => ({
  requirement: "visa_required",
  days: null,
  from: null,
  until: null,
  basis: null,
  bloc: null,
  source: "table",
  verifiedOn: null,
  ...changes,
})

export const rule = (passports: readonly string[], changes: Partial<Terms> = {}): Rule => ({
  ...terms(changes),
  passports,
})

export const policy = (destination: string, changes: Partial<Policy> = {}): Policy => ({
  destination,
  follows: null,
  defaults: [terms()],
  rules: [],
  reviewed: [],
  ...changes,
})

export const smallFacts = (changes: Partial<Facts> = {}): Facts => ({
  version: "test.1",
  asOf: "2026-06-01",
  since: "2026-01-01",
  destinations: ["AAA", "BBB", "CCC", "TTT"].map(code => ({
    code,
    region: code === "TTT" ? null : "Somewhere",
    gdpUsd: 5e9,
  })),
  passports: ["AAA", "BBB", "CCC"],
  sources: [
    { id: "table", name: "A table", url: null, imported: true, snapshotOn: null },
    { id: "law", name: "A law", url: "https://law.example/", imported: false, snapshotOn: null },
  ],
  blocs: [
    {
      id: "OLD",
      freedomOfMovement: true,
      members: [
        { code: "AAA", from: null, until: null },
        { code: "BBB", from: null, until: "2026-03-01" },
      ],
    },
    { id: "NEW", freedomOfMovement: false, members: [{ code: "BBB", from: "2026-02-01", until: null }] },
  ],
  policies: [policy("AAA"), policy("BBB"), policy("CCC"), policy("TTT", { follows: "AAA", defaults: [] })],
  zones: [],
  validity: [],
  transit: [],
  ...changes,
})

/** What is wrong with the facts, changed so. */
export const issuesOf = (changes: Partial<Facts>) => {
  const compiled = compileFacts(smallFacts(changes))
  return compiled.ok ? [] : compiled.error.issues
}

const provenance = { source: "law", sourceUrl: null, verifiedOn: null }

export const waiver = (changes: Partial<ProvisionFact<"waivers">> = {}): ProvisionFact<"waivers"> => ({
  held: [{ kind: "visa", issuers: ["CCC"] }],
  requirement: "visa_free",
  days: 30,
  confidence: "high",
  destinations: ["BBB"],
  ...provenance,
  ...changes,
})

export const stayRule = (changes: Partial<ProvisionFact<"stayRules">> = {}): ProvisionFact<"stayRules"> => ({
  kind: "calendar_year",
  days: 90,
  confidence: "high",
  destinations: ["BBB"],
  ...provenance,
  ...changes,
})

export const zone = (changes: Partial<ProvisionFact<"zones">> = {}): ProvisionFact<"zones"> => ({
  id: "area",
  name: "Area",
  instrument: null,
  kind: "rolling",
  allowanceDays: 90,
  windowDays: 180,
  members: [
    { code: "BBB", from: null, until: null },
    { code: "CCC", from: "2026-05-01", until: null },
  ],
  ...provenance,
  ...changes,
})

/** The facts, changed so, compiled and opened from the bytes of a file. */
export const openSmall = (changes: Partial<Facts>): Dataset => {
  const compiled = compileFacts(smallFacts(changes))
  const opened = compiled.ok ? openDataset(encodeDataset(compiled.value)) : compiled
  if (!opened.ok) throw new Error(opened.error.message)
  return opened.value
}
