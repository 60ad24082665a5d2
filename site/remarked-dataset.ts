/** The dataset with what people read of it beside the rules: the pages of sources, notes and the texts of logs. Verdicts are the same without. */
import { openRemarked } from "site:remarks"
import type { Dataset } from "landfall"
import { offeredDataset } from "./answers.ts"
import type { Remarks } from "./build/country-parts.ts"
import { openView } from "./whole-dataset.ts"

/** Returns it as it is on a day, or today. The page's own has the remarks that name no destination, and further ones that are given; another one has all. */
export const remarkedViewOn = (on: string | null, remarks: Remarks = {}): Dataset =>
  openView(offeredDataset() ?? openRemarked(remarks), on)
