/**
 * The engine without any data: everything that works on a dataset which the caller opens or compiles.
 *
 * `landfall` is this and the embedded dataset; import `landfall/engine` where data comes from a file only.
 */
export { addCivilMonths, type EpochDay, formatCivilDate, isEpochDay, parseCivilDate } from "./civil-date.ts"
export { codeKey, isCode } from "./codes.ts"
export {
  type ChangedField,
  type DiffOptions,
  diffDatasets,
  judgeSeverity,
  listScheduledChanges,
  type PairChange,
  type ScheduledChange,
} from "./dataset/diff.ts"
export type { Basis, Source } from "./dataset/facts.ts"
export { type DatasetParts, decodeEmbedded, type EmbeddedDataset, FORMAT_VERSION } from "./dataset/format.ts"
export {
  type Answer,
  type Dataset,
  datasetOn,
  type Found,
  type Malformed,
  type NoRecord,
  openDataset,
  openParts,
} from "./dataset/open.ts"
export type {
  CoreError,
  DatasetError,
  InputError,
  InputIssue,
  Result,
  SignatureError,
} from "./errors.ts"
export { type LookupOptions, lookupAt, lookupAtOn, lookupRequirement } from "./requirement/lookup.ts"
export {
  easeRank,
  isRequirement,
  needsVisa,
  REQUIREMENTS,
  type Requirement,
  unlocks,
} from "./requirement/requirement.ts"
