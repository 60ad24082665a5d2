/** Full facts small enough to read at a glance: a fee at one destination, a mission and a change. */
import { addFacts, type DatasetParts, encodeDataset, FACT_KINDS, type FactsSection } from "../../src/compiler.ts"

/** The full facts of a small world, with what a visa costs at CCC. */
export const smallSection = (fee = 50): FactsSection => ({
  facts: {
    version: "test.1",
    asOf: "2026-06-01",
    codes: "AAAAABBBBBCCCCC",
    sources: [["law", "A law", "https://law.example/", "2026-05-01", null, null]],
    origins: [[0, null, "2026-05-01", null]],
    facts: {
      ...(Object.fromEntries(
        Object.keys(FACT_KINDS).map(subject => [subject, []]),
      ) as unknown as FactsSection["facts"]["facts"]),
      fee: [[0, "CCC", null, null, { singleEntry: { amount: fee, currency: "USD" } }]],
      country: [[0, "CCC", null, null, { capital: "Ceville", currency: "USD", languages: ["en"], timezone: "UTC" }]],
    },
  },
  missions: {
    asOf: "2026-05-01",
    source: "law",
    pairs: "AAACCC",
    counts: "1",
    kinds: "0",
    cities: "Ceville",
    websites: "https://embassy.example/",
    phones: "",
    emails: "",
  },
  history: {
    source: "law",
    asOf: "2026-05-01",
    days: ["2020-01-01"],
    changes: { CCC: [[0, 4, 0, null, null, 0, "BBB"]] },
  },
})

/** The bytes of a file with pairs and facts. */
export function encodeWhole(parts: DatasetParts, section: FactsSection): Uint8Array {
  const whole = addFacts(parts, section)
  if (!whole.ok) throw new Error(whole.error.message)
  return encodeDataset(whole.value)
}
