/**
 * What do the files in `data/` say, in the engine's names?
 *
 * Reads every file that a dataset is compiled from, reports every mistake with its file and field, and translates snake_case into
 * the engine's records. The engine checks whether the facts make sense.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Result } from "effect"
import { compileFacts, type Facts, type FactsError, type FiledKind, PROVISION_KINDS } from "../../src/compiler.ts"
import { type Dataset, openParts } from "../../src/engine.ts"
import { DataError, type FileIssue, onFile, refuseFile } from "../files/data-error.ts"
import { findLine, writeRecordFiles } from "../files/record-files.ts"
import { answerClaims } from "./answer-claims.ts"
import { checkClaims, checkTreaties, listTableDays } from "./claim-records.ts"
import {
  type DataFiles,
  type DataRecords,
  listDataFiles,
  type Place,
  placeClaim,
  readDataFiles,
  sortRecord,
  toRecords,
} from "./data-files.ts"
import { listDuties } from "./duty-facts.ts"
import { camelKeys } from "./file-records.ts"

/** Reads all files of a data folder, or fails with every mistake in them. */
export function readDataRecords(folder: string): Result.Result<DataRecords, DataError> {
  const first = join(folder, "dataset.json")
  if (!existsSync(first)) {
    return refuseFile(
      first,
      "does not exist. The facts are in a clone of the repository; --data DIR names their folder.",
    )
  }
  const issues: FileIssue[] = []
  const files = readDataFiles(folder, issue => issues.push(issue))
  return issues.length > 0 ? Result.fail(DataError.of(issues)) : checkFiles(folder, files)
}

/** The records of files, or every mistake in what they say of each other. */
export function checkFiles(folder: string, files: DataFiles): Result.Result<DataRecords, DataError> {
  const misplaced = findAdditionIssues(folder, files)
  if (misplaced.length > 0) return Result.fail(DataError.of(misplaced))
  const records = toRecords(files)
  const issues = findClaimIssues(folder, records)
  return issues.length > 0 ? Result.fail(DataError.of(issues)) : Result.succeed(records)
}

/**
 * Formats every file of a data folder, so that a diff reads as facts: keys in schema order, two spaces, lines of 120 characters, codes and rows
 * sorted where their order says nothing. No value is changed. Returns the paths of those that changed; nothing is written where a file cannot
 * be read.
 */
export const formatDataFolder = (folder: string): Result.Result<readonly string[], DataError> =>
  Result.flatMap(readDataRecords(folder), records => {
    const files = listDataFiles(records.files).map(file => ({
      path: join(folder, file.name),
      schema: file.schema,
      record: sortRecord(file),
    }))
    return onFile(folder, () => writeRecordFiles(files))
  })

/** The records with the claims alone that answers about a destination rest on: its own, and those of a destination that it follows. */
export function withClaimsOf(records: DataRecords, destination: string): DataRecords {
  const follows = records.claims.find(record => record.destination === destination)?.follows
  const isAsked = (record: DataRecords["claims"][number]) => [destination, follows].includes(record.destination)
  return { ...records, claims: records.claims.filter(isAsked) }
}

/** The records as a dataset; null where they do not compile. */
export function openRecords(records: DataRecords): Dataset | null {
  const compiled = compileFacts(toFacts(records))
  const opened = compiled.ok ? openParts(compiled.value) : compiled
  return opened.ok ? opened.value : null
}

/** Translates the records into facts for the engine. */
export function toFacts(records: DataRecords): Facts {
  const answered = answerClaims(records)
  return {
    version: records.dataset.version,
    asOf: records.dataset.as_of,
    since: records.dataset.since,
    destinations: records.countries.map(country => ({
      code: country.code,
      region: country.subregion,
      gdpUsd: country.gdp_usd ?? null,
    })),
    passports: records.passports.map(passport => passport.code),
    sources: records.sources.map(({ id, name, url, imported = false, compiled = false, via, retrieved_on }) => ({
      id,
      name,
      url,
      imported,
      compiled: compiled || via !== undefined,
      snapshotOn: imported ? retrieved_on : null,
      retrievedOn: retrieved_on,
    })),
    blocs: records.blocs.map(({ id, freedom_of_movement: freedomOfMovement, members }) => ({
      ...{ id, freedomOfMovement },
      members: members.map(({ code, from = null, until = null }) => ({ code, from, until })),
    })),
    policies: answered.map(({ policy }) => policy),
    ...(Object.fromEntries(
      ([...PROVISION_KINDS, "zones"] as const).map(of => [of, records[of].map(camelKeys)]),
    ) as unknown as Pick<Facts, FiledKind | "zones">),
    duties: listDuties(records),
    changeLog: answered.flatMap(({ changes }) => changes),
    corroboration: answered.flatMap(({ corroboration }) => corroboration ?? []),
  }
}

// An added page under a name that is taken would change what other claims say.
function findAdditionIssues(folder: string, { claims, additions }: DataFiles): readonly FileIssue[] {
  const taken = new Map(claims.map(({ destination, pages }) => [destination, new Set(Object.keys(pages))]))
  return additions.flatMap(({ id, destination, pages }) => {
    const file = join(folder, "additions", `${id}.json`)
    const names = taken.get(destination)
    if (names === undefined)
      return [{ file, field: "destination", message: `"${destination}" has no file in claims/.` }]
    const repeated = Object.keys(pages).filter(name => names.has(name))
    for (const name of Object.keys(pages)) names.add(name)
    const message = `another page of ${destination} has this name: name the page like the file.`
    return repeated.map(name => nameLine({ file, field: `pages.${name}`, message }))
  })
}

function findClaimIssues(folder: string, records: DataRecords): readonly FileIssue[] {
  const context = {
    asOf: records.dataset.as_of,
    sources: new Set(records.sources.map(({ id }) => id)),
    passports: new Set(records.passports.map(({ code }) => code)),
    destinations: new Set(records.countries.map(({ code }) => code)),
    blocs: new Set(records.blocs.map(({ id }) => id)),
    tableDays: new Set(listTableDays(records.tables)),
  }
  const issues: FileIssue[] = []
  const report = ({ record, field }: Place, message: string) =>
    issues.push(nameLine({ file: join(folder, `${record}.json`), field, message }))
  checkTreaties(records.treaties, context, ({ field, message }) => report({ record: "treaties", field }, message))
  for (const record of records.claims) {
    checkClaims(record, context, ({ field, message }) =>
      report(placeClaim(records, { record: `claims/${record.destination}`, field }), message),
    )
  }
  return issues
}

/** Adds the line to the file of a mistake in a claim or a treaty. */
export function nameLine(issue: FileIssue): FileIssue {
  // An addition may not be written yet.
  const line = existsSync(issue.file) ? findLine(readFileSync(issue.file, "utf8"), issue.field) : null
  return line === null ? issue : { ...issue, file: `${issue.file}:${line}` }
}

/** Says which claim is behind a rule of the facts: `policies/KEN reviewed[3].days` is `claims/KEN claims[7].days`. */
export function placeRules(records: DataRecords): (place: Place) => Place {
  const placed = new Map(answerClaims(records).map(one => [`policies/${one.policy.destination}`, one.places]))
  return ({ record, field }) => {
    const places = placed.get(record)
    if (places === undefined) return { record, field }
    const ofClaims = field.replace(/^\w+\[\d+\]/, rule => places.get(rule) ?? rule)
    return placeClaim(records, { record: record.replace("policies/", "claims/"), field: ofClaims })
  }
}

/** Turns the engine's refusal into one that names the files; a rule is named by its claim where the records are given. */
export function nameFiles(folder: string, error: FactsError, records?: DataRecords): DataError {
  const place = records === undefined ? (given: Place) => given : placeRules(records)
  return DataError.of(
    error.issues.map(({ record, field, message }) => {
      const placed = place({ record, field })
      const file = join(folder, `${placed.record}.json`)
      const named = message.replace(
        /\b(?:reviewed|rules|default)\[\d+\]/g,
        rule => place({ record, field: rule }).field,
      )
      const issue = { file, field: placed.field, message: named }
      return placed.record === record ? issue : nameLine(issue)
    }),
  )
}
