/**
 * Which border rules may concern a passport at a destination, by their kind?
 *
 * They are found once for each pair and kept with it. The countries of a bar are stored by destination index, because a
 * decision checks every stay: comparing codes took a tenth of a decision with two stops in the United States.
 */
import { type EpochDay, parseCivilDate } from "../civil-date.ts"
import { codeKey } from "../codes.ts"
import type { BorderRuleKind, BorderRuleTerms } from "../dataset/border-rules.ts"
import type { Dataset } from "../dataset/open.ts"
import type { BorderRule } from "../dataset/recorded-border-rule.ts"
import type { Requirement } from "../dataset/requirement.ts"
import type { Scoped } from "../dataset/scoped-lists.ts"

/** The terms of a kind. */
export type BorderTerms<Kind extends BorderRuleKind> = Extract<BorderRuleTerms, { readonly kind: Kind }>

/** A rule, with its days and its scope. */
export interface ScopedTerms<Kind extends BorderRuleKind> {
  readonly terms: BorderTerms<Kind>
  /** The requirements for which it applies; null for any. */
  readonly requirements: readonly Requirement[] | null
  readonly fromDay: EpochDay
  readonly untilDay: EpochDay
}

/** A bar for travellers who were present in a country, or are nationals of one. */
export interface ScopedBar extends ScopedTerms<"bar"> {
  /** By index: 1 for the countries in which presence bars. */
  readonly presentAt: Uint8Array
  readonly sinceDay: EpochDay
}

/** The rules at a destination, by kind. */
export interface BorderLists {
  readonly bars: readonly ScopedBar[]
  readonly ownPassports: readonly ScopedTerms<"own_passport">[]
  readonly readmissions: readonly ScopedTerms<"readmission">[]
}

/** The rules of a destination without any. */
export const NO_BORDERS: BorderLists = { bars: [], ownPassports: [], readmissions: [] }

/** Sorts the recorded rules of a pair by their kind. */
export function listBorders(dataset: Dataset, recorded: readonly Scoped<BorderRule>[]): BorderLists {
  const ofKind = <Kind extends BorderRuleKind>(kind: Kind) =>
    recorded.flatMap(({ value: { terms, requirements }, fromDay, untilDay }) =>
      terms.kind === kind ? [{ terms: terms as BorderTerms<Kind>, requirements, fromDay, untilDay }] : [],
    )
  return {
    bars: ofKind("bar").map(bar => {
      const { present = [], since } = bar.terms
      return { ...bar, presentAt: markIndices(dataset, present), sinceDay: parseCivilDate(since) ?? 0 }
    }),
    ownPassports: ofKind("own_passport"),
    readmissions: ofKind("readmission"),
  }
}

const INDICES = 256

function markIndices({ destinationIndices }: Dataset, codes: readonly string[]): Uint8Array {
  const marks = new Uint8Array(INDICES)
  for (const code of codes) marks[destinationIndices[codeKey(code)] as number] = 1
  return marks
}

/** Says whether a rule applies on a day to a traveller with a requirement. */
export function isInForce(
  { requirements, fromDay, untilDay }: Omit<ScopedTerms<BorderRuleKind>, "terms">,
  day: EpochDay,
  asked: Requirement | null,
): boolean {
  if (day < fromDay || day >= untilDay) return false
  return requirements === null || (asked !== null && requirements.includes(asked))
}
