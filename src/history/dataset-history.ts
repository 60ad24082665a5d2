/**
 * How does a dataset file carry a history of its own?
 *
 * As one section behind its pairs, in the layout of `lay-out.ts`. Lookups of the present do not read it.
 */
import type { DatasetParts } from "../dataset/format.ts"
import { type Dataset, takeDataset } from "../dataset/open.ts"
import { type DatasetError, type Result, success } from "../errors.ts"
import { type History, openHistory } from "./past.ts"

/** The name of the section. */
const PAST = "PAST"

/**
 * Adds a history to a compiled dataset. Fails with `MalformedDataset` for bytes that are not a history.
 *
 * @example
 * ```ts
 * const added = addHistory(parts, new Uint8Array(3))
 * !added.ok && added.error.tag // => "MalformedDataset"
 * ```
 */
export function addHistory(parts: DatasetParts, bytes: Uint8Array): Result<DatasetParts, DatasetError> {
  const history = openHistory(bytes)
  return history.ok ? success({ ...parts, sections: new Map([...(parts.sections ?? []), [PAST, bytes]]) }) : history
}

const opened = new WeakMap<Uint8Array, Result<History, DatasetError>>()

/**
 * Opens the history of a dataset; null if its file has none.
 *
 * Fails with `MalformedDataset`. The same object for every view of the dataset.
 *
 * @example
 * ```ts
 * const own = readDatasetHistory(embeddedDataset())
 * own.ok && own.value // => null
 * ```
 */
export function readDatasetHistory(dataset: Dataset): Result<History | null, DatasetError> {
  const bytes = takeDataset(dataset).sections?.get(PAST)
  if (bytes === undefined) return success(null)
  const known = opened.get(bytes)
  if (known !== undefined) return known
  const read = openHistory(bytes)
  opened.set(bytes, read)
  return read
}
