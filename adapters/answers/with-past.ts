/**
 * Which history belongs to a dataset?
 *
 * A dataset file with a history of its own answers from it, any other from the history of this package. It is a file of its own, so that
 * the edge loads no more than this for a past journey.
 */
import type { Dataset, Result } from "../../src/engine.ts"
import { datasetWithPast, embeddedHistory, type History, readDatasetHistory } from "../../src/history.ts"

/** Finds the history that belongs to a dataset. Fails with the words of `readDatasetHistory`. */
export function historyOf(dataset: Dataset): Result<History> {
  const own = readDatasetHistory(dataset)
  return own.ok ? { ok: true, value: own.value ?? embeddedHistory() } : own
}

const views = new WeakMap<Dataset, Dataset>()

/** Adds its history to a dataset; it is opened on the first question about a past day. Returns the same view at every call. */
export function withPast(dataset: Dataset): Dataset {
  const known = views.get(dataset)
  if (known !== undefined) return known
  let find: Dataset["past"]
  const past: Dataset["past"] = (passport, destination, day) => {
    find ??= openPast(dataset)
    return find(passport, destination, day)
  }
  const view = Object.freeze({ ...dataset, past })
  views.set(dataset, view)
  return view
}

function openPast(dataset: Dataset): NonNullable<Dataset["past"]> {
  const history = historyOf(dataset)
  if (!history.ok) throw new Error(history.error.message)
  return datasetWithPast(history.value, dataset).past!
}
