/**
 * Of how many pairs and destinations is each field of the full record known, and why is the rest missing?
 *
 * Counted in the records themselves, every pair once, so that the table says what a reader gets and not what the files hold.
 * A traveller at home, or one who moves freely by treaty, has no use for the fields of visitors: the share of pairs is never whole.
 */
import { assembleFullRecord, type FullRecord, type RecordBook } from "../../src/full.ts"

/** One field and how much of it is known. */
export interface CoverageRow {
  readonly field: keyof FullRecord
  readonly pairs: number
  /** Destinations for which at least one pair has the field. */
  readonly destinations: number
  /** Where it comes from, and what is missing. */
  readonly remark: string
}

/** The coverage of all fields, and of how many pairs and destinations there is a record at all. */
export interface FullCoverage {
  readonly pairs: number
  readonly destinations: number
  readonly rows: readonly CoverageRow[]
}

const NOT_FOUND = "nothing trustworthy was found; left out"

const REMARKS: Readonly<Partial<Record<keyof FullRecord, string>>> = {
  visa_free_days: "where the stay is a fixed number; null otherwise",
  requirement_status: "pairs that rest on a treaty which one side has left",
  source_url: "pairs that were read in a source of their own",
  last_verified_at: "pairs that a person confirmed in the source",
  documents_required:
    "follows from the requirement; by name where a law names them (Visa Code); none where nobody is admitted",
  process: "follows from the requirement; official sites only where confirmed",
  visa_types: "eTA, e-visa, on arrival; types C and D of Schengen; others where a fee is known",
  extension: "where a law or an official page says so",
  sources: "every fact that has a named source",
  tips: "everybody but citizens and those who move freely",
  country_info: "country codes, CLDR names; capitals and time zones by their international names",
  transit_visa: "Schengen and the United Kingdom; of China who needs no visa; no other list could be trusted",
  passport_validity_months: "rules of high and medium confidence; conflicting claims are left out",
  visa_fee: `where a law, an official page or the second source names it; elsewhere ${NOT_FOUND}`,
  processing_days: `the same; elsewhere ${NOT_FOUND}`,
  photo_specs: `where an authority gives the size; elsewhere ${NOT_FOUND}`,
  vaccinations_required: `yellow fever, entry rules of high and medium confidence; of polio and meningococcal rules ${NOT_FOUND}`,
  insurance_required:
    "Schengen visas: Visa Code, Art. 15; elsewhere where a law, an office or the second source could be named",
  dual_nationality_warnings: "where the law could be named",
  stamp_warnings: "from the country information of the U.S. Department of State",
  minor_rules: "Schengen: Borders Code, Annex VII",
  overstay_penalty: `where the law could be named; elsewhere ${NOT_FOUND}`,
  entry_by_mode: NOT_FOUND,
  extension_rules: "as extension, in numbers",
  safety: "U.S. level, British and Irish advice; 16 territories have none",
  best_apply_period: "Schengen, United Kingdom",
  health_requirements: "yellow fever risk list of the World Health Organization",
  embassy: "Wikidata as of 2022-11-16; nothing later is known",
  remote_work_visa: "programmes whose law or office could be named",
  reciprocity_history: "changes between 53 dated tables, 2020-02-07 to 2026-02-17",
}

const FIELDS = [
  "requirement",
  "visa_free_days",
  "requirement_status",
  "source_url",
  "last_verified_at",
  "description",
  "documents_required",
  "process",
  "visa_types",
  "extension",
  "sources",
  "tips",
  "country_info",
  "transit_visa",
  "passport_validity_months",
  "visa_fee",
  "processing_days",
  "photo_specs",
  "vaccinations_required",
  "insurance_required",
  "dual_nationality_warnings",
  "stamp_warnings",
  "minor_rules",
  "overstay_penalty",
  "entry_by_mode",
  "extension_rules",
  "safety",
  "best_apply_period",
  "health_requirements",
  "embassy",
  "remote_work_visa",
  "reciprocity_history",
] as const satisfies readonly (keyof FullRecord)[]

/** Counts the fields of the records of all pairs; about a second. */
export function measureFullCoverage(book: RecordBook): FullCoverage {
  const pairs = new Map<keyof FullRecord, number>()
  const destinations = new Map<keyof FullRecord, Set<string>>(FIELDS.map(field => [field, new Set()]))
  const recorded = new Set<string>()
  let total = 0
  for (const passport of book.dataset.passports) {
    for (const destination of book.dataset.destinations) {
      const record = assembleFullRecord(book, passport, destination)
      if (record === null) continue
      total++
      recorded.add(destination)
      for (const field of FIELDS) {
        if (record[field] === undefined || record[field] === null) continue
        pairs.set(field, (pairs.get(field) ?? 0) + 1)
        destinations.get(field)?.add(destination)
      }
    }
  }
  const rows = FIELDS.map(field => ({
    field,
    pairs: pairs.get(field) ?? 0,
    destinations: destinations.get(field)?.size ?? 0,
    remark: REMARKS[field] ?? "",
  }))
  return { pairs: total, destinations: recorded.size, rows }
}

/** Writes the coverage as a table of Markdown. */
export function formatFullCoverage({ pairs, destinations, rows }: FullCoverage): string {
  const share = (part: number) => (pairs === 0 ? "0" : ((part / pairs) * 100).toFixed(1))
  const lines = rows.map(
    row => `| \`${row.field}\` | ${row.pairs} | ${share(row.pairs)} % | ${row.destinations} | ${row.remark} |`,
  )
  return [
    `| field | pairs of ${pairs} | share | destinations of ${destinations} | from, and what is missing |`,
    "|---|--:|--:|--:|---|",
    ...lines,
    "",
  ].join("\n")
}
