/**
 * How much does a traveller to one of the busiest destinations learn, subject by subject?
 *
 * `data/busiest.json` names the destinations and the publication that counted their visitors. A subject is known if the record of at least
 * one passport has it, and settled if it is known or a source says that nothing is required. If a compiler looked and found nothing, or if
 * no source says anything, the table names the destination: a default would hide the gap.
 */
import { assembleFullRecord, type FullFacts, type FullRecord, type LocalisedFacts } from "../../src/full.ts"
import type { BusiestRecord } from "./full-read.ts"

/**
 * The states of a subject, the best known first: a requirement; a source's statement that there is none; a compiler that looked and found
 * none; nothing.
 */
const STATES = ["known", "nothing_required", "none_found", "missing"] as const

type State = (typeof STATES)[number]

type DestinationFacts = ReturnType<FullFacts["factsOf"]>

const has =
  (field: keyof FullRecord) =>
  (record: FullRecord): State =>
    record[field] === undefined ? "missing" : "known"

/** The subjects: what the record of one passport says of each. */
const SUBJECTS: { readonly [subject: string]: (record: FullRecord) => State } = {
  fee: ({ visa_fee: fee }) => {
    if (fee === undefined) return "missing"
    const amounts = [fee.single_entry, fee.multiple_entry].filter(money => money !== undefined)
    return amounts.some(({ amount }) => amount > 0) ? "known" : "nothing_required"
  },
  processing: has("processing_days"),
  photo: has("photo_specs"),
  transit: ({ transit_visa: transit }) => judgeList(transit?.required_for),
  insurance: ({ insurance_required: insurance }) => {
    if (insurance === undefined) return "missing"
    if (insurance.required) return "known"
    return insurance.none_found === true ? "none_found" : "nothing_required"
  },
  minors: has("minor_rules"),
  extension: has("extension"),
  customs: has("customs"),
}

/** The subjects that no field of a record holds whole: what the facts of a destination say of each. */
const FACT_SUBJECTS: { readonly [subject: string]: (facts: DestinationFacts) => State } = {
  documents: ({ documents }) => judgeList(documents.length === 0 ? undefined : documents),
  vaccination: ({ yellowFever }) => {
    const asked = yellowFever.map(({ value }) => value.certificate).filter(certificate => certificate !== undefined)
    if (asked.length === 0) return "missing"
    return asked.every(certificate => certificate === "none") ? "nothing_required" : "known"
  },
  "arrival form": ({ arrivalForm, border }) => {
    const forms = new Set(arrivalForm.map(({ value }) => value.form))
    if (forms.has("online") || forms.has("paper")) return "known"
    // Visitors of these states are registered at the border.
    if (border.some(({ value }) => value.entryExitSystem)) return "known"
    if (forms.has("none")) return "nothing_required"
    return forms.has("none_found") ? "none_found" : "missing"
  },
}

function judgeList(list: readonly unknown[] | undefined): State {
  if (list === undefined) return "missing"
  return list.length > 0 ? "known" : "nothing_required"
}

/** The coverage of one subject at the busiest destinations: the codes by state, in the order of the list. */
export type SubjectCoverage = { readonly subject: string } & { readonly [Name in State]: readonly string[] }

/** Counts what the records and facts of the busiest destinations say. */
export function countBusiest(list: BusiestRecord | null, localised: LocalisedFacts): readonly SubjectCoverage[] {
  const { dataset, facts } = localised
  const codes = list?.destinations.map(({ code }) => code) ?? []
  const recordsOf = (code: string) =>
    dataset.passports.map(passport => (assembleFullRecord(localised, passport, code) ?? {}) as FullRecord)
  const records = new Map(codes.map(code => [code, recordsOf(code)]))
  const cover = (subject: string, stateOf: (code: string) => State): SubjectCoverage => {
    const { known = [], nothing_required = [], none_found = [], missing = [] } = Object.groupBy(codes, stateOf)
    return { subject, known, nothing_required, none_found, missing }
  }
  const ofRecords = Object.entries(SUBJECTS).map(([subject, judge]) =>
    cover(subject, code => {
      const states = new Set(records.get(code)?.map(judge))
      return STATES.find(state => states.has(state)) ?? "missing"
    }),
  )
  const ofFacts = Object.entries(FACT_SUBJECTS).map(([subject, judge]) =>
    cover(subject, code => judge(facts.factsOf(code))),
  )
  return [...ofRecords, ...ofFacts]
}

/** Formats the coverage of the busiest destinations as a table of Markdown. */
export function formatBusiest(rows: readonly SubjectCoverage[]): string {
  return [
    "| subject | known | nothing required, as a source says | together | a compiler found no requirement | missing |",
    "|---|--:|--:|--:|---|---|",
    ...rows.map(({ subject, known, nothing_required: nothing, none_found: none, missing }) => {
      const [some, no] = [known.length, nothing.length]
      return `| ${subject} | ${some} | ${no} | ${some + no} | ${none.join(" ")} | ${missing.join(" ")} |`
    }),
    "",
  ].join("\n")
}
