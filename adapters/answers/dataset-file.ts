/**
 * Can a deployment answer from the bytes of a file?
 *
 * It can when all parts are sound: the pairs, and the full facts and the history where there are any. A file that is too large to be a
 * dataset is not read.
 */
import { readFileSync } from "node:fs"
import { type Dataset, openDataset } from "../../src/engine.ts"
import { type FullFacts, loadFullFacts, readDatasetFacts } from "../../src/full.ts"
import { readDatasetHistory } from "../../src/history.ts"
import type { Inspected } from "../feed/follow.ts"
import { refuseLarge, refuseLargeFile } from "../files/dataset-size.ts"
import { describeFileError } from "../files/file-errors.ts"
import { inspectDataset } from "./changed-share.ts"

/** The contents of a file, or why it could not be read. */
export type Read<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly message: string }

const refuse = (message: string) => ({ ok: false, message }) as const

export function readDatasetBytes(path: string): Read<Uint8Array> {
  try {
    const isTooLarge = refuseLargeFile(path)
    return isTooLarge === null ? { ok: true, value: new Uint8Array(readFileSync(path)) } : refuse(isTooLarge)
  } catch (cause) {
    return refuse(describeFileError(cause))
  }
}

// Keyed by the timelines, which the views for all days share with the dataset.
const bytesByTimelines = new WeakMap<Dataset["timelines"], Uint8Array>()

/** The bytes that a dataset, or the view of a day of it, was opened from; null for the embedded one. */
export const findDatasetBytes = ({ timelines }: Dataset): Uint8Array | null => bytesByTimelines.get(timelines) ?? null

/** Opens bytes as a dataset whose pairs, facts and history are sound. */
export function openWholeDataset(bytes: Uint8Array): Read<Dataset> {
  const isTooLarge = refuseLarge(bytes.length)
  if (isTooLarge !== null) return refuse(`The file ${isTooLarge}`)
  const opened = openDataset(bytes)
  if (!opened.ok) return refuse(opened.error.message)
  const facts = readDatasetFacts(opened.value)
  if (!facts.ok) return refuse(facts.error.message)
  const history = readDatasetHistory(opened.value)
  if (!history.ok) return refuse(history.error.message)
  bytesByTimelines.set(opened.value.timelines, bytes)
  return opened
}

/** Opens the bytes of a feed and compares them with the dataset in use, or says why that cannot be done. */
export function inspectBytes(inUse: Dataset | null, bytes: Uint8Array): Inspected | string {
  const opened = openWholeDataset(bytes)
  return opened.ok ? inspectDataset(inUse, opened.value) : opened.message
}

/** The facts that records over a dataset are made of: its own, or those of the program. */
export async function loadFactsOf(dataset: Dataset): Promise<FullFacts> {
  const own = readDatasetFacts(dataset)
  return own.ok && own.value !== null ? own.value.facts : await loadFullFacts()
}
