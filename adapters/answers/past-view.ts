/** Which journeys need what was recorded of past days? Only those load it. */
import type { Dataset, ReadRequest } from "../../src/engine.ts"

/** Returns the dataset for judging a journey: one whose first day is before the dataset's needs its past too. */
export function datasetFor(dataset: Dataset, { itineraries }: ReadRequest): Dataset | Promise<Dataset> {
  const isPast = itineraries.some(({ stops }) => (stops[0]?.fromDay ?? dataset.sinceDay) < dataset.sinceDay)
  return isPast ? loadWithPast(dataset) : dataset
}

const loadWithPast = async (dataset: Dataset): Promise<Dataset> => (await import("./with-past.ts")).withPast(dataset)
