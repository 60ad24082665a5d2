/**
 * Which rules hold today?
 *
 * Rules begin and end on days, so the dataset is looked at anew whenever the UTC day changes: a dated rule takes effect at midnight
 * without a new dataset and without a restart. A dataset that is installed takes the place of the one before at once.
 */
import { type Dataset, datasetOn } from "../../src/engine.ts"
import { formatUtcDay, utcDayAt } from "../metering/utc-calendar.ts"

/** The view of a dataset for the UTC day of an instant (epoch milliseconds). */
export type TodayView = (nowMs: number) => Dataset

/** Makes the view that follows the days. A day that the dataset knows nothing of is answered as of the dataset's own day. */
export function makeTodayView(read: () => Dataset): TodayView {
  let day = Number.NaN
  let dataset = read()
  let view = dataset
  return nowMs => {
    const today = utcDayAt(nowMs)
    const present = read()
    if (today !== day || present !== dataset) {
      day = today
      dataset = present
      const result = datasetOn(dataset, formatUtcDay(today))
      view = result.ok ? result.value : dataset
    }
    return view
  }
}
