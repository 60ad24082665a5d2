/**
 * What does an open dataset say of passports of other kinds than the ordinary one, and of the classes of British nationals?
 *
 * Its rules, each with the entry that it gives. This file finds what is recorded; it judges nobody.
 */
import { type EpochDay, parseCivilDate } from "../civil-date.ts"
import type { Dataset, Found } from "../dataset/open.ts"
import { PASSPORT_KINDS, type PassportKind } from "../dataset/passport-kinds.ts"
import { type RuleCondition, readRanks } from "../dataset/rule-terms.ts"
import { ScopedLists } from "../dataset/scoped-lists.ts"
import { readProvenance } from "../dataset/travel-rules.ts"
import { type Entry, readEntry } from "../requirement/entry.ts"
import { REQUIREMENTS, type Requirement } from "../requirement/requirement.ts"
import { type EntryTerms, termsOfEntry } from "./entry-terms.ts"

/** A rule for kinds of passports. */
export interface KindRule {
  readonly kinds: readonly PassportKind[]
  /** What the issuer's ordinary passports have to need for it to hold; null for whatever they need. */
  readonly requirements: readonly Requirement[] | null
  readonly entry: Entry
  readonly terms: EntryTerms
  /** What has to be checked where the traveller does not say where he lives; null where it holds wherever that is. */
  readonly ofResidents: RuleCondition | null
  readonly lookDay: EpochDay | null
}

/** Finds the rules for kinds of passports of a dataset by destination and passport. */
export function readKindRules({ terms, sources, version }: Dataset): ScopedLists<KindRule> {
  return new ScopedLists(
    (terms?.kinds ?? []).map(row => {
      const [kinds, rank, days, movesFreely, isForResidents, ranks, , , destinations, scopes, ...provenance] = row
      const read = (): KindRule => {
        const { source, sourceUrl, verifiedOn, citedOn } = readProvenance(sources, provenance)
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
          requirements: readRanks(ranks),
          entry,
          terms: termsOfEntry(entry),
          ofResidents: isForResidents ? Object.freeze({ kind: "other", text, source, sourceUrl }) : null,
          lookDay: parseCivilDate(verifiedOn ?? citedOn),
        }
      }
      return [destinations, scopes, read]
    }),
  )
}
