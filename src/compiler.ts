/**
 * The compiler, which turns facts into datasets: for tools that build data.
 *
 * It is `landfall/compiler`, separate from `landfall`, so that apps that only look up do not load it.
 */

export { compileFacts, type ExplainedRule, explainRequirement } from "./dataset/compile.ts"
export { splitEmbedded } from "./dataset/embedded-lists.ts"
export type { CorroborationFacts, Destination, Facts, Policy, PolicyCondition, Rule, Scope } from "./dataset/facts.ts"
export { encodeDataset } from "./dataset/file-form.ts"
export type { DatasetParts } from "./dataset/open.ts"
export type { FactsError } from "./errors.ts"
export { type HistorySeriesFacts, layOutHistory, PAST_WORDS, type PastWord } from "./history/past.ts"
export { FACT_KINDS, LANGUAGE_TAGS, type Subject } from "./record/fact-fields.ts"
export { addFacts, type FactsSection, isWebAddress } from "./record/facts-section.ts"
export {
  type FactRow,
  type FullParts,
  type HistoryParts,
  type HistoryRow,
  MISSION_KINDS,
  type MissionParts,
} from "./record/full-facts.ts"
export { LANGUAGES, type Language } from "./record/languages.ts"
export type { Catalogue } from "./record/localise.ts"
export { listMessages } from "./record/notices.ts"
export {
  type CheckFacts,
  type FiledKind,
  PROVISION_KINDS,
  PROVISIONS,
  type ProvisionFact,
  type ProvisionKind,
  policyCondition,
  ruleCondition,
  type Terms,
} from "./rules/provision-kinds.ts"
export { type JsonSchema, type Kind, schemaOf } from "./rules/table.ts"
export { listEnglishTexts, listPlaceholders } from "./trip/reasons.ts"
