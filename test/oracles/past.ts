/**
 * The slow, obvious reading of a dated table: for one pair, walk the lines of the file of that day and say what stands there. Written from
 * docs/data-rules.md; it imports nothing of the engine and nothing of the importer.
 */
import { readdirSync, readFileSync } from "node:fs"

const FOLDER = "test/fixtures/past-tables"

/** The days of the tables that are kept beside the tests, the oldest first. */
export const oracleDays: readonly string[] = readdirSync(FOLDER)
  .map(file => file.slice(0, 10))
  .sort()

/** The destinations of these tables. */
export const oracleColumns = ["CHN", "QAT", "THA"] as const

/** What the table of a day says of a pair: a word and days, or null where it has no line for the pair. */
export function readTableOf(
  on: string,
  passport: string,
  destination: string,
): { word: string; days: number | null } | null {
  for (const line of readFileSync(`${FOLDER}/${on}.csv`, "utf8").split("\n")) {
    if (!line.startsWith(`${passport},${destination},`)) continue
    const value = line.slice(8).trim()
    if (value === "-1") return null
    if (/^[0-9]+$/.test(value)) return { word: "visa_free", days: Number(value) }
    if (value === "e-visa") return { word: on < "2025-01-12" ? "e_visa_or_eta" : "e_visa", days: null }
    if (value === "Hayya Entry Permit") return { word: "hayya_permit", days: null }
    return { word: value.replaceAll(" ", "_"), days: null }
  }
  return null
}
