/**
 * Which condition do the parameters of a decision's notice mean?
 *
 * A decision reports conditions by their kind and flat parameters; texts in a language need the terms of the rule. Documents of other
 * states are not read back: only the rule itself has them in full.
 */

import type { ReasonParams } from "../itinerary/reasons.ts"
import type { ConditionTerms } from "../rules/conditions.ts"
import { type ConditionKey, ConditionSpeaker } from "./conditions.ts"
import type { Locale } from "./localise.ts"

/** Describes a condition by its kind and parameters; null for another kind, and for documents of other states. */
export function sayConditionOf(locale: Locale<ConditionKey>, kind: string, params: ReasonParams): string | null {
  const terms = readConditionParams(kind, params)
  return terms === null ? null : new ConditionSpeaker(locale, null).sayCondition(terms)
}

// The parameters of a kind are those of its terms: they were made of them.
// biome-ignore lint/suspicious/noExplicitAny: which ones they are depends on the kind
type Params = Readonly<Record<string, any>>

const orLeftOut = <Value>(value: Value | null) => value ?? undefined

// Null for another kind.
function readConditionParams(kind: string, params: ReasonParams): ConditionTerms | null {
  const given: Params = params
  const { name, states, names, least, most } = given
  switch (kind) {
    case "registration": {
      const { amount, currency } = given
      const fee = amount === null ? undefined : { amount, currency }
      return { kind, name, url: orLeftOut(given.url), hoursBefore: orLeftOut(given.hours), fee }
    }
    case "gateway_visa":
      return { kind, states, entries: orLeftOut(given.entries) }
    case "border_control":
      return { kind, states }
    case "sponsor":
      return { kind, by: given.by }
    case "special_document":
      return { kind, name }
    case "not_enforced":
      return { kind, borders: given.borders.length === 0 ? undefined : given.borders }
    case "exempt":
      return { kind, who: given.who, issuedBefore: orLeftOut(given.before) }
    case "suspension":
      return { kind, visas: given.visas }
    case "bond":
      return { kind, leastAmount: least, mostAmount: orLeftOut(most), currency: given.currency }
    case "entry_points":
      return { kind, names, borders: given.borders }
    case "asked_at":
      return { kind, borders: given.borders, elsewhere: given.elsewhere }
    case "purpose":
      return { kind, purposes: given.purposes }
    case "group":
      return { kind, least }
    case "bring":
      return { kind, proofs: given.proofs }
    case "passport_kind":
      return { kind, features: given.features }
    case "age":
      return { kind, least: orLeftOut(least), most: orLeftOut(most) }
    case "also":
      return { kind, requirement: given.requirement, remark: orLeftOut(given.remark) }
    case "other":
      return { kind, text: given.text }
    default:
      return null
  }
}
