/**
 * Which parts of a pair's policy are compared, and reported to subscribers?
 *
 * The answer of the table of pairs, and the facts about its fee, its processing days and the validity of the passport, with their
 * publications. The facts of a whole destination are computed once and shared.
 */

import { getOrInsert } from "../collections.ts"
import type { Basis } from "../dataset/facts.ts"
import type { Dataset, Found } from "../dataset/open.ts"
import type { Requirement } from "../dataset/requirement.ts"
import { findValidity, indexDestinationRules } from "../record/destination-rules.ts"
import { type FullFacts, type Origin, selectFact } from "../record/full-facts.ts"
import type { Money } from "../rules/conditions.ts"
import type { ValidityRule } from "../rules/provisions.ts"

/** A dataset and the facts that go with it; null where they are not known. */
export interface PolicySide {
  readonly dataset: Dataset
  readonly facts: FullFacts | null
}

/** For how long a passport must be valid. */
export interface PolicyValidity {
  readonly anchor: ValidityRule["anchor"]
  /** Whole months, then days, after the anchor. */
  readonly months: number
  readonly days: number
}

/** A publication. */
export interface PolicySource {
  readonly name: string
  readonly url: string | null
}

/** The policy for one passport at one destination. */
export interface PolicyTerms {
  readonly requirement: Requirement
  /** Allowed stay in days; null when it is not a fixed number or not known. */
  readonly days: number | null
  readonly uncertain: boolean
  readonly basis: Basis | null
  readonly bloc: string | null
  readonly follows: string | null
  /** The fee of a single entry, or of several where none is known of one. */
  readonly fee: Money | null
  /** Usual days until a decision. */
  readonly processingDays: number | null
  readonly validity: PolicyValidity | null
  readonly sources: readonly PolicySource[]
}

/** Finds the terms of an answer of a side's dataset; the same object for the same terms wherever they are shared. */
export function openPolicyTerms({ dataset, facts }: PolicySide) {
  const rulesOf = indexDestinationRules(dataset)
  const shared = new Map<string, Map<Found, PolicyTerms>>()

  function makeTerms(answer: Found, passport: string, destination: string): PolicyTerms {
    const { requirement, days, uncertain, basis, bloc, follows, home, source } = answer
    const asked = { requirement, passport }
    const movesFreely = home || basis === "freedom_of_movement"
    const isApplied = requirement !== "visa_free" && requirement !== "no_admission"
    const known = facts !== null && isApplied ? facts.factsOf(destination) : null
    const fee = known === null ? null : selectFact(known, "fee", asked)
    const application = known === null ? null : selectFact(known, "application", asked)
    const money = fee?.value.singleEntry ?? fee?.value.multipleEntry ?? null
    const processingDays = application?.value.standardDays ?? null
    const rules = rulesOf(destination)
    const rule = movesFreely ? null : rules.validities[findValidity(rules, passport)]
    const sources = [
      source,
      money === null ? null : cite(fee?.origin),
      processingDays === null ? null : cite(application?.origin),
      rule?.source ? { name: rule.source.name, url: rule.sourceUrl } : null,
    ]
    const distinct = new Map<string, PolicySource>()
    for (const cited of sources) {
      if (cited !== null)
        distinct.set(`${cited.url} ${cited.name}`, Object.freeze({ name: cited.name, url: cited.url }))
    }
    return Object.freeze({
      requirement,
      days,
      uncertain,
      basis,
      bloc,
      follows,
      fee: money === null ? null : Object.freeze({ amount: money.amount, currency: money.currency }),
      processingDays,
      validity: rule == null ? null : Object.freeze({ anchor: rule.anchor, months: rule.months, days: rule.days }),
      sources: Object.freeze([...distinct.values()]),
    })
  }

  return (answer: Found, passport: string, destination: string): PolicyTerms => {
    if (facts?.isSingledOut(destination, passport)) return makeTerms(answer, passport, destination)
    const key = `${destination}${findValidity(rulesOf(destination), passport)}`
    const terms = getOrInsert(shared, key, () => new Map())
    return getOrInsert(terms, answer, () => makeTerms(answer, passport, destination))
  }
}

function cite(origin: Origin | undefined): PolicySource | null {
  return origin?.source ? { name: origin.source.name, url: origin.url } : null
}
