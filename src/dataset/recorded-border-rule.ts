/**
 * What does an open dataset hold of a rule of a border?
 *
 * Its terms, when they hold, and where they were read. Apart from the terms, which the rows of a file are made of.
 */
import type { Requirement } from "../requirement/requirement.ts"
import type { BorderRuleTerms } from "./border-rules.ts"
import type { Confidence } from "./facts.ts"
import type { RuleSource } from "./travel-rules.ts"

/** A rule of a border. */
export interface BorderRule extends RuleSource {
  readonly terms: BorderRuleTerms
  /** What has to be asked for it to hold; null for whatever is asked. */
  readonly requirements: readonly Requirement[] | null
  readonly note: string | null
  readonly confidence: Confidence
}
