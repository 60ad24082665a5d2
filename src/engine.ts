/**
 * The engine without any data: everything that works on a dataset which the caller opens or compiles.
 *
 * `landfall` is this and the embedded dataset; import `landfall/engine` where data comes from a file only.
 */

export {
  diffDatasets,
  judgeSeverity,
  listScheduledChanges,
  type PairChange,
  type ScheduledChange,
} from "./changes/diff.ts"
export { type EpochDay, formatCivilDate, parseCivilDate } from "./civil-date.ts"
export {
  BRITISH_CLASSES,
  easeRank,
  isCode,
  isRequirement,
  needsVisa,
  REQUIREMENTS,
  type Requirement,
  unlocks,
} from "./codes.ts"
export type { Source } from "./dataset/facts.ts"
export {
  type Dataset,
  type DatasetParts,
  datasetOn,
  FORMAT_VERSION,
  type Found,
  type LookupAnswer,
  type Malformed,
  type NoRecord,
  type PairsDataset,
  type Zone,
} from "./dataset/open.ts"
export { openDataset, openParts } from "./dataset/open-file.ts"
export type { CoreError, DatasetError, InputError, InputIssue, Result } from "./errors.ts"
export type { Kind as FieldKind, ObjectKind, Row as FieldRow } from "./fields/read-fields.ts"
export { chooseBestPassports, type Group, type GroupDestination, intersectGroup } from "./group/intersect.ts"
export {
  costOfRequest,
  decideGroup,
  judgeRequest,
  judgeRequestInPieces,
  type RequestCost,
  readDecisionRequest,
} from "./itinerary/decide-request.ts"
export { type HeldAnswer, lookupHeld } from "./itinerary/lookup-held.ts"
export { listNotUsedInPieces } from "./itinerary/not-used.ts"
export { applyRemedy, decideWithRemedies } from "./itinerary/remedies.ts"
export {
  type Breach,
  countStayDays,
  findEarliestEntry,
  findLastLegalDay,
  findLongestStay,
  measureBreach,
  type StayDays,
  type UncountedStay,
} from "./itinerary/stay-days.ts"
export { foldName, foldText } from "./language/fold-text.ts"
export {
  type ComparedPassport,
  type Comparison,
  comparePassports,
  DEFAULT_WEIGHTS,
  type MobilityScore,
  type Ranking,
  rankPassports,
  scorePassport,
  type WeightsInput,
} from "./mobility/score.ts"
export {
  dateEvidence,
  describePair,
  EVIDENCE_LEVELS,
  type Evidence,
  type EvidenceLevel,
  findStayRule,
  findWaivers,
  findZoneAgreement,
  judgeEvidence,
  LONGEST_AGE_DAYS,
  type PairDescription,
} from "./requirement/describe-pair.ts"
export { type LookupOptions, lookupAt, lookupRequirement } from "./requirement/lookup.ts"
export { listEntrants } from "./requirement/question.ts"
export type { DocumentTerms } from "./rules/provision-kinds.ts"
export type { RuleCondition, Waiver } from "./rules/provisions.ts"
export type { Money } from "./rules/table.ts"
export { type SignatureScheme, signDelivery, type VerifyDeliveryOptions, verifyDelivery } from "./signing/signature.ts"
export type {
  Blocker,
  Condition,
  Decision,
  Due,
  Gap,
  GroupDecision,
  Outcome,
  Remedy,
  Step,
  ToDo,
} from "./trip/answer-fields.ts"
export { decide } from "./trip/judge.ts"
export { type Finding, REASONS, type ReasonCode, sayReason } from "./trip/reasons.ts"
export type { ZoneTerms } from "./trip/recorded.ts"
export {
  DECISION_REQUEST,
  type GivenDocument,
  type GivenPassport,
  type GivenTransit,
  type GroupItineraryRequest,
  type HeldDocument,
  type ItineraryRequest,
  type ReadRequest,
  type Stay,
  type Stop,
  type Traveller,
} from "./trip/request-fields.ts"
