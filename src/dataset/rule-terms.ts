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
import type { Source } from "./facts.ts"
import type { Dataset } from "./open.ts"
import { REQUIREMENTS, type Requirement } from "./requirement.ts"

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
  return getOrInsert(indexes, provisions, () => new TermsIndex(dataset, provisions))
}

const holdsOn =
  (day: EpochDay) =>
  ({ fromDay, untilDay }: Scoped<unknown>) =>
    fromDay <= day && day < untilDay

/** The terms of a dataset, by destination and passport. */
export class TermsIndex {
  readonly #provisions: ProvisionIndex
  readonly #members: ReadonlyMap<string, ReadonlySet<string>>
  readonly #conditionDays = new Map<string, readonly EpochDay[]>()
  readonly #statements = new WeakMap<object, readonly Statement[]>()
  readonly #retrievedDays: ReadonlyMap<Source, EpochDay | null>

  constructor({ terms, sources }: Dataset, provisions: ProvisionIndex) {
    this.#provisions = provisions
    this.#members = new Map(
      provisions.list("sets").map(({ value }) => [value.selector, new Set(value.codes.match(/.{3}/g))]),
    )
    this.#retrievedDays = new Map(sources.map((source, place) => [source, terms?.retrievedDays[place] ?? null]))
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
    const rule = this.#provisions.at("rules", destination, passport).find(holdsOn(day))?.value
    const note = this.#listNotes(destination, passport, day, true)[0]
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

  /** Finds the note on the whole policy of a destination, or null. */
  findPolicyNote(destination: string): string | null {
    return this.#listNotes(destination, "", 0, false)[0]?.note ?? null
  }

  #listNotes(destination: string, passport: string, day: EpochDay, isOfRule: boolean) {
    return this.#provisions
      .at("notes", destination, passport)
      .filter(scoped => scoped.rank > 1 === isOfRule && holdsOn(day)(scoped))
      .map(({ value }) => value)
  }

  /** Conditions of a whole policy that apply to a requirement for a passport on a day, with how specifically they name it. */
  listPolicyConditions(
    destination: string,
    passport: string,
    day: EpochDay,
    rank: number,
  ): readonly Scoped<{ readonly condition: RuleCondition }>[] {
    return this.#provisions
      .at("policyConditions", destination, passport)
      .filter(holdsOn(day))
      .filter(({ value }) => value.requirements?.includes(REQUIREMENTS[rank] as Requirement) ?? true)
      .map(({ value, ...scope }) => ({ value: { condition: value.conditions[0]! }, ...scope }))
  }

  /** The days on which conditions of rules or of the policy of a destination may change, in order. */
  conditionDays(destination: string): readonly EpochDay[] {
    return getOrInsert(this.#conditionDays, destination, () => {
      const days = (["rules", "policyConditions"] as const).flatMap(of => this.#provisions.listDays(of, destination))
      return [...new Set(days)].sort((a, b) => a - b)
    })
  }

  /** Says whether a rule or the policy of a destination has any condition. */
  hasConditions(destination: string): boolean {
    return (["rules", "policyConditions"] as const).some(of => this.#provisions.has(of, destination, "conditions"))
  }

  hasChanges(destination: string): boolean {
    return this.#provisions.has("changeLog", destination)
  }

  /** Whether any rule of a destination followed one that had an announced end. */
  hasEnded(destination: string): boolean {
    return this.#provisions.has("rules", destination, "endedOn")
  }

  /** Changes after a day and up to another that a log names, for a passport. */
  listChanges(destination: string, passport: string, afterDay: number, lastDay: EpochDay) {
    return this.#provisions
      .at("changeLog", destination, passport)
      .map(({ value }) => ({ day: parseCivilDate(value.on) as EpochDay, ...value }))
      .filter(({ day }) => day > afterDay && day <= lastDay)
  }

  /** Says whether sources contradict each other about a passport there, so that nothing decides. */
  hasOpenChecks(destination: string): boolean {
    return this.#provisions.has("checks", destination, "isOpen")
  }

  /** Lists the statements of second sources about a passport at a destination, the latest first. */
  listStatements(destination: string, passport: string): readonly Statement[] {
    const scoped = this.#provisions.at("checks", destination, passport)
    return getOrInsert(this.#statements, scoped, () => {
      // What a source says of a passport by its code goes before what it says of everybody else.
      const byCheck = new Map<number, Statement>()
      for (const { value } of scoped) if (!byCheck.has(value.check)) byCheck.set(value.check, value)
      return [...byCheck.values()].filter(({ isSilent }) => !isSilent).sort((a, b) => a.check - b.check)
    })
  }

  /** The day on which a source was fetched, or null. */
  retrievedDay(source: Source | null): EpochDay | null {
    return source === null ? null : (this.#retrievedDays.get(source) ?? null)
  }
}
