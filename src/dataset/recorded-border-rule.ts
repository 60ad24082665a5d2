/**
 * What does an open dataset have about border rules?
 *
 * Their terms, their days, and their source. It is separate from the terms, from which the rows of a file are made, and from the conditions
 * of other rules, because only decisions read it.
 */

import type { BorderRuleTerms } from "./border-rules.ts"
import { copyFrozen } from "./copy-frozen.ts"
import type { Confidence } from "./facts.ts"
import type { Dataset } from "./open.ts"
import type { Requirement } from "./requirement.ts"
import { readRuleEnd } from "./rule-terms.ts"
import { listByScope, type ScopedLists } from "./scoped-lists.ts"
import type { RuleSource } from "./travel-rules.ts"

/** A rule of a border. */
export interface BorderRule extends RuleSource {
  readonly terms: BorderRuleTerms
  /** The requirements for which it applies; null for any. */
  readonly requirements: readonly Requirement[] | null
  readonly note: string | null
  readonly confidence: Confidence
}

/** Finds the rules of borders of a dataset by destination and passport. */
export function readBorderRules({ terms, sources }: Dataset): ScopedLists<BorderRule> {
  return listByScope(terms?.borders ?? [], ([terms, ...end]) => copyFrozen({ terms, ...readRuleEnd(sources, end) }))
}
