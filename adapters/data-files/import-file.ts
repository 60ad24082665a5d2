/**
 * Takes a table of requirements into `data/policies/`.
 *
 * Nothing is written unless the whole table was read, every code in it is known and the facts compile with it; no file is replaced
 * before all of them are on the disk. A second import of the same table changes no byte, and completes one that was cut off.
 */
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Result, Schema } from "effect"
import { compileFacts, type Facts } from "../../src/compiler.ts"
import { formatCivilDate, lookupRequirement, parseCivilDate } from "../../src/engine.ts"
import { DataError, onFile, refuseFile } from "../files/data-error.ts"
import { findChangedFiles, type RecordFile, writeRecordFiles } from "../files/record-files.ts"
import type { DataRecords } from "./data-files.ts"
import { PolicyRecord, SourceRecord } from "./file-records.ts"
import { buildPolicies } from "./import-policies.ts"
import { OWN_EXPORT, parseRequirementTable, type TablePair } from "./import-table.ts"
import { nameFiles, openRecords, readDataRecords, toFacts, toPolicy, withoutReviewed } from "./read-facts.ts"

/**
 * Imports a table file into a data folder, under a source of `sources.json`.
 *
 * Refuses a table that leaves out pairs which have an imported rule, unless `replace` is given: an incomplete table is usually a
 * mistake. With `dryRun` it says what it would do and writes nothing. If it fails, nothing was written, or only a part if the
 * file system failed in the middle.
 */
export function importTableFile(options: {
  readonly file: string
  readonly folder: string
  readonly source: string | null
  /** The day of the table (`YYYY-MM-DD`), which becomes its source's in `sources.json`; when absent, the day that is there. */
  readonly tableDay?: string
  readonly dryRun?: boolean
  readonly replace?: boolean
}) {
  const read = readDataRecords(options.folder)
  if (Result.isFailure(read)) return Result.fail(read.failure)
  const records = read.success
  const sources = join(options.folder, "sources.json")
  const imported = records.sources.filter(source => source.imported === true)
  const found = options.source === null ? imported[0] : records.sources.find(({ id }) => id === options.source)
  const source =
    found === undefined || options.tableDay === undefined ? found : { ...found, retrieved_on: options.tableDay }
  if (source === undefined || (options.source === null && imported.length > 1)) {
    const known = imported.map(({ id }) => id).join(", ")
    return refuseFile(sources, `--source takes the id of a table here (${known}), "${options.source ?? "none"}" given.`)
  }
  const snapshotDay = parseCivilDate(source.retrieved_on)
  if (snapshotDay === null) {
    const message = "the day of the table (YYYY-MM-DD) is needed to know who was in which bloc."
    return Result.fail(DataError.of([{ file: sources, field: `${source.id}.retrieved_on`, message }]))
  }
  const passports = records.passports.map(passport => passport.code)
  const destinations = records.countries.map(country => country.code)
  const file = options.file || '""'
  const text = onFile(options.file, () => readFileSync(options.file, "utf8"))
  if (Result.isFailure(text)) return Result.fail(text.failure)
  const recorded = { passports: new Set(passports), destinations: new Set(destinations) }
  const parsed = parseRequirementTable(text.success, recorded)
  if (Result.isFailure(parsed)) return refuseFile(file, parsed.failure)
  const table = parsed.success
  if (isOwnAnswers(table.pairs, records)) return refuseFile(file, OWN_EXPORT)
  const policies = buildPolicies(table.pairs, {
    snapshotDay,
    source: source.id,
    passports,
    blocs: records.blocs,
    existing: new Map(records.policies.map(policy => [policy.destination, policy])),
  })
  const isReplaced = new Set(policies.map(policy => policy.destination))
  const kept = records.policies.filter(policy => !isReplaced.has(policy.destination))
  const named = records.sources.map(other => (other.id === source.id ? source : other))
  const compiled = compileFacts(toFacts({ ...records, sources: named, policies: [...kept, ...policies] }))
  if (!compiled.ok) return Result.fail(nameFiles(options.folder, compiled.error))
  const pairsDropped = countDropped(records.policies, policies, records)
  const dropped = pairsDropped.reduce((sum, { pairs }) => sum + pairs, 0)
  const dryRun = options.dryRun ?? false
  if (dropped > 0 && !dryRun && options.replace !== true) {
    const lost = pairsDropped.map(({ destination, pairs }) => `${destination} ${pairs}`).join(", ")
    return refuseFile(
      file,
      `the table leaves out ${dropped} pairs that have an imported rule (${lost}). ` +
        "Look at them with --dry-run, and drop them with --replace.",
    )
  }
  const place = join(options.folder, "policies")
  const files: RecordFile[] = policies.map(policy => ({
    path: join(place, `${policy.destination}.json`),
    schema: PolicyRecord,
    record: policy,
  }))
  if (source !== found) files.push({ path: sources, schema: Schema.Array(SourceRecord), record: named })
  const changed = onFile(place, () => {
    if (!dryRun) mkdirSync(place, { recursive: true })
    return dryRun ? findChangedFiles(files) : writeRecordFiles(files)
  })
  return Result.map(changed, changedFiles => ({
    form: table.form,
    pairs: table.pairs.length,
    destinations: policies.length,
    /** Pairs of these destinations that the table does not hold: what an earlier table said of them is lost. */
    pairsLeftOut:
      policies.length * passports.length -
      policies.filter(({ destination }) => passports.includes(destination)).length -
      table.pairs.length,
    /** Those of them that have an imported rule now, by destination: replacing drops it. */
    pairsDropped,
    written: !dryRun,
    changedFiles,
    daysDropped: table.daysDropped,
    source: `${source.id} (${formatCivilDate(snapshotDay)})`,
  }))
}

/** How many reviewed answers a table has to repeat, and which share of those that it has, to count as written by this program. */
const OWN_PAIRS = 100
const OWN_SHARE = 0.95

// An export in another form has no mark, but it repeats the reviewed answers also where the imported table says something else.
function isOwnAnswers(pairs: readonly TablePair[], records: DataRecords): boolean {
  const [reviewed, imported] = [openRecords(records), openRecords(withoutReviewed(records))]
  if (reviewed === null || imported === null) return false
  let [decided, repeated] = [0, 0]
  for (const { passport, destination, requirement, days } of pairs) {
    const ours = lookupRequirement(reviewed, passport, destination)
    const theirs = lookupRequirement(imported, passport, destination)
    if (ours.kind !== "found" || ours.uncertain) continue
    if (theirs.kind === "found" && theirs.requirement === ours.requirement && theirs.days === ours.days) continue
    decided++
    if (ours.requirement === requirement && ours.days === days) repeated++
  }
  return repeated >= OWN_PAIRS && repeated >= decided * OWN_SHARE
}

// Pairs that an imported rule covers before and none after, by destination. Reviewed rules stay, and do not matter here.
function countDropped(before: readonly PolicyRecord[], after: readonly PolicyRecord[], records: DataRecords) {
  const facts = toFacts({ ...records, policies: [] })
  const covered = (policy: PolicyRecord) => listCovered({ ...facts, policies: [toPolicy({ ...policy, reviewed: [] })] })
  return after.flatMap(policy => {
    const old = before.find(({ destination }) => destination === policy.destination)
    if (old === undefined) return []
    const kept = covered(policy)
    const pairs = [...covered(old)].filter(passport => passport !== policy.destination && !kept.has(passport)).length
    return pairs === 0 ? [] : [{ destination: policy.destination, pairs }]
  })
}

// Membership of blocs on any day counts: the rules that an import replaces have no dates.
function listCovered({ passports, blocs, policies }: Facts): ReadonlySet<string> {
  const [policy] = policies
  if (policy === undefined || policy.defaults.length > 0) return new Set(policy === undefined ? [] : passports)
  const covered = policy.rules.flatMap(rule =>
    rule.passports.flatMap(selector =>
      selector.startsWith("@")
        ? (blocs.find(({ id }) => `@${id}` === selector)?.members.map(({ code }) => code) ?? [])
        : [selector],
    ),
  )
  return new Set(covered.filter(code => passports.includes(code)))
}
