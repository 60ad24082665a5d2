/**
 * What does a passport of another kind than the ordinary one give at a stop?
 *
 * Only a rule that names the kind answers; rules for ordinary passports do not apply to a diplomatic one. The holder of a passport of his
 * own state is at home there, whatever its kind. A travel document for a refugee, a person without a nationality, an alien or a seafarer
 * does not make its holder a national of the issuing state. Rules for visitors do not apply in the state where he lives.
 */
import type { EpochDay } from "../civil-date.ts"
import { UNKNOWN_INDEX } from "../dataset/open.ts"
import type { RuleCondition } from "../dataset/rule-terms.ts"
import { type Entry, entryAt, entryOn } from "../requirement/entry.ts"
import type { DecisionState, StopState } from "./decision-state.ts"
import { type EntryTerms, leaveOpen } from "./entry-terms.ts"
import { unknown } from "./findings.ts"
import type { KindRule } from "./kind-rules.ts"
import { NO_PARAMS } from "./reasons.ts"
import type { PassportState } from "./traveller-state.ts"

/** The finding if no rule names a kind of passport. */
export const KIND_NOT_RECORDED = unknown("pair", "passport_kind_not_recorded", NO_PARAMS)

/** How a stop is entered with a passport of another kind. */
export interface KindEntry {
  /** Null if nothing is recorded. */
  readonly entry: Entry | null
  readonly terms: EntryTerms
  /** What must be checked because the traveller did not say it; null for nothing. */
  readonly toCheck: RuleCondition | null
  readonly lookDay: EpochDay | null
}

const NOT_RECORDED: KindEntry = { entry: null, terms: leaveOpen(KIND_NOT_RECORDED), toCheck: null, lookDay: null }

/** Finds how a stop is entered with a passport of another kind, on the day of arrival. */
export function findKindEntry(state: DecisionState, passport: PassportState, stop: StopState): KindEntry {
  const { dataset, rules } = state
  const { issuerRow, nationality, kind, held } = passport
  const { destination, column, firstDay } = stop
  const ordinary = issuerRow < UNKNOWN_INDEX ? entryAt(dataset, issuerRow, column) : null
  if (ordinary?.isHome) {
    return nationality === null
      ? NOT_RECORDED
      : { ...NOT_RECORDED, entry: ordinary, terms: rules.terms[ordinary.place]! }
  }
  if (firstDay < dataset.sinceDay) return NOT_RECORDED
  for (const { value, fromDay, untilDay } of rules.kinds.at(destination, held.passport)) {
    if (!value.kinds.includes(kind) || firstDay < fromDay || firstDay >= untilDay) continue
    if (!isForIssuer(state, passport, stop, value)) continue
    const { entry, terms, ofResidents, lookDay } = value
    const livesThere = ofResidents === null || livesIn(state, held.passport)
    if (livesThere !== false) return { entry, terms, toCheck: livesThere ? null : ofResidents, lookDay }
  }
  return NOT_RECORDED
}

function isForIssuer(
  { dataset }: DecisionState,
  { issuerRow }: PassportState,
  { column, firstDay }: StopState,
  { requirements }: KindRule,
): boolean {
  if (requirements === null) return true
  if (issuerRow >= UNKNOWN_INDEX) return false
  const { answer } = entryOn(dataset, issuerRow, column, firstDay)
  return answer.kind === "found" && requirements.includes(answer.requirement)
}

// Null if the traveller did not say it.
function livesIn({ read: { residence, held }, documents }: DecisionState, country: string): boolean | null {
  for (const document of documents) document.isNamed ||= document.place === null || isPermit(document.read, country)
  if (residence === country || held?.some(document => isPermit(document, country))) return true
  return residence === null ? null : false
}

const isPermit = ({ kind, issuer }: { readonly kind: string; readonly issuer: string }, country: string) =>
  kind === "residence_permit" && issuer === country
