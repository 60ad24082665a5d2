/**
 * The engine as one script for user-defined functions of a warehouse (BigQuery, Snowflake, Databricks, plv8): two functions from texts to texts.
 *
 * `.ci/packaging/build-udf.ts` bundles it as one expression without modules, for engines that have the language of 2019 and nothing else. The history of past days is left out for
 * its size, so a stop before the dataset's first day is unknown here; so are the full facts, so what has to be done has no names, pages and fees.
 */
import { type Dataset, embeddedDataset, lookup } from "../../src/index.ts"
import { toExportRow } from "../answers/export-row.ts"
import { writeDecisionFields } from "../answers/write-decision.ts"
import { judgeBody, type LineOutcome, readJson, writeMistakes } from "../batch/lines/judge-body.ts"

// Functions that the engine uses and ES2019 does not have; the tests find them, because they run without newer functions.
type Lists = { -readonly [Method in "at" | "toSorted"]?: unknown }
const lists: Lists = Array.prototype
lists.at ??= function <Item>(this: readonly Item[], place: number) {
  return this[place < 0 ? this.length + place : place]
}
lists.toSorted ??= function <Item>(this: readonly Item[], compare?: (one: Item, other: Item) => number) {
  return [...this].sort(compare)
}

// The engine replaces texts, by texts.
const texts: { replaceAll?: unknown } = String.prototype
texts.replaceAll ??= function (this: string, found: string, by: string) {
  return this.split(found).join(by)
}

const writeError = (error: string): string => JSON.stringify({ error })

/**
 * Answers for a passport at a destination on a day (`YYYY-MM-DD`; the dataset's own where it is null): the row of `landfall dataset export` as JSON.
 * Null where nothing is recorded or a code or day is null, and `{"error": …}` for a malformed one.
 */
export function visa(passport: string | null, destination: string | null, day?: string | null): string | null {
  if (passport == null || destination == null) return null
  const answer = lookup(passport, destination, day == null ? {} : { on: day })
  if (answer.kind === "malformed") return writeError(answer.message)
  if (answer.kind !== "found") return null
  return JSON.stringify(toExportRow(answer, { passport, destination, asOf: day ?? embeddedDataset().asOf }))
}

/** Answers a request as `landfall batch - --stage` answers its line; null for null. */
export function decide(request: string | null): string | null {
  if (request == null) return null
  const dataset: Dataset = embeddedDataset()
  const read = readJson(request)
  const { id, outcome } = read.ok ? judgeBody(dataset, read.body, null) : { id: null, outcome: refuse(read.error) }
  const start = id === null ? "{" : `{"id":${JSON.stringify(id)},`
  return `${start}${outcome.ok ? writeDecisionFields(dataset, outcome.decision) : writeMistakes(outcome)}`
}

const refuse = (error: string): LineOutcome & { readonly ok: false } => ({ ok: false, error, issues: [] })
