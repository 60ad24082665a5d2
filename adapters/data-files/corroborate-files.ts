/**
 * Imports condensed files of a second source into `data/`: the evidence, its statements beside our answers, and the rules that follow.
 *
 * Nothing is written unless every file was read, every code in it is known and the facts compile with the results. A second run of the same
 * files changes no byte. The same comparison, without writing, makes the list of differences in docs/data.md.
 */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { Option, Result } from "effect"
import { compileFacts } from "../../src/compiler.ts"
import { DataError, type FileIssue, onFile, refuseFile } from "../files/data-error.ts"
import { listJsonFiles, type RecordFile, readRecordFile, writeRecordFiles } from "../files/record-files.ts"
import { CorroborationRecord } from "./condition-records.ts"
import { corroborate, type DestinationCheck, SECOND_SOURCE } from "./corroborate.ts"
import type { DataRecords } from "./data-files.ts"
import { PolicyRecord } from "./file-records.ts"
import { nameFiles, readDataRecords, toFacts } from "./read-facts.ts"
import { readSecondSource, type SecondSource, SecondSourceRecord } from "./second-source.ts"

/**
 * Takes condensed files into a data folder. If it fails, nothing was written, or only a part if the file system failed in the
 * middle.
 */
export function corroborateFiles(options: { readonly files: readonly string[]; readonly folder: string }) {
  const compared = compareFiles(options)
  if (Result.isFailure(compared)) return Result.fail(compared.failure)
  const { records, checks } = compared.success
  const { folder } = options
  const changed = new Map(checks.map(({ policy }) => [policy.destination, policy]))
  const corroboration = new Map(records.corroboration.map(record => [record.destination, record]))
  for (const check of checks) {
    corroboration.set(check.corroboration.destination, mergeChecks(corroboration, check.corroboration))
  }
  const compiled = compileFacts(
    toFacts({
      ...records,
      policies: records.policies.map(policy => changed.get(policy.destination) ?? policy),
      corroboration: [...corroboration.values()],
    }),
  )
  if (!compiled.ok) return Result.fail(nameFiles(folder, compiled.error))
  const files = checks.flatMap(({ source, policy }): RecordFile[] => {
    const name = `${policy.destination}.json`
    return [
      { path: join(folder, "policies", name), schema: PolicyRecord, record: policy },
      {
        path: join(folder, "corroboration", name),
        schema: CorroborationRecord,
        record: corroboration.get(policy.destination),
      },
      { path: join(folder, "second-source", name), schema: SecondSourceRecord, record: source.record },
    ]
  })
  return onFile(folder, () => {
    for (const place of ["policies", "corroboration", "second-source"]) {
      mkdirSync(join(folder, place), { recursive: true })
    }
    return { checks, changedFiles: writeRecordFiles(files) }
  })
}

/** Compares every file of `data/second-source/` again, without writing anything. */
export function compareStoredFiles(folder: string): Result.Result<readonly DestinationCheck[], DataError> {
  const compared = Result.flatMap(listStoredFiles(folder), files => compareFiles({ files, folder }))
  return Result.map(compared, ({ checks }) => checks)
}

/** Every mistake in the files of `data/second-source/`, taken as they are, without comparing them. */
export function findStoredIssues(folder: string, records: DataRecords): readonly FileIssue[] {
  const read = Result.flatMap(listStoredFiles(folder), files => readSources(files, records))
  return Result.isFailure(read) ? read.failure.issues : []
}

function listStoredFiles(folder: string): Result.Result<readonly string[], DataError> {
  const issues: FileIssue[] = []
  const place = join(folder, "second-source")
  const files = listJsonFiles(place, issue => issues.push(issue)).map(name => join(place, name))
  return issues.length > 0 ? Result.fail(DataError.of(issues)) : Result.succeed(files)
}

function compareFiles({ files, folder }: { readonly files: readonly string[]; readonly folder: string }) {
  return Result.gen(function* () {
    const records = yield* readDataRecords(folder)
    if (!records.sources.some(source => source.id === SECOND_SOURCE)) {
      return yield* refuseFile(join(folder, "sources.json"), `a source with the id "${SECOND_SOURCE}" is expected.`)
    }
    const compared = corroborate(records, yield* readSources(files, records))
    if (!compared.ok) return yield* Result.fail(nameFiles(folder, compared.error))
    return { records, checks: compared.value }
  })
}

function readSources(
  files: readonly string[],
  records: DataRecords,
): Result.Result<readonly SecondSource[], DataError> {
  const issues: FileIssue[] = []
  const alpha2Of = new Map(records.countries.map(country => [country.code, country.alpha2]))
  const codes = new Map(records.passports.map(({ code }) => [alpha2Of.get(code) ?? code, code]))
  const policies = new Set(records.policies.map(policy => policy.destination))
  const fileOf = new Map<string, string>()
  const sources = files.flatMap(file => {
    const record = Option.getOrNull(readRecordFile(file, SecondSourceRecord, issue => issues.push(issue)))
    if (record === null) return []
    const { destination } = record
    const report = (field: string, message: string) => issues.push({ file, field, message })
    if (!policies.has(destination)) report("destination", `"${destination}" has no policy.`)
    const earlier = fileOf.get(destination)
    if (earlier !== undefined) report("destination", `${destination} is already in ${earlier}.`)
    fileOf.set(destination, file)
    const { as_of: asOf } = records.dataset
    const { last_verified: checkedOn } = record.policy_source
    if (checkedOn > asOf) {
      report("policy_source.last_verified", `${checkedOn} is after the dataset's day, ${asOf}.`)
    }
    return [readSecondSource(record, codes, ({ field, message }) => report(field, message))]
  })
  return issues.length > 0 ? Result.fail(DataError.of(issues)) : Result.succeed(sources)
}

// Checks of other sources on the same destination stay.
function mergeChecks(
  known: ReadonlyMap<string, CorroborationRecord>,
  record: CorroborationRecord,
): CorroborationRecord {
  const others = known.get(record.destination)?.checks.filter(check => check.source !== SECOND_SOURCE) ?? []
  return { ...record, checks: [...others, ...record.checks] }
}
