/** The dataset with the rules behind its pairs: loaded with the views that ask for more than pairs, without what is only for people. */
import { type Dataset, datasetOn, embeddedRules } from "landfall"
import { isPastDay, offeredDataset, onDatasetReplaced, pastViewOn } from "./answers.ts"
import { readToday } from "./today.ts"

/** Returns the dataset as it was compiled. */
export const wholeDataset = (): Dataset => offeredDataset() ?? embeddedRules()

/** Makes what returns a dataset as it is on a day, or today; each view is made once. */
export function openViews(whole: () => Dataset): (on: string | null) => Dataset {
  const views = new Map<string, Dataset>()
  onDatasetReplaced(() => views.clear())
  return on => {
    const day = on ?? readToday()
    const known = views.get(day)
    if (known !== undefined) return known
    const past = pastViewOn(day)
    if (past !== null) return past
    const result = datasetOn(whole(), day)
    const view = result.ok ? result.value : whole()
    if (!isPastDay(day)) views.set(day, view)
    return view
  }
}

/** Returns the rules as they are on a day, or today. */
export const wholeViewOn = openViews(wholeDataset)
