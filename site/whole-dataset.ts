/** The dataset with the rules behind its pairs: loaded with the views that ask for more than pairs, without what is only for people. */
import { type Dataset, embeddedRules } from "landfall"
import { isPastDay, offeredDataset, onDatasetReplaced, openView, readToday } from "./answers.ts"

/** Returns the dataset as it was compiled. */
export const wholeDataset = (): Dataset => offeredDataset() ?? embeddedRules()

const views = new Map<string, Dataset>()
onDatasetReplaced(() => views.clear())

/** Returns the rules as they are on a day, or today; each view is made once. */
export function wholeViewOn(on: string | null): Dataset {
  const day = on ?? readToday()
  const view = views.get(day) ?? openView(wholeDataset(), on)
  if (!isPastDay(day)) views.set(day, view)
  return view
}
