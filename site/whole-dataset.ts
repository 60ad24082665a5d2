/** The whole dataset, with the rules behind its pairs: loaded with the views that ask for more than pairs. */
import { type Dataset, datasetOn, embeddedDataset } from "landfall"
import { isPastDay, offeredDataset, onDatasetReplaced, pastViewOn } from "./answers.ts"
import { readToday } from "./today.ts"

const views = new Map<string, Dataset>()
onDatasetReplaced(() => views.clear())

/** Returns the dataset as it was compiled. */
export const wholeDataset = (): Dataset => offeredDataset() ?? embeddedDataset()

/** Returns the dataset as it is on a day, or today; each view is made once. */
export function wholeViewOn(on: string | null): Dataset {
  const day = on ?? readToday()
  const known = views.get(day)
  if (known !== undefined) return known
  const past = pastViewOn(day)
  if (past !== null) return past
  const result = datasetOn(wholeDataset(), day)
  const view = result.ok ? result.value : wholeDataset()
  if (!isPastDay(day)) views.set(day, view)
  return view
}
