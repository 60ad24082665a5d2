/**
 * Which rules hold today?
 *
 * Rules begin and end on days, so a new view of the dataset is made whenever the UTC day changes: a dated rule takes effect at
 * midnight without a new dataset and without a restart. A newly installed dataset replaces the one before at once.
 */
import { type Dataset, datasetOn } from "../../src/engine.ts"
import { formatUtcDay, utcDayAt } from "../time/utc-calendar.ts"

/** The view of a dataset for the UTC day of an instant (epoch milliseconds). */
export type TodayView = (nowMs: number) => Dataset

/** Makes the view that follows the days. For a day before the dataset's first, its own day is used. */
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
