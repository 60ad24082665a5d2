/** The dataset with everything that people read of it: the pages of sources, notes and the texts of logs. Verdicts are the same without. */
import { type Dataset, embeddedDataset } from "landfall"
import { offeredDataset } from "./answers.ts"
import { openViews } from "./whole-dataset.ts"

/** Returns the dataset as it was compiled. */
export const remarkedDataset = (): Dataset => offeredDataset() ?? embeddedDataset()

/** Returns it as it is on a day, or today. */
export const remarkedViewOn = openViews(remarkedDataset)
