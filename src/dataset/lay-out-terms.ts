/**
 * How do the terms of checked facts become the section after the pairs?
 *
 * Each condition is written once. For each destination the section says which rule decides for which passports on which days, if that rule
 * has more than its answer. Scopes are resolved into codes and days of membership, so that readers need no blocs. The same facts give the
 * same rows.
 */
import { type EpochDay, FIRST_DAY, parseCivilDate } from "../civil-date.ts"
import { getOrInsert } from "../get-or-insert.ts"
import type { ConditionFact, ConditionTerms } from "../rules/conditions.ts"
import { listFields, PROVISION_KINDS, type ProvisionKind, writeFields } from "../rules/provision-kinds.ts"
import type { BlocRow, ConditionRow, ProvenanceRow } from "../rules/provisions.ts"
import { type Blocs, blocsOf, expandScope } from "../rules/scoped-lists.ts"
import type { CheckFacts, Membership, Provenance, SourceFact } from "./facts.ts"
import { easeRank } from "./requirement.ts"
import { type Candidate, dayOr, END_OF_DAYS, type FactsIndex } from "./resolve.ts"
import type { SourceRow } from "./source-rows.ts"
import {
  type CheckRow,
  type DetailRow,
  type EndedRow,
  FIRST_SAID,
  type PolicyConditionRow,
  SAYS_NOTHING,
  SAYS_THE_SAME,
  type SaidRow,
  type TermsSection,
} from "./terms-section.ts"

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
  readonly #conditions = new Rows<ConditionRow>()
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
  readonly #blocs = new Set<string>()
  readonly #memberships: Blocs
  readonly #detailOf = new Map<object, number | null>()
  #places: ReadonlyMap<string, number> = new Map()

  constructor(index: FactsIndex, allSources: readonly SourceFact[]) {
    this.#index = index
    this.#memberships = blocsOf(index.facts.blocs)
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

  /** Writes where a rule was read. */
  provenance({ source, sourceUrl, verifiedOn }: Provenance): ProvenanceRow {
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
      const terms = stripScope(rest)
      this.#addSets(terms)
      return this.#conditions.place([terms, this.#placeSource(id), this.#ownUrl(id, url)])
    })
  }

  // In the order of the pairs, where passports that are treated alike are neighbours: so lists compress best. Codes without a passport are last.
  #joinCodes(codes: readonly string[]): string {
    const placeOf = (code: string) => this.#places.get(code) ?? this.#places.size
    return [...codes]
      .sort()
      .sort((a, b) => placeOf(a) - placeOf(b))
      .join("")
  }

  // The blocs and zones that documents and conditions name.
  #addSets(value: unknown): void {
    if (typeof value === "string" && value.startsWith("@")) this.#sets.add(value)
    if (typeof value === "object" && value !== null) for (const each of Object.values(value)) this.#addSets(each)
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

  #writeSelectors(selectors: readonly string[] | null | undefined): string | null {
    if (selectors == null) return null
    const blocs = selectors.filter(selector => selector.startsWith("@"))
    for (const bloc of blocs) this.#blocs.add(bloc.slice(1))
    const codes = selectors.filter(selector => !selector.startsWith("@")).sort()
    return [...blocs, ...(codes.length === 0 ? [] : [codes.join("")])].join(",")
  }

  #writeProvision(of: ProvisionKind, given: Readonly<Record<string, unknown>>): readonly unknown[] {
    return listFields(of).map(([name, { is, absent }]) => {
      const value = given[name] ?? absent
      if (name === "sourceUrl") return this.#ownUrl(given.source as string | null, value as string | null)
      if (value === null) return null
      if (is.words !== undefined) return is.words.filter(word => (value as readonly unknown[]).includes(word))
      switch (is.form) {
        case "codes":
        case "scopecodes":
          return this.#writeSelectors(value as readonly string[])
        case "places":
          return this.#placeConditions(
            value as readonly ConditionFact[],
            given.source as string,
            given.sourceUrl as string,
          )
        case "source":
          return this.#placeSource(value as string)
        default:
          this.#addSets(value)
          return typeof value === "object" ? JSON.parse(JSON.stringify(value)) : value
      }
    })
  }

  #writeBloc(id: string): BlocRow {
    const groups = new Map<string, Membership[]>()
    for (const member of this.#memberships.get(`@${id}`) ?? []) {
      getOrInsert(groups, `${member.from} ${member.until}`, () => []).push(member)
    }
    const rows = [...groups.values()].map(members => {
      const { from = null, until = null } = members[0] ?? {}
      return [
        members
          .map(({ code }) => code)
          .sort()
          .join(""),
        from,
        until,
      ] as const
    })
    return [id, rows]
  }

  /** Lays everything out; passports in the order of the pairs. */
  finish(passports: readonly string[], ask: AskAnswer): TermsSection {
    const { facts } = this.#index
    this.#places = new Map(passports.map((code, place) => [code, place]))
    const byCode = [...passports].sort()
    const policyConditions = facts.policies.flatMap(({ destination, conditions = [] }) =>
      conditions.map((condition): PolicyConditionRow => {
        const [place] = this.#placeConditions([condition], null, null) as [number]
        const { passports, except, from = null, until = null } = condition
        const scope = [this.#writeSelectors(passports), this.#writeSelectors(except), from, until] as const
        return [place, ranksOf(condition.requirements), destination, ...scope]
      }),
    )
    const provisions = Object.fromEntries(
      PROVISION_KINDS.flatMap(of => {
        const rows = (facts[of] ?? []).map(given => this.#writeProvision(of, given))
        return rows.length === 0 ? [] : [[of, { fields: writeFields(of), rows }] as const]
      }),
    )
    const changes = (facts.changeLog ?? []).map(change => {
      const scopes = expandScope(this.#memberships, { passports: change.passports })
      const codes = scopes.flatMap(scope => scope.passports ?? [])
      return [
        change.destination,
        parseCivilDate(change.on) as EpochDay,
        change.change,
        change.passports === undefined ? null : [...new Set(codes)].sort().join(""),
        ...this.provenance(change),
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
        return [destination, detail, ended, [...codes].sort().join(""), ...days] as const
      }),
      policyConditions,
      policyNotes: facts.policies.flatMap(({ destination, note }) =>
        note == null ? [] : [[destination, note] as const],
      ),
      provisions,
      blocs: [...this.#blocs].sort().map(id => this.#writeBloc(id)),
      changes,
      checks,
    }
  }

  #layOutCheck(destination: string, check: CheckFacts, passports: readonly string[], ask: AskAnswer): CheckRow {
    const day = parseCivilDate(check.checkedOn) as EpochDay
    const asked = Math.max(day, dayOr(this.#index.facts.since, FIRST_DAY))
    const said = new Rows<SaidRow>()
    const namedBy = (selectors: readonly string[] | undefined) =>
      expandScope(this.#memberships, { passports: selectors })
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

// The scope of a policy's condition is stored next to it, not in it.
function stripScope(condition: object): ConditionTerms {
  const { requirements, from, until, passports, except, ...terms } = condition as Readonly<Record<string, unknown>>
  return dropAbsent(terms) as unknown as ConditionTerms
}

function dropAbsent<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, held]) => held !== undefined)) as Value
}
