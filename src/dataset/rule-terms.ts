/**
 * What is recorded about the rule of a pair besides its answer, and what do logs and second sources say about it?
 *
 * This file asks the lists of a dataset, which are read on first use, once for all its views. It finds what is recorded and judges no
 * traveller.
 */
import { type EpochDay, parseCivilDate } from "../civil-date.ts"
import { getOrInsert, NOTHING } from "../collections.ts"
import {
  type Provision,
  type ProvisionIndex,
  type RuleCondition,
  readProvisions,
  type Scoped,
} from "../rules/provisions.ts"
import type { Dataset } from "./open.ts"
import type { Requirement } from "./requirement.ts"

/** The contents of one rule besides its answer. */
export interface RuleDetail {
  readonly conditions: readonly RuleCondition[]
  readonly note: string | null
  readonly sourceUrl: string | null
  readonly fromDay: EpochDay | null
  /** The announced first day no longer in force, or null. */
  readonly untilDay: EpochDay | null
}

/** A rule that decided before, and ended. */
export interface EndedRule {
  /** The last day on which it was in force (`YYYY-MM-DD`). */
  readonly endedOn: string
  readonly requirement: Requirement
  readonly days: number | null
}

/** A statement of a second source; it says the same as the dataset on its day if it has no requirement. */
type Statement = Provision<"checks">

// Keyed by provisions, because the views of a dataset for other days share them.
const indexes = new WeakMap<ProvisionIndex, TermsIndex>()

/** Returns the terms of a dataset by name; null if it has none. */
export function readTerms(dataset: Dataset): TermsIndex | null {
  if (dataset.terms === null) return null
  const provisions = readProvisions(dataset)
  return getOrInsert(indexes, provisions, () => new TermsIndex(provisions))
}

/** Says whether a provision holds on a day. */
export const holdsOn =
  (day: EpochDay) =>
  ({ fromDay, untilDay }: Scoped<unknown>) =>
    fromDay <= day && day < untilDay

/** The terms of a dataset, by destination and passport. */
export class TermsIndex {
  readonly provisions: ProvisionIndex
  readonly #members: ReadonlyMap<string, ReadonlySet<string>>
  readonly #statements = new WeakMap<object, readonly Statement[]>()

  constructor(provisions: ProvisionIndex) {
    this.provisions = provisions
    this.#members = new Map(
      provisions.list("sets").map(({ value }) => [value.selector, new Set(value.codes.match(/.{3}/g))]),
    )
  }

  /** Says whether an issuer is the one that a selector names, or belongs to the bloc or zone that it names. */
  includesIssuer(selector: string, issuer: string): boolean {
    return selector === issuer || (this.#members.get(selector)?.has(issuer) ?? false)
  }

  /** Lists the codes of a selector. */
  listMembers(selector: string): readonly string[] {
    const members = this.#members.get(selector)
    return members === undefined ? [selector] : [...members]
  }

  /** Finds the contents of the deciding rule besides its answer, and the rule that ended before it; nulls if there is nothing. */
  findRule(
    destination: string,
    passport: string,
    day: EpochDay,
  ): { detail: RuleDetail | null; ended: EndedRule | null } {
    const rule = this.provisions.at("rules", destination, passport).find(holdsOn(day))?.value
    // Those for everybody are about the whole policy.
    const ofRules = this.provisions.at("notes", destination, passport).filter(({ rank }) => rank > 1)
    const note = ofRules.find(holdsOn(day))?.value
    const ended = rule?.endedOn == null ? null : rule
    return {
      detail:
        rule === undefined && note === undefined
          ? null
          : {
              conditions: rule?.conditions ?? NOTHING,
              note: note?.note ?? null,
              sourceUrl: note?.sourceUrl ?? null,
              fromDay: parseCivilDate(rule?.begins),
              untilDay: parseCivilDate(rule?.ends),
            },
      ended:
        ended === null
          ? null
          : Object.freeze({
              endedOn: ended.endedOn as string,
              requirement: ended.endedRequirement as Requirement,
              days: ended.endedDays,
            }),
    }
  }

  /** Lists the statements of second sources about a passport at a destination, the latest first. */
  listStatements(destination: string, passport: string): readonly Statement[] {
    const scoped = this.provisions.at("checks", destination, passport)
    return getOrInsert(this.#statements, scoped, () => {
      // What a source says of a passport by its code goes before what it says of everybody else.
      const byCheck = new Map<number, Statement>()
      for (const { value } of scoped) if (!byCheck.has(value.check)) byCheck.set(value.check, value)
      return [...byCheck.values()].filter(({ isSilent }) => !isSilent).sort((a, b) => a.check - b.check)
    })
  }
}
