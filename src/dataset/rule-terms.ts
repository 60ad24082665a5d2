/**
 * Which conditions do the rules of an open dataset have, and which other rules apply besides them?
 *
 * This file reads the terms of a dataset on first use, once for all its views, and finds them by destination and passport. Everything
 * returned is deeply frozen. It finds what is recorded and judges no traveller.
 */
import { type EpochDay, formatCivilDate } from "../civil-date.ts"
import type { ConditionTerms, DocumentTerms } from "./conditions.ts"
import { copyFrozen, NOTHING } from "./copy-frozen.ts"
import { ALL_STAY_RULE_KINDS, type Confidence, type Source, type StayRuleKind } from "./facts.ts"
import type { Dataset } from "./open.ts"
import { splitCodes } from "./pair-table.ts"
import { REQUIREMENTS, type Requirement } from "./requirement.ts"
import { groupRows, includesCode, listByScope, type Scoped, ScopedLists } from "./scoped-lists.ts"
import type { ProvenanceRow } from "./source-rows.ts"
import type {
  ChangeRow,
  CheckRow,
  PolicyConditionRow,
  RuleRow,
  RuleRowEnd,
  StayRow,
  TermsSection,
  WaiverRow,
} from "./terms-section.ts"
import { type RuleSource, readProvenance } from "./travel-rules.ts"

/** A condition of a rule, and where it was read. */
export type RuleCondition = ConditionTerms & {
  readonly source: Source | null
  /** The page that was read, or null. */
  readonly sourceUrl: string | null
}

/** A destination's rule for holders of a document of another state. */
export interface Waiver extends RuleSource {
  /** Any one of these documents is enough. */
  readonly held: readonly DocumentTerms[]
  readonly requirement: Requirement
  /** Allowed stay in days, or null where it is not a fixed number or not known. */
  readonly days: number | null
  readonly conditions: readonly RuleCondition[]
  readonly note: string | null
  readonly confidence: Confidence
  /** The last day on which it is announced to hold (`YYYY-MM-DD`), or null. */
  readonly endsOn: string | null
}

/** How days of stay add up at a destination. */
export interface StayRule extends RuleSource {
  readonly kind: StayRuleKind
  /** Days allowed in the span that the kind names; null for the days of the pair's own answer. */
  readonly days: number | null
  /** The same in whole months, or null. */
  readonly months: number | null
  /** Length of the rolling window in days, the day asked about included; or null. */
  readonly windowDays: number | null
  /** The longest single visit in days, where it is shorter; or null. */
  readonly visitDays: number | null
  /** Days outside before a new entry, or null. */
  readonly daysOutside: number | null
  /** Destinations whose visits start no new stay, or null: a traveller who returns from there has the remaining days of the admission. */
  readonly neighbours: readonly string[] | null
  /** The days of a traveller who returns from there after the end of the admission; null for those of a new one. */
  readonly readmissionDays: number | null
  /** Whether the day of entry counts. */
  readonly firstDayCounted: boolean
  /** The zone of an agreement beside a zone, and the name of the agreement; null for every other kind. */
  readonly zone: string | null
  readonly agreement: string | null
  /** The requirements for which it applies; null for any. */
  readonly requirements: readonly Requirement[] | null
  readonly note: string | null
  readonly confidence: Confidence
}

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
  const { terms, sources } = dataset
  if (terms === null) return null
  let index = indexes.get(terms)
  if (index === undefined) {
    index = new TermsIndex(terms, sources)
    indexes.set(terms, index)
  }
  return index
}

/** The documents that a waiver names. */
export interface WaiverDocuments {
  readonly held: readonly DocumentTerms[]
  readonly destinations: readonly string[]
}

/** The terms of a dataset, by destination and passport. */
export class TermsIndex {
  readonly #terms: TermsSection
  readonly #sources: readonly Source[]
  readonly #members: ReadonlyMap<string, ReadonlySet<string>>
  readonly #conditions: (RuleCondition | undefined)[] = []
  readonly #details: (RuleDetail | undefined)[] = []
  readonly #rules: ReadonlyMap<string, readonly RuleRow[]>
  readonly #changes: ReadonlyMap<string, readonly ChangeRow[]>
  readonly #checks: ReadonlyMap<string, readonly CheckRow[]>
  readonly #policyConditions: ScopedLists<{
    readonly condition: RuleCondition
    readonly ranks: readonly number[] | null
  }>
  readonly #conditionDays = new Map<string, readonly EpochDay[]>()
  readonly #waivers: ScopedLists<Waiver>
  readonly #stays: ScopedLists<StayRule>
  readonly #retrievedDays: ReadonlyMap<Source, EpochDay | null>

  constructor(terms: TermsSection, sources: readonly Source[]) {
    this.#terms = terms
    this.#sources = sources
    this.#members = new Map(terms.sets.map(([selector, codes]) => [selector, new Set(splitCodes(codes))]))
    this.#rules = groupRows(terms.rules)
    this.#changes = groupRows(terms.changes)
    // The latest first, because it is used first.
    this.#checks = groupRows([...terms.checks].sort(([, a], [, b]) => b - a))
    this.#policyConditions = new ScopedLists(
      terms.policyConditions.map(row => {
        const [, , destinations, scopes] = row
        return [destinations, scopes, () => this.#readPolicyCondition(row)]
      }),
    )
    this.#waivers = listByScope(terms.waivers, row => this.#readWaiver(row))
    this.#stays = listByScope(terms.stays, (row, place) => this.#readStay(row, place))
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

  /** Lists the documents that waivers name, those of one waiver together, with the destinations that they are for. */
  listWaiverDocuments(): readonly WaiverDocuments[] {
    return this.#terms.waivers.map(([held, , , , , , , destinations]) => ({
      held,
      destinations: splitCodes(destinations),
    }))
  }

  /** Says whether there is any stay rule of a destination. */
  hasStayRules(destination: string): boolean {
    return this.#stays.has(destination)
  }

  /** Waivers of a destination for a passport, whatever the day. */
  listWaivers(destination: string, passport: string): readonly Scoped<Waiver>[] {
    return this.#waivers.at(destination, passport)
  }

  /** Stay rules of a destination for a passport, the most specific first, whatever the day. */
  listStayRules(destination: string, passport: string): readonly Scoped<StayRule>[] {
    return this.#stays.at(destination, passport)
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

  #conditionAt(place: number): RuleCondition {
    this.#conditions[place] ??= this.#readCondition(this.#terms.conditions[place] as TermsSection["conditions"][number])
    return this.#conditions[place]
  }

  #readCondition([terms, place, sourceUrl]: TermsSection["conditions"][number]): RuleCondition {
    const { verifiedOn: _, citedOn: __, ...origin } = this.#readProvenance([place, sourceUrl, null])
    return copyFrozen({ ...terms, ...origin })
  }

  #detailAt(place: number): RuleDetail {
    this.#details[place] ??= this.#readDetail(this.#terms.details[place] as TermsSection["details"][number])
    return this.#details[place]
  }

  #readDetail([places, note, sourceUrl, fromDay, untilDay]: TermsSection["details"][number]): RuleDetail {
    return copyFrozen({ conditions: this.#conditionsAt(places), note, sourceUrl, fromDay, untilDay })
  }

  #conditionsAt(places: readonly number[]): readonly RuleCondition[] {
    return places.map(place => this.#conditionAt(place))
  }

  #readEnded(place: number): EndedRule {
    const [untilDay, rank, days] = this.#terms.ended[place] as TermsSection["ended"][number]
    return Object.freeze({
      endedOn: formatCivilDate(untilDay - 1),
      requirement: REQUIREMENTS[rank] as Requirement,
      days,
    })
  }

  #readPolicyCondition([condition, ranks]: PolicyConditionRow) {
    return Object.freeze({ condition: this.#conditionAt(condition), ranks })
  }

  #readProvenance(row: ProvenanceRow): RuleSource {
    return readProvenance(this.#sources, row)
  }

  #readWaiver(row: WaiverRow): Waiver {
    const [held, rank, days, conditions, note, isMedium, untilDay, , , ...provenance] = row
    return copyFrozen({
      held,
      requirement: REQUIREMENTS[rank] as Requirement,
      days,
      conditions: this.#conditionsAt(conditions),
      note,
      confidence: isMedium ? "medium" : "high",
      endsOn: untilDay === null ? null : formatCivilDate(untilDay - 1),
      ...this.#readProvenance(provenance),
    })
  }

  #readStay(row: StayRow, place: number): StayRule {
    const [kind, zone, agreement, days, months, windowDays, visitDays, daysOutside, ...end] = row
    const [, neighbours = null, readmissionDays = null, isFirstDayCounted = 1] =
      this.#terms.admissions?.find(([stay]) => stay === place) ?? []
    return copyFrozen({
      kind: ALL_STAY_RULE_KINDS[kind] as StayRuleKind,
      days,
      months,
      windowDays,
      visitDays,
      daysOutside,
      neighbours: neighbours === null ? null : splitCodes(neighbours),
      readmissionDays,
      firstDayCounted: isFirstDayCounted === 1,
      zone,
      agreement,
      ...readRuleEnd(this.#sources, end),
    })
  }
}

/** Reads the last places in the row of a rule, but for its scope. */
export function readRuleEnd(sources: readonly Source[], [ranks, note, isMedium, , , ...provenance]: RuleRowEnd) {
  const requirements = ranks?.map(rank => REQUIREMENTS[rank] as Requirement) ?? null
  const confidence: Confidence = isMedium ? "medium" : "high"
  return { requirements, note, confidence, ...readProvenance(sources, provenance) }
}
