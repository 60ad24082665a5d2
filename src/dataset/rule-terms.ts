/**
 * Which conditions do the rules of an open dataset have, and which other rules apply besides them?
 *
 * This file reads the terms of a dataset on first use, once for all its views, and finds them by destination and passport. Everything
 * returned is deeply frozen. It finds what is recorded and judges no traveller.
 */
import { type EpochDay, formatCivilDate } from "../civil-date.ts"
import { splitCodes } from "../codes.ts"
import { getOrInsert } from "../get-or-insert.ts"
import {
  type ProvenanceRow,
  type ProvisionIndex,
  type RuleCondition,
  type RuleSource,
  readProvenance,
  readProvisions,
} from "../rules/provisions.ts"
import { type Scoped, ScopedLists } from "../rules/scoped-lists.ts"
import { copyFrozen, NOTHING } from "./copy-frozen.ts"
import type { Source } from "./facts.ts"
import type { Dataset } from "./open.ts"
import { REQUIREMENTS, type Requirement } from "./requirement.ts"
import type { ChangeRow, CheckRow, RuleRow, TermsSection } from "./terms-section.ts"

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

// Keyed by section, because the views of a dataset for other days share it.
const indexes = new WeakMap<TermsSection, TermsIndex>()

/** Returns the terms of a dataset by name; null if it has none. */
export function readTerms(dataset: Dataset): TermsIndex | null {
  const { terms } = dataset
  return terms === null
    ? null
    : getOrInsert(indexes, terms, () => new TermsIndex(terms, dataset.sources, readProvisions(dataset)))
}

/** The terms of a dataset, by destination and passport. */
export class TermsIndex {
  readonly #terms: TermsSection
  readonly #sources: readonly Source[]
  readonly #members: ReadonlyMap<string, ReadonlySet<string>>
  readonly #details: (RuleDetail | undefined)[] = []
  readonly #rules: ReadonlyMap<string, readonly RuleRow[]>
  readonly #changes: ReadonlyMap<string, readonly ChangeRow[]>
  readonly #checks: ReadonlyMap<string, readonly CheckRow[]>
  readonly #policyConditions = new ScopedLists<{
    readonly condition: RuleCondition
    readonly ranks: readonly number[] | null
  }>()
  readonly #conditionDays = new Map<string, readonly EpochDay[]>()
  readonly #retrievedDays: ReadonlyMap<Source, EpochDay | null>
  readonly #provisions: ProvisionIndex

  constructor(terms: TermsSection, sources: readonly Source[], provisions: ProvisionIndex) {
    this.#provisions = provisions
    this.#terms = terms
    this.#sources = sources
    this.#members = new Map(terms.sets.map(([selector, codes]) => [selector, new Set(splitCodes(codes))]))
    this.#rules = groupRows(terms.rules)
    this.#changes = groupRows(terms.changes)
    // The latest first, because it is used first.
    this.#checks = groupRows([...terms.checks].sort(([, a], [, b]) => b - a))
    for (const [place, ranks, destination, passports, except, from, until] of terms.policyConditions) {
      const value = Object.freeze({ condition: provisions.conditionAt(place), ranks })
      this.#policyConditions.add([destination], () => [value, provisions.expand({ passports, except, from, until })])
    }
    this.#retrievedDays = new Map(sources.map((source, place) => [source, terms.retrievedDays[place] ?? null]))
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
    for (const [, detail, ended, passports, fromDay, untilDay] of this.#rules.get(destination) ?? NOTHING) {
      if ((fromDay !== null && day < fromDay) || (untilDay !== null && day >= untilDay)) continue
      if (!includesCode(passports, passport)) continue
      return {
        detail: detail === null ? null : this.#detailAt(detail),
        ended: ended === null ? null : this.#readEnded(ended),
      }
    }
    return { detail: null, ended: null }
  }

  /** Conditions of a whole policy that apply to a requirement for a passport on a day, with how specifically they name it. */
  listPolicyConditions(
    destination: string,
    passport: string,
    day: EpochDay,
    rank: number,
  ): readonly Scoped<{ readonly condition: RuleCondition }>[] {
    return this.#policyConditions
      .at(destination, passport)
      .filter(
        ({ value, fromDay, untilDay }) => fromDay <= day && day < untilDay && (value.ranks?.includes(rank) ?? true),
      )
  }

  /** The days on which conditions of rules or of the policy of a destination may change, in order. */
  conditionDays(destination: string): readonly EpochDay[] {
    let days = this.#conditionDays.get(destination)
    if (days === undefined) {
      const ofRules = (this.#rules.get(destination) ?? NOTHING).flatMap(([, , , , from, until]) => [from, until])
      const all = [...ofRules.filter(day => day !== null), ...this.#policyConditions.listDays(destination)]
      days = [...new Set(all)].sort((a, b) => a - b)
      this.#conditionDays.set(destination, days)
    }
    return days
  }

  /** Says whether a rule or the policy of a destination has any condition. */
  hasConditions(destination: string): boolean {
    const details = (this.#rules.get(destination) ?? NOTHING).map(([, detail]) => detail)
    const isOfRule = details.some(place => place !== null && this.#detailAt(place).conditions.length > 0)
    return isOfRule || this.#policyConditions.has(destination)
  }

  hasChanges(destination: string): boolean {
    return this.#changes.has(destination)
  }

  /** Whether any rule of a destination followed one that had an announced end. */
  hasEnded(destination: string): boolean {
    return (this.#rules.get(destination) ?? NOTHING).some(([, , ended]) => ended !== null)
  }

  /** Changes after a day and up to another that a log names, for a passport. */
  listChanges(destination: string, passport: string, afterDay: number, lastDay: EpochDay) {
    return (this.#changes.get(destination) ?? NOTHING)
      .filter(
        ([, day, , passports]) =>
          day > afterDay && day <= lastDay && (passports === null || includesCode(passports, passport)),
      )
      .map(([, day, change, , ...provenance]) => ({ day, change, ...this.#readProvenance(provenance) }))
  }

  /** Says whether sources contradict each other about a passport there, so that nothing decides. */
  hasOpenChecks(destination: string): boolean {
    return this.listChecks(destination).some(([, , said]) => said.some(([, , , isOpen]) => isOpen === 1))
  }

  /** Lists the statements of second sources about a destination. */
  listChecks(destination: string): readonly CheckRow[] {
    return this.#checks.get(destination) ?? NOTHING
  }

  sourceAt(place: number): Source {
    return this.#sources[place] as Source
  }

  /** The day on which a source was fetched, or null. */
  retrievedDay(source: Source | null): EpochDay | null {
    return source === null ? null : (this.#retrievedDays.get(source) ?? null)
  }

  #detailAt(place: number): RuleDetail {
    this.#details[place] ??= this.#readDetail(this.#terms.details[place] as TermsSection["details"][number])
    return this.#details[place]
  }

  #readDetail([places, note, sourceUrl, fromDay, untilDay]: TermsSection["details"][number]): RuleDetail {
    return copyFrozen({ conditions: this.#conditionsAt(places), note, sourceUrl, fromDay, untilDay })
  }

  #conditionsAt(places: readonly number[]): readonly RuleCondition[] {
    return places.map(place => this.#provisions.conditionAt(place))
  }

  #readEnded(place: number): EndedRule {
    const [untilDay, rank, days] = this.#terms.ended[place] as TermsSection["ended"][number]
    return Object.freeze({
      endedOn: formatCivilDate(untilDay - 1),
      requirement: REQUIREMENTS[rank] as Requirement,
      days,
    })
  }

  #readProvenance(row: ProvenanceRow): RuleSource {
    return readProvenance(this.#sources, row)
  }
}

/** Says whether codes that are run together include one. */
function includesCode(codes: string, code: string): boolean {
  for (let at = 0; at < codes.length; at += 3) if (codes.startsWith(code, at)) return true
  return false
}

/** Groups rows by their first place, the destination. */
function groupRows<Row extends readonly [string, ...unknown[]]>(
  rows: readonly Row[],
): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) getOrInsert(groups, row[0], () => []).push(row)
  return groups
}
