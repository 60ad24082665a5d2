/**
 * Which rules does an open dataset have for passports of other kinds than the ordinary one, and for the classes of British nationals?
 *
 * This file finds the rules with their entries. It judges no traveller.
 */
import { type EpochDay, parseCivilDate } from "../civil-date.ts"
import type { Dataset, Found } from "../dataset/open.ts"
import { PASSPORT_KINDS, type PassportKind } from "../dataset/passport-kinds.ts"
import { REQUIREMENTS, type Requirement } from "../dataset/requirement.ts"
import { type RuleCondition, readRuleEnd } from "../dataset/rule-terms.ts"
import { listByScope, type ScopedLists } from "../dataset/scoped-lists.ts"
import { type Entry, readEntry } from "../requirement/entry.ts"
import { type EntryTerms, termsOfEntry } from "./entry-terms.ts"

/** A rule for kinds of passports. */
export interface KindRule {
  readonly kinds: readonly PassportKind[]
  /** The requirement of the issuer's ordinary passports for which the rule applies; null for any. */
  readonly requirements: readonly Requirement[] | null
  readonly entry: Entry
  readonly terms: EntryTerms
  /** What must be checked if the traveller's residence is not given; null if the rule does not depend on it. */
  readonly ofResidents: RuleCondition | null
  readonly lookDay: EpochDay | null
}

/** Finds a dataset's rules for kinds of passports, by destination and passport. */
export function readKindRules({ terms, sources, version }: Dataset): ScopedLists<KindRule> {
  return listByScope(terms?.kinds ?? [], ([kinds, rank, days, movesFreely, isForResidents, ...end]): KindRule => {
    const { requirements, source, sourceUrl, verifiedOn, citedOn } = readRuleEnd(sources, end)
    const answer: Found = {
      kind: "found",
      requirement: REQUIREMENTS[rank]!,
      days,
      home: false,
      uncertain: false,
      basis: movesFreely ? "freedom_of_movement" : null,
      bloc: null,
      follows: null,
      source,
      verifiedOn,
      citedOn,
      datasetVersion: version,
    }
    const entry = readEntry(Object.freeze(answer), -1)
    const text = "Only for who lives in the country that issued the document."
    return {
      kinds: kinds.map(place => PASSPORT_KINDS[place]!),
      requirements,
      entry,
      terms: termsOfEntry(entry),
      ofResidents: isForResidents ? Object.freeze({ kind: "other", text, source, sourceUrl }) : null,
      lookDay: parseCivilDate(verifiedOn ?? citedOn),
    }
  })
}
