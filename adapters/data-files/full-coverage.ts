/**
 * For how many pairs and destinations is each field of the full record known, and why is the rest missing?
 *
 * Counted in the records themselves, every pair once, so that the table says what a reader gets and not what the files hold.
 * A traveller at home, or one who moves freely by treaty, has no use for the fields of visitors: the share of pairs is never whole.
 */
import { assembleFullRecord, FIELD_NAMES, type FieldName, type LocalisedFacts } from "../../src/full.ts"

const NOT_FOUND = "nothing trustworthy was found; left out"

/** The origin of each field of the record and what is missing; empty if there is nothing to say. */
const REMARKS: { readonly [Name in FieldName]-?: string } = {
  passport: "",
  destination: "",
  requirement: "",
  visa_free_days: "where the stay is a fixed number; null otherwise",
  visa_required: "",
  home: "a passport's own country",
  requirement_status: "pairs that rest on a treaty which one side has left",
  source_url: "pairs that were read in a source of their own",
  last_verified_at: "pairs that we read on the official page",
  verified: "true for as many as `last_verified_at` has",
  description: "",
  evidence: "read by us on the official page, cited by a compiler who names it, or taken from a table",
  age_days: "days since the last look, where its day is known",
  stale: "an announced end has passed, a log names a later change, or the last look is too long ago",
  conditions: "what the rule depends on, waivers for holders of documents, and notes",
  changed_since: "an official log names a change that is newer than the answer",
  stay_basis:
    "days that rest on the imported table alone, of an e-visa, of a visa on arrival, or where the source that decided or agrees names no stay",
  ends_on: "rules with an announced end",
  after_expiry: "rules that have ended, and nothing newer is recorded",
  ended_on: "as after_expiry",
  corroborated: "a second source says the same",
  disputed: "a second source says something else; each has its reason above",
  documents_required:
    "the destination’s own list where one was read (Schengen by the Visa Code, the forty busiest destinations); elsewhere it follows from the requirement; none where nobody is admitted",
  process:
    "follows from the requirement; how to apply where an official page says it; official sites; arrival forms; none for those who travel on another document than the passport",
  visa_types: "eTA by its programme's name, e-visa, on arrival; types C and D of Schengen; others where a fee is known",
  extension: "where a law or an official page says so",
  tips: "everybody but citizens and those who move freely",
  passport_validity_months: "rules of high and medium confidence; conflicting claims are left out",
  visa_fee: `where a law, an official page or the second source names it; elsewhere ${NOT_FOUND}`,
  processing_days: `the same; elsewhere ${NOT_FOUND}`,
  best_apply_period: "Schengen, United Kingdom, and where an e-visa's site says it",
  photo_specs: `where an authority or a travel company names the size; elsewhere ${NOT_FOUND}`,
  insurance_required:
    "Schengen visas: Visa Code, Art. 15; elsewhere where a law, an office or the second source could be named",
  vaccinations_required: `yellow fever, entry rules of high and medium confidence; of polio and meningococcal rules ${NOT_FOUND}`,
  health_requirements: "yellow fever risk list of the World Health Organization; health declarations",
  safety: "U.S. level, British and Irish advice; 16 territories have none",
  customs:
    "cash to declare, cigarettes and spirits free of duty, where the second source or an official page names the amounts",
  transit_visa:
    "lists that could be read, and where a source says that nobody needs one; `complete` is false where a state may add to them",
  minor_rules: "Schengen: Borders Code, Annex VII; elsewhere where an authority or the second source says so",
  dual_nationality_warnings: "where the law could be named",
  stamp_warnings: "from the country information of the U.S. Department of State",
  overstay_penalty: `where the law, or who quotes it, could be named; elsewhere ${NOT_FOUND}`,
  entry_by_mode: `where a rule names the borders at which one may enter; elsewhere ${NOT_FOUND}`,
  extension_rules: "as extension, in numbers",
  country_info: "country codes, CLDR names; capitals in the language where CLDR names them",
  remote_work_visa: "programmes whose law or office could be named, for passports that can have them",
  embassy: "Wikidata as of 2022-11-16, without missions known to be closed since; others may be missing",
  embassies: "as embassy, all of them",
  reciprocity_history:
    "changes between 53 dated tables, 2020-02-07 to 2026-02-17, without other words for the same authorisation",
  sources: "every fact that has a named source",
}

/** Counts the fields of the records of all pairs, and how many pairs and destinations have a record at all; about a second. */
export function measureFullCoverage(localised: LocalisedFacts) {
  const tallies = new Map<string, { pairs: number; readonly destinations: Set<string> }>(
    FIELD_NAMES.map(field => [field, { pairs: 0, destinations: new Set() }]),
  )
  const recorded = new Set<string>()
  let total = 0
  for (const passport of localised.dataset.passports) {
    for (const destination of localised.dataset.destinations) {
      const record = assembleFullRecord(localised, passport, destination)
      if (record === null) continue
      total++
      recorded.add(destination)
      for (const [field, held] of Object.entries(record)) {
        const tally = tallies.get(field)
        if (tally === undefined || held === null || (Array.isArray(held) && held.length === 0)) continue
        tally.pairs++
        tally.destinations.add(destination)
      }
    }
  }
  const rows = FIELD_NAMES.map(field => ({
    field,
    pairs: tallies.get(field)?.pairs ?? 0,
    /** Destinations for which at least one pair has the field. */
    destinations: tallies.get(field)?.destinations.size ?? 0,
    remark: REMARKS[field],
  }))
  return { pairs: total, destinations: recorded.size, rows }
}

/** Writes the coverage as a table of Markdown. */
export function formatFullCoverage({ pairs, destinations, rows }: ReturnType<typeof measureFullCoverage>): string {
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
