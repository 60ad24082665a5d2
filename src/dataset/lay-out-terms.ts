/**
 * How do the terms of checked facts become the section after the pairs?
 *
 * Each condition is written once. For each destination the section says which rule decides for which passports on which days, if that rule
 * has more than its answer. Scopes are resolved into codes and days of membership, so that readers need no blocs. The same facts give the
 * same rows.
 */
import { type EpochDay, FIRST_DAY, parseCivilDate } from "../civil-date.ts"
import type { ConditionTerms, DocumentTerms } from "./conditions.ts"
import {
  ALL_STAY_RULE_KINDS,
  type CheckFacts,
  type ConditionFact,
  type Provenance,
  type Scope,
  type ScopedRule,
  type SourceFact,
} from "./facts.ts"
import { PASSPORT_KINDS } from "./passport-kinds.ts"
import { easeRank } from "./requirement.ts"
import { type Candidate, dayOr, END_OF_DAYS, expandScope, type FactsIndex } from "./resolve.ts"
import type { ProvenanceRow, SourceRow } from "./source-rows.ts"
import {
  type CheckRow,
  type DetailRow,
  type EndedRow,
  FIRST_SAID,
  type RuleRowEnd,
  SAYS_NOTHING,
  SAYS_THE_SAME,
  type SaidRow,
  type ScopedRowEnd,
  type ScopeRow,
  type TermsSection,
} from "./terms-section.ts"
import { AFTER_STAY, OF_OTHERS, YEAR_OF_EXPIRED } from "./travel-rules.ts"

/** The rule that decides from a day on, and the rule that ended before it, if this one decides only because nothing newer is recorded. */
export interface Stretch {
  readonly fromDay: EpochDay
  readonly winner: Candidate | null
  readonly ended: Candidate | null
}

/** Our answer for a pair on a day: requirement rank and days; null where there is no record. */
export type AskAnswer = (
  destination: string,
  passport: string,
  day: EpochDay,
) => readonly [number, number | null] | null

/** Writes a source as a row. */
export function sourceRow({ id, name, url, imported, compiled }: SourceFact): SourceRow {
  return [id, name, url, imported ? 1 : compiled === true ? 2 : 0]
}

/** Collects rows, each once, and returns its index. */
class Rows<Row> {
  readonly rows: Row[] = []
  readonly #places = new Map<string, number>()

  place(row: Row): number {
    const key = JSON.stringify(row)
    const known = this.#places.get(key)
    if (known !== undefined) return known
    this.#places.set(key, this.rows.length)
    return this.rows.push(row) - 1
  }
}

/** Lays out the terms of facts; the sources that the header has already keep their places. */
export class TermsLayout {
  readonly #index: FactsIndex
  readonly #sources: SourceFact[]
  readonly #sourceCount: number
  readonly #allSources: ReadonlyMap<string, SourceFact>
  readonly #conditions = new Rows<readonly [ConditionTerms, number | null, string | null]>()
  readonly #details = new Rows<DetailRow>()
  readonly #ended = new Rows<EndedRow>()
  readonly #rules: [
    destination: string,
    detail: number | null,
    ended: number | null,
    codes: readonly string[],
    fromDay: number | null,
    untilDay: number | null,
  ][] = []
  readonly #sets = new Set<string>()
  readonly #detailOf = new Map<object, number | null>()
  #places: ReadonlyMap<string, number> = new Map()

  constructor(index: FactsIndex, allSources: readonly SourceFact[]) {
    this.#index = index
    this.#sources = [...index.facts.sources]
    this.#sourceCount = this.#sources.length
    this.#allSources = new Map(allSources.map(source => [source.id, source]))
  }

  /** Adds which rules decide for a destination's passports, in the order of the passports. */
  addRules(destination: string, passports: readonly string[], stretches: readonly (readonly Stretch[])[]): void {
    const groups = new Map<
      string,
      { readonly row: readonly [number | null, number | null, number | null, number | null]; codes: string[] }
    >()
    passports.forEach((passport, p) => {
      const list = stretches[p] ?? []
      list.forEach(({ fromDay, winner, ended }, at) => {
        if (winner === null) return
        const detail = this.#placeDetail(winner)
        const end = ended === null ? null : this.#placeEnded(ended)
        if (detail === null && end === null) return
        const row = [detail, end, at === 0 ? null : fromDay, list[at + 1]?.fromDay ?? null] as const
        const key = row.join()
        const group = groups.get(key) ?? { row, codes: [] }
        group.codes.push(passport)
        groups.set(key, group)
      })
    })
    for (const { row, codes } of groups.values()) {
      const [detail, end, fromDay, untilDay] = row
      this.#rules.push([destination, detail, end, codes, fromDay, untilDay])
    }
  }

  #placeDetail({ terms }: Candidate): number | null {
    const known = this.#detailOf.get(terms)
    if (known !== undefined) return known
    const conditions = this.#placeConditions(terms.conditions, terms.source, terms.sourceUrl)
    const row: DetailRow = [
      conditions,
      terms.note ?? null,
      this.#ownUrl(terms.source, terms.sourceUrl),
      parseCivilDate(terms.from),
      parseCivilDate(terms.until),
    ]
    const isEmpty = conditions.length === 0 && row.slice(1).every(value => value === null)
    const place = isEmpty ? null : this.#details.place(row)
    this.#detailOf.set(terms, place)
    return place
  }

  #placeEnded({ terms, untilDay }: Candidate): number {
    return this.#ended.place([untilDay, easeRank(terms.requirement), terms.days])
  }

  #placeSource(id: string | null | undefined): number | null {
    if (id == null) return null
    const place = this.#sources.findIndex(source => source.id === id)
    return place >= 0 ? place : this.#sources.push(this.#allSources.get(id) as SourceFact) - 1
  }

  // The page, where it is another than the source's own.
  #ownUrl(source: string | null | undefined, url: string | null | undefined): string | null {
    return url == null || this.#allSources.get(source ?? "")?.url === url ? null : url
  }

  #provenance({ source, sourceUrl, verifiedOn }: Provenance): ProvenanceRow {
    return [this.#placeSource(source), this.#ownUrl(source, sourceUrl), verifiedOn]
  }

  #placeConditions(
    conditions: readonly ConditionFact[] | undefined,
    ruleSource: string | null,
    ruleUrl: string | null | undefined,
  ): number[] {
    return (conditions ?? []).map(condition => {
      const { source, sourceUrl, ...rest } = condition
      // A condition with a source of its own has no page of the rule's.
      const [id, url] = source == null ? [ruleSource, sourceUrl ?? ruleUrl] : [source, sourceUrl]
      const terms = this.#namesOf(stripScope(rest))
      return this.#conditions.place([terms, this.#placeSource(id), this.#ownUrl(id, url)])
    })
  }

  #namesOf(terms: ConditionTerms): ConditionTerms {
    if ("states" in terms) this.#addSets(terms.states)
    if (terms.kind === "held_document") this.#addDocuments(terms.held)
    return terms
  }

  // In the order of the pairs, where passports that are treated alike are neighbours: so lists compress best. Codes without a passport are last.
  #joinCodes(codes: readonly string[]): string {
    const placeOf = (code: string) => this.#places.get(code) ?? this.#places.size
    return [...codes]
      .sort()
      .sort((a, b) => placeOf(a) - placeOf(b))
      .join("")
  }

  #addDocuments(documents: readonly DocumentTerms[]): readonly DocumentTerms[] {
    for (const { issuers } of documents) this.#addSets(issuers)
    return documents.map(dropAbsent)
  }

  #addSets(selectors: readonly string[]): void {
    for (const selector of selectors) if (selector.startsWith("@")) this.#sets.add(selector)
  }

  // A bloc or zone means its members on the dataset's day.
  #membersOf(selector: string): string {
    const day = dayOr(this.#index.facts.asOf, FIRST_DAY)
    const name = selector.slice(1)
    const members =
      this.#index.blocs.get(name)?.members ?? this.#index.facts.zones.find(({ id }) => id === name)?.members ?? []
    const present = members.filter(
      ({ from, until }) => dayOr(from, FIRST_DAY) <= day && day < dayOr(until, END_OF_DAYS),
    )
    return this.#joinCodes(present.map(({ code }) => code))
  }

  #scopes(scope: Scope): ScopeRow[] {
    return expandScope(this.#index.blocs, scope).map(
      ({ rank, passports, except, fromDay, untilDay }): ScopeRow => [
        rank,
        passports === null ? null : this.#joinCodes(passports),
        this.#joinCodes(except),
        fromDay === FIRST_DAY ? null : fromDay,
        untilDay === END_OF_DAYS ? null : untilDay,
      ],
    )
  }

  #scopedEnd(rule: Scope & Provenance & Pick<ScopedRule, "destinations">): ScopedRowEnd {
    return [this.#joinCodes(rule.destinations), this.#scopes(rule), ...this.#provenance(rule)]
  }

  #ruleEnd(rule: ScopedRule): RuleRowEnd {
    return [ranksOf(rule.requirements), rule.note ?? null, isMedium(rule), ...this.#scopedEnd(rule)]
  }

  /** Lays everything out; passports in the order of the pairs. */
  finish(passports: readonly string[], ask: AskAnswer): TermsSection {
    const { facts } = this.#index
    this.#places = new Map(passports.map((code, place) => [code, place]))
    const byCode = [...passports].sort()
    const policyConditions = facts.policies.flatMap(({ destination, conditions = [] }) =>
      conditions.map(condition => {
        const [place] = this.#placeConditions([condition], null, null)
        return [place as number, ranksOf(condition.requirements), destination, this.#scopes(condition)] as const
      }),
    )
    const waivers = (facts.waivers ?? []).map(
      waiver =>
        [
          this.#addDocuments(waiver.held),
          easeRank(waiver.requirement),
          waiver.days,
          this.#placeConditions(waiver.conditions, waiver.source, waiver.sourceUrl),
          waiver.note ?? null,
          isMedium(waiver),
          parseCivilDate(waiver.until),
          ...this.#scopedEnd(waiver),
        ] as const,
    )
    const stays = (facts.stayRules ?? []).map(
      rule =>
        [
          ALL_STAY_RULE_KINDS.indexOf(rule.kind),
          rule.zone ?? null,
          rule.agreement ?? null,
          rule.days,
          rule.months ?? null,
          rule.windowDays ?? null,
          rule.visitDays ?? null,
          rule.daysOutside ?? null,
          ...this.#ruleEnd(rule),
        ] as const,
    )
    const validity = facts.validity.flatMap(({ anchor, passports, except, expiredWithinYears }, place) => {
      const codes = passports ?? except
      const marks =
        (anchor === "permitted_stay" ? AFTER_STAY : 0) +
        (except === undefined ? 0 : OF_OTHERS) +
        YEAR_OF_EXPIRED * (expiredWithinYears ?? 0)
      if (codes === undefined && marks === 0) return []
      return [[place, codes === undefined ? null : this.#joinCodes(codes), marks] as const]
    })
    const admissions = (facts.stayRules ?? []).flatMap(({ neighbours, readmissionDays, firstDayCounted }, place) => {
      if (neighbours == null && firstDayCounted !== false) return []
      const codes = neighbours == null ? null : this.#joinCodes(neighbours)
      return [[place, codes, readmissionDays ?? null, firstDayCounted === false ? 0 : 1] as const]
    })
    const borders = (facts.borderRules ?? []).map(rule => [dropAbsent(rule.terms), ...this.#ruleEnd(rule)] as const)
    const kinds = (facts.kindRules ?? []).map(
      rule =>
        [
          rule.kinds.map(kind => PASSPORT_KINDS.indexOf(kind)).sort(),
          easeRank(rule.requirement),
          rule.days,
          rule.basis === undefined ? 0 : 1,
          rule.residents === true ? 1 : 0,
          ...this.#ruleEnd(rule),
        ] as const,
    )
    const transitWaivers = facts.transit.flatMap(({ waivedFor }, place) =>
      waivedFor === undefined ? [] : [[place, this.#addDocuments(waivedFor)] as const],
    )
    const changes = (facts.changeLog ?? []).map(change => {
      const scopes = expandScope(this.#index.blocs, { passports: change.passports })
      const codes = scopes.flatMap(scope => scope.passports ?? [])
      return [
        change.destination,
        parseCivilDate(change.on) as EpochDay,
        change.change,
        change.passports === undefined ? null : this.#joinCodes([...new Set(codes)]),
        ...this.#provenance(change),
      ] as const
    })
    const checks = (facts.corroboration ?? []).flatMap(({ destination, checks }) =>
      checks.map(check => this.#layOutCheck(destination, check, byCode, ask)),
    )
    return {
      sources: this.#sources.slice(this.#sourceCount).map(sourceRow),
      retrievedDays: this.#sources.map(({ retrievedOn, snapshotOn }) => parseCivilDate(retrievedOn ?? snapshotOn)),
      sets: [...this.#sets].sort().map(selector => [selector, this.#membersOf(selector)] as const),
      conditions: this.#conditions.rows,
      details: this.#details.rows,
      ended: this.#ended.rows,
      rules: this.#rules.map(([destination, detail, ended, codes, ...days]) => {
        return [destination, detail, ended, this.#joinCodes(codes), ...days] as const
      }),
      policyConditions,
      policyNotes: facts.policies.flatMap(({ destination, note }) =>
        note == null ? [] : [[destination, note] as const],
      ),
      waivers,
      transitWaivers,
      stays,
      ...(validity.length === 0 ? {} : { validity }),
      ...(admissions.length === 0 ? {} : { admissions }),
      ...(borders.length === 0 ? {} : { borders }),
      ...(kinds.length === 0 ? {} : { kinds }),
      changes,
      checks,
    }
  }

  #layOutCheck(destination: string, check: CheckFacts, passports: readonly string[], ask: AskAnswer): CheckRow {
    const day = parseCivilDate(check.checkedOn) as EpochDay
    const asked = Math.max(day, dayOr(this.#index.facts.since, FIRST_DAY))
    const said = new Rows<SaidRow>()
    const namedBy = (selectors: readonly string[] | undefined) =>
      expandScope(this.#index.blocs, { passports: selectors })
        .filter(({ fromDay, untilDay }) => fromDay <= day && day < untilDay)
        .flatMap(scope => scope.passports ?? [])
    const silent = new Set(check.silent === undefined ? [] : namedBy(check.silent))
    const answers = new Map<string, readonly [number, number | null]>()
    let fallback: readonly [number, number | null] | null = null
    for (const { requirement, days, passports: named } of check.says) {
      const answer = [easeRank(requirement), days] as const
      if (named === undefined) fallback = answer
      else for (const code of namedBy(named)) answers.set(code, answer)
    }
    const reasons = new Map(
      (check.reasons ?? []).flatMap(({ passports: named, reason, open }) =>
        namedBy(named).map(code => [code, [reason, open === true ? 1 : 0] as const] as const),
      ),
    )
    const says = passports.map(passport => {
      const answer = silent.has(passport) || passport === destination ? null : (answers.get(passport) ?? fallback)
      if (answer === null) return SAYS_NOTHING
      const ours = ask(destination, passport, asked)
      const why = reasons.get(passport)
      if (why?.[1] !== 1 && ours !== null && ours[0] === answer[0] && ours[1] === answer[1]) return SAYS_THE_SAME
      return String.fromCharCode(FIRST_SAID + said.place(why === undefined ? answer : [...answer, ...why]))
    })
    const source = this.#placeSource(check.source) as number
    return [destination, day, said.rows, says.join(""), source, this.#ownUrl(check.source, check.sourceUrl)]
  }
}

function ranksOf(requirements: readonly Parameters<typeof easeRank>[0][] | undefined): readonly number[] | null {
  return requirements === undefined ? null : requirements.map(easeRank).sort((a, b) => a - b)
}

function isMedium({ confidence }: { readonly confidence: string }): 0 | 1 {
  return confidence === "medium" ? 1 : 0
}

// The scope of a policy's condition is stored next to it, not in it.
function stripScope(condition: object): ConditionTerms {
  const { requirements, from, until, passports, except, ...terms } = condition as Readonly<Record<string, unknown>>
  return dropAbsent(terms) as unknown as ConditionTerms
}

function dropAbsent<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, held]) => held !== undefined)) as Value
}
