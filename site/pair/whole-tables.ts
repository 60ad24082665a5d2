/** The whole tables of the record, for a dataset that is not the page's own: those that it holds, or those of the page. */
import type { Dataset } from "landfall"
import { loadFullFacts, loadHistory, loadMissions, readDatasetFacts } from "landfall/full"

/** Loads them. Rejects where the dataset's own are malformed. */
export async function loadWholeTables(dataset: Dataset) {
  const own = readDatasetFacts(dataset)
  if (!own.ok) throw new RangeError(own.error.message)
  if (own.value !== null) return own.value
  const [facts, missions, history] = await Promise.all([loadFullFacts(), loadMissions(), loadHistory()])
  return { facts, missions, history }
}
