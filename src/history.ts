/**
 * The public API of `landfall/history`: what was needed on past days, and how it changed.
 *
 * It is separate from `landfall`, so that apps that only ask about the present do not load it.
 */

export { embeddedHistory } from "./history/embedded.ts"
export {
  type FirstSeen,
  type History,
  listPast,
  lookupPast,
  openHistory,
  type PastAnswer,
  type PastFound,
  type PastPeriod,
  type PastValue,
} from "./history/past.ts"
export {
  addHistory,
  compareRanks,
  countAs,
  datasetWithPast,
  listTableDays,
  pastDataset,
  type RankMove,
  readDatasetHistory,
} from "./history/past-dataset.ts"
