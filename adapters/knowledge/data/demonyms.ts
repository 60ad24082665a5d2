/**
 * What are the people of each country called?
 *
 * Reads `data/demonyms.json`, our own record, because the runtime's data (CLDR) name countries and not peoples: adjectives and
 * nouns that people type to name a passport, in those of the fifteen languages in which we are sure of them. A word that several
 * countries share is listed with each of them.
 */
import { join } from "node:path"
import { Option, Result, Schema } from "effect"
import { LANGUAGES } from "../../../src/compiler.ts"
import { isCode } from "../../../src/engine.ts"
import { DataError, type FileIssue } from "../../platform/files/data-error.ts"
import { readRecordFile } from "../../platform/files/record-files.ts"

const Word = Schema.String.check(Schema.isPattern(/^[^|\s]+(?: [^|\s]+)*$/))

const DemonymRecord = Schema.Struct({
  code: Schema.String.check(Schema.makeFilter(code => isCode(code))),
  /** By language. */
  names: Schema.Record(Schema.Literals(LANGUAGES), Schema.optionalKey(Schema.Array(Word))),
  source: Schema.NullOr(Schema.String),
  verified_on: Schema.NullOr(Schema.String),
})

/** The file, as it is read and written. */
export const DemonymRecords = Schema.Array(DemonymRecord)

/** Reads the words of each country, without their languages, joined by bars; fails with every mistake in the file. */
export function readDemonyms(folder: string): Result.Result<Readonly<Record<string, string>>, DataError> {
  const issues: FileIssue[] = []
  const path = join(folder, "demonyms.json")
  const records = readRecordFile(path, DemonymRecords, issue => issues.push(issue))
  if (Option.isNone(records)) return Result.fail(DataError.of(issues))
  return Result.succeed(
    Object.fromEntries(
      records.value.map(({ code, names }) => [code, [...new Set(Object.values(names).flat())].join("|")]),
    ),
  )
}
