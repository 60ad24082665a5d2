/**
 * Which conditions of a rule change how its visa is applied for?
 *
 * Another party may have to apply, or an approval may be needed before the journey. The steps of a record depend on both.
 */
import type { RuleCondition } from "../rules/provisions.ts"
import type { Locale } from "./localise.ts"

/** What the steps of an application depend on, besides the answer. */
export interface ApplicationTerms {
  /** Who applies instead of the traveller, as a list in the record's language. */
  readonly sponsors?: string
  /** The approval that is needed before the journey, by its own name. */
  readonly approval?: string
}

const NO_APPLICATION_TERMS: ApplicationTerms = Object.freeze({})

/** Reads them from the conditions of a pair, in a language. Cannot fail. */
export function readApplication(locale: Locale, conditions: readonly RuleCondition[]): ApplicationTerms {
  const sponsor = conditions.find(condition => condition.kind === "sponsor")
  const approval = conditions.find(condition => condition.kind === "registration")
  if (sponsor === undefined && approval === undefined) return NO_APPLICATION_TERMS
  return {
    ...(sponsor === undefined
      ? undefined
      : { sponsors: locale.list(sponsor.by.map(word => locale.say({ key: `sponsor.${word}` }))) }),
    ...(approval === undefined ? undefined : { approval: approval.name }),
  }
}
