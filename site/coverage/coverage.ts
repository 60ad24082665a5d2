/**
 * How much is known, how reliably, and how old is it?
 *
 * Counted in the page from its own answers and records, so that the figures are those of the data in use. Rules are counted at
 * once; the fields of all records take a second and are counted a passport at a time, so that the page stays responsive.
 */
import { type Dataset, EVIDENCE_LEVELS, judgeEvidence, lookupAt, type Source } from "landfall"
import { assembleFullRecord, type FullRecord, type LocalisedFacts, type MessageKey } from "landfall/full"
import { nextTask } from "../later-part.ts"

/** How sure the rule of a pair is. */
export const SURENESS = [...EVIDENCE_LEVELS, "named", "none"] as const
/** A level of evidence; from a named source of its own or derived; not recorded. */
type Sureness = (typeof SURENESS)[number]

/** How many pairs rest on a source. */
interface SourceCount {
  readonly source: Source | null
  readonly pairs: number
  /** The last day on which a rule was read there, by us or by the compiler, or null. */
  readonly readOn: string | null
}

/** The evidence of a dataset's rules. */
export interface RuleCoverage {
  readonly pairs: number
  readonly bySureness: Readonly<Record<Sureness, number>>
  readonly sources: readonly SourceCount[]
  /** By destination: the evidence of most of its pairs. */
  readonly ofDestination: ReadonlyMap<string, Sureness>
}

const countNone = (): Record<Sureness, number> => ({ read: 0, cited: 0, table: 0, named: 0, none: 0 })

/** Counts what every pair of a dataset rests on. */
export function countRules(dataset: Dataset): RuleCoverage {
  const bySureness = countNone()
  const sources = new Map<Source | null, { pairs: number; readOn: string | null }>()
  const ofDestination = new Map<string, Sureness>()
  dataset.destinations.forEach((destination, column) => {
    const here = countNone()
    dataset.passports.forEach((_, row) => {
      const answer = lookupAt(dataset, row, column)
      if (answer.kind !== "found") {
        here.none++
        return
      }
      const { source } = answer
      const evidence = judgeEvidence(answer)
      here[evidence?.level ?? "named"]++
      const known = sources.get(source) ?? { pairs: 0, readOn: null }
      known.pairs++
      const readOn = evidence?.on ?? ""
      if (readOn > (known.readOn ?? "")) known.readOn = readOn
      sources.set(source, known)
    })
    for (const sureness of SURENESS) bySureness[sureness] += here[sureness]
    ofDestination.set(
      destination,
      SURENESS.reduce((most, next) => (here[next] > here[most] ? next : most)),
    )
  })
  return {
    pairs: dataset.passports.length * dataset.destinations.length,
    bySureness,
    sources: [...sources]
      .map(([source, counted]) => ({ source, ...counted }))
      .sort((one, other) => other.pairs - one.pairs),
    ofDestination,
  }
}

export const FIELDS: readonly (readonly [field: keyof FullRecord, heading: MessageKey])[] = [
  ["requirement", "label.requirement"],
  ["visa_free_days", "label.stay"],
  ["documents_required", "label.documents"],
  ["process", "label.process"],
  ["visa_types", "label.visa_types"],
  ["passport_validity_months", "label.passport_validity"],
  ["visa_fee", "label.fee"],
  ["processing_days", "label.processing"],
  ["best_apply_period", "label.apply"],
  ["photo_specs", "label.photo"],
  ["insurance_required", "label.insurance"],
  ["tips", "label.tips"],
  ["vaccinations_required", "label.vaccinations"],
  ["health_requirements", "label.health"],
  ["safety", "label.safety"],
  ["transit_visa", "label.transit"],
  ["minor_rules", "label.minors"],
  ["customs", "label.customs"],
  ["dual_nationality_warnings", "label.dual_nationality"],
  ["stamp_warnings", "label.stamps"],
  ["extension", "label.extension"],
  ["overstay_penalty", "label.overstay"],
  ["entry_by_mode", "label.entry_by_mode"],
  ["country_info", "label.country"],
  ["embassy", "label.embassy_apply"],
  ["remote_work_visa", "label.remote_work"],
  ["reciprocity_history", "label.history"],
]

/** How many records have each field, as far as they are counted. */
export interface FieldCoverage {
  /** Passports counted, of all. */
  readonly counted: number
  readonly of: number
  readonly records: number
  readonly byField: ReadonlyMap<keyof FullRecord, number>
  /** The days that the records' sources describe, by year: how many citations each. */
  readonly ages: ReadonlyMap<string, number>
  readonly nameField: (heading: MessageKey) => string
}

const PASSPORTS_A_STEP = 4

/** Counts the fields of all records, some passports at a time; calls back after each step until `isWanted` says no. */
export async function countFields(
  dataset: Dataset,
  localised: LocalisedFacts,
  onStep: (coverage: FieldCoverage) => void,
  isWanted: () => boolean,
): Promise<void> {
  const byField = new Map<keyof FullRecord, number>()
  const ages = new Map<string, number>()
  let records = 0
  for (let at = 0; at < dataset.passports.length && isWanted(); at += PASSPORTS_A_STEP) {
    for (const passport of dataset.passports.slice(at, at + PASSPORTS_A_STEP)) {
      for (const destination of dataset.destinations) {
        const record = assembleFullRecord(localised, passport, destination)
        if (record === null) continue
        records++
        for (const [field] of FIELDS) {
          if (record[field] != null) byField.set(field, (byField.get(field) ?? 0) + 1)
        }
        for (const { as_of: asOf, verified_on: verifiedOn, cited_on: citedOn } of record.sources ?? []) {
          const year = (verifiedOn ?? citedOn ?? asOf)?.slice(0, 4)
          if (year !== undefined) ages.set(year, (ages.get(year) ?? 0) + 1)
        }
      }
    }
    const counted = Math.min(at + PASSPORTS_A_STEP, dataset.passports.length)
    onStep({
      counted,
      of: dataset.passports.length,
      records,
      byField: new Map(byField),
      ages: new Map([...ages].sort(([one], [other]) => (one < other ? -1 : 1))),
      nameField: key => localised.locale.say({ key }),
    })
    await nextTask()
  }
}
