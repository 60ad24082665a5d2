/**
 * How do checked facts become the lists after the pairs?
 *
 * Each condition is written once. For each destination the lists say which rule decides for which passports on which days, if that rule has
 * more than its answer. The same facts give the same rows.
 */
import { type EpochDay, FIRST_DAY, formatCivilDate, parseCivilDate } from "../civil-date.ts"
import { getOrInsert } from "../collections.ts"
import type { ConditionFact } from "../rules/conditions.ts"
import {
  type CheckFacts,
  LIST_NAMES,
  type ListFact,
  type ListName,
  listFields,
  type Membership,
  PROVISION_KINDS,
  writeFields,
} from "../rules/provision-kinds.ts"
import type { MembersCell, SourceRow, TermsSection } from "../rules/provisions.ts"
import { type Blocs, blocsOf, expandScope } from "../rules/scoped-lists.ts"
import type { SourceFact } from "./facts.ts"
import type { Requirement } from "./requirement.ts"
import { type Candidate, dayOr, END_OF_DAYS, type FactsIndex } from "./resolve.ts"

/** The rule that decides from a day on, and the rule that ended before it, if this one decides only because nothing newer is recorded. */
export interface Stretch {
  readonly fromDay: EpochDay
  readonly winner: Candidate | null
  readonly ended: Candidate | null
}

/** Our answer for a pair on a day; null where there is no record. */
export type AskAnswer = (
  destination: string,
  passport: string,
  day: EpochDay,
) => readonly [Requirement, number | null] | null

/** Writes a source as a row. */
export function sourceRow({ id, name, url, imported, compiled }: SourceFact): SourceRow {
  return [id, name, url, imported ? 1 : compiled === true ? 2 : 0]
}

type Cells = readonly unknown[]
type Given = Readonly<Record<string, unknown>>

/** Collects the rows of the lists; the sources that the header has already keep their places. */
export class TermsLayout {
  readonly #index: FactsIndex
  readonly #sources: SourceFact[]
  readonly #sourceCount: number
  readonly #allSources: ReadonlyMap<string, SourceFact>
  readonly #conditions = new Map<string, number>()
  readonly #rules: ListFact<"rules">[] = []
  readonly #notes: ListFact<"notes">[] = []
  readonly #sets = new Set<string>()
  readonly #named = new Set<string>()
  readonly #blocs: Blocs
  #places: ReadonlyMap<string, number> = new Map()

  constructor(index: FactsIndex, allSources: readonly SourceFact[]) {
    this.#index = index
    this.#blocs = blocsOf(index.facts.blocs)
    this.#sources = [...index.facts.sources]
    this.#sourceCount = this.#sources.length
    this.#allSources = new Map(allSources.map(source => [source.id, source]))
  }

  /** Adds which rules decide for a destination's passports. */
  addRules(destination: string, passports: readonly string[], stretches: readonly (readonly Stretch[])[]): void {
    const rules = new Map<string, { readonly row: ListFact<"rules">; readonly passports: string[] }>()
    const notes = new Map<string, { readonly row: ListFact<"notes">; readonly passports: string[] }>()
    const compared = this.#findCompared(destination)
    passports.forEach((passport, p) => {
      const list = stretches[p] ?? []
      list.forEach(({ fromDay, winner, ended }, at) => {
        if (winner === null) return
        const { conditions = [], note = null, source, sourceUrl = null, from, until: ends } = winner.terms
        const begins = from !== null && from > compared ? from : null
        const next = list[at + 1]
        const scope = {
          from: at === 0 ? null : formatCivilDate(fromDay),
          until: next === undefined ? null : formatCivilDate(next.fromDay),
          destinations: [destination],
        }
        const end = ended === null ? {} : describeEnded(ended)
        const rule = { conditions, begins, ends, ...end, source, sourceUrl, ...scope }
        const page = this.#ownUrl(source, sourceUrl)
        const add = <Row>(rows: Map<string, { readonly row: Row; readonly passports: string[] }>, row: Row) =>
          getOrInsert(rows, JSON.stringify(row), () => ({ row, passports: [] })).passports.push(passport)
        if (conditions.length > 0 || (begins ?? ends) !== null || ended !== null) add(rules, rule)
        if ((note ?? page) !== null) add(notes, { note, sourceUrl: page, ...scope })
      })
    })
    for (const { row, passports } of rules.values()) this.#rules.push({ ...row, passports })
    for (const { row, passports } of notes.values()) this.#notes.push({ ...row, passports })
  }

  // The beginning of a rule is compared with the days of second sources and of logs, so one that is earlier than all of these tells nothing.
  #findCompared(destination: string): string {
    const { corroboration = [], changeLog = [] } = this.#index.facts
    const checks = corroboration.flatMap(each => (each.destination === destination ? each.checks : []))
    return [...checks.map(({ checkedOn }) => checkedOn), ...changeLog.map(({ on }) => on)].sort()[0] ?? ""
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

  #placeConditions(conditions: readonly ConditionFact[], rule: Given): number[] {
    return conditions.map(({ source, sourceUrl, ...terms }) => {
      // A condition with a source of its own has no page of the rule's.
      const [id, url] = source == null ? [rule.source, sourceUrl ?? rule.sourceUrl] : [source, sourceUrl]
      const row = this.#write("conditions", { terms, source: id, sourceUrl: url })
      return getOrInsert(this.#conditions, JSON.stringify(row), () => this.#conditions.size)
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
    const members =
      this.#blocs.get(selector) ?? this.#index.facts.zones.find(({ id }) => `@${id}` === selector)?.members ?? []
    const present = members.filter(
      ({ from, until }) => dayOr(from, FIRST_DAY) <= day && day < dayOr(until, END_OF_DAYS),
    )
    return this.#joinCodes(present.map(({ code }) => code))
  }

  #writeSelectors(selectors: readonly string[]): string {
    const blocs = selectors.filter(selector => selector.startsWith("@"))
    for (const bloc of blocs) this.#named.add(bloc)
    const codes = selectors.filter(selector => !selector.startsWith("@")).sort()
    return [...blocs, ...(codes.length === 0 ? [] : [codes.join("")])].join(",")
  }

  #write(of: ListName, given: Given): Cells {
    return listFields(of).map(([name, { is, absent }]) => {
      const value = given[name] ?? absent
      if (name === "sourceUrl") return this.#ownUrl(given.source as string | null, value as string | null)
      if (value === null) return null
      if (is.words !== undefined) return is.words.filter(word => (value as readonly unknown[]).includes(word))
      switch (is.form) {
        case "codes":
        case "scopecodes":
          return this.#writeSelectors(value as readonly string[])
        case "members":
          return writeMembers(value as readonly Membership[])
        case "places":
          return this.#placeConditions(value as readonly ConditionFact[], given)
        case "source":
          return this.#placeSource(value as string)
        default:
          this.#addSets(value)
          return typeof value === "object" ? JSON.parse(JSON.stringify(value)) : value
      }
    })
  }

  /** Lays everything out; passports in the order of the pairs. */
  finish(passports: readonly string[], ask: AskAnswer): TermsSection {
    const { facts } = this.#index
    this.#places = new Map(passports.map((code, place) => [code, place]))
    const given: { readonly [of in ListName]?: () => readonly object[] } = {
      ...Object.fromEntries(PROVISION_KINDS.map(of => [of, () => facts[of] ?? []])),
      rules: () => this.#rules,
      notes: () => [
        ...this.#notes,
        ...facts.policies.flatMap(({ destination, note }) => (note ? { note, destinations: [destination] } : [])),
      ],
      policyConditions: () =>
        facts.policies.flatMap(({ destination, conditions = [] }) =>
          conditions.map(({ requirements, from, until, passports: named, except, ...condition }) => {
            const scope = { requirements, from, until, passports: named, except }
            return { conditions: [condition], ...scope, destinations: [destination] }
          }),
        ),
      zones: () => facts.zones,
      changeLog: () => facts.changeLog ?? [],
      duties: () => facts.duties ?? [],
      // Those of one source stand together, because such columns compress well.
      checks: () =>
        (facts.corroboration ?? [])
          .flatMap(({ destination, checks }) =>
            [...checks]
              .sort((a, b) => (a.checkedOn < b.checkedOn ? 1 : a.checkedOn > b.checkedOn ? -1 : 0))
              .flatMap((check, place) => this.#listStatements(destination, check, place, ask)),
          )
          .sort((a, b) => a.check - b.check),
      blocs: () => [...this.#named].sort().map(id => ({ id: id.slice(1), members: this.#blocs.get(id) ?? [] })),
      sets: () => [...this.#sets].sort().map(selector => ({ selector, codes: this.#membersOf(selector) })),
    }
    // Conditions are placed while other lists are written, and so are the blocs and zones that these name.
    const late: readonly ListName[] = ["blocs", "sets"]
    const order: readonly ListName[] = [
      "rules",
      "policyConditions",
      ...LIST_NAMES.filter(of => !late.includes(of)),
      ...late,
    ]
    const rows = new Map<ListName, readonly Cells[]>()
    for (const of of order) {
      if (!rows.has(of)) rows.set(of, given[of]?.().map(each => this.#write(of, each as Given)) ?? [])
    }
    rows.set(
      "conditions",
      [...this.#conditions.keys()].map(key => JSON.parse(key)),
    )
    return {
      sources: this.#sources.slice(this.#sourceCount).map(sourceRow),
      retrievedDays: this.#sources.map(({ retrievedOn, snapshotOn }) => parseCivilDate(retrievedOn ?? snapshotOn)),
      lists: Object.fromEntries(
        LIST_NAMES.flatMap(of => {
          const own = rows.get(of) ?? []
          return own.length === 0 ? [] : [[of, { fields: writeFields(of), rows: own }] as const]
        }),
      ),
    }
  }

  // What a second source says about a destination's passports: whoever it does not name it is silent about.
  #listStatements(
    destination: string,
    { checkedOn, source, sourceUrl, says, silent, reasons = [] }: CheckFacts,
    check: number,
    ask: AskAnswer,
  ): readonly ListFact<"checks">[] {
    const day = parseCivilDate(checkedOn) as EpochDay
    const namedBy = (selectors: readonly string[] | undefined) =>
      expandScope(this.#blocs, { passports: selectors })
        .filter(({ fromDay, untilDay }) => fromDay <= day && day < untilDay)
        .flatMap(scope => scope.passports ?? [])
    const ofSilent = new Set(silent === undefined ? [] : namedBy(silent))
    const answers = new Map(says.flatMap(said => namedBy(said.passports).map(code => [code, said] as const)))
    const fallback = says.find(({ passports }) => passports === undefined)
    const why = new Map(reasons.flatMap(each => namedBy(each.passports).map(code => [code, each] as const)))
    const groups = new Map<string, string[]>([["", []]])
    for (const passport of this.#index.facts.passports) {
      const answer = ofSilent.has(passport) ? undefined : (answers.get(passport) ?? fallback)
      const ours = answer && ask(destination, passport, Math.max(day, dayOr(this.#index.facts.since, FIRST_DAY)))
      const { reason, open: isOpen } = why.get(passport) ?? {}
      const isSame = answer && isOpen !== true && ours?.[0] === answer.requirement && ours[1] === answer.days
      const { requirement, days } = answer ?? {}
      const said = { requirement, days, isOpen, reason: reason ?? undefined }
      if (passport === destination) continue
      getOrInsert(groups, isSame ? "" : answer ? JSON.stringify(said) : SILENT, () => []).push(passport)
    }
    // The longer list of who says the same and who says nothing is not written: it is everybody else, or nobody.
    const silence = groups.get(SILENT) ?? []
    const usual = (groups.get("")?.length ?? 0) > silence.length ? "" : SILENT
    return [...groups].flatMap(([said, passports]): readonly ListFact<"checks">[] => {
      if (said === usual ? usual === SILENT : passports.length === 0) return []
      const about = { check, checkedOn, source, sourceUrl, destinations: [destination] }
      return [{ ...about, ...(said === "" ? {} : JSON.parse(said)), ...(said === usual ? {} : { passports }) }]
    })
  }
}

const SILENT = JSON.stringify({ isSilent: true })

const describeEnded = ({ terms, untilDay }: Candidate) => ({
  endedOn: formatCivilDate(untilDay - 1),
  endedRequirement: terms.requirement,
  endedDays: terms.days,
})

function writeMembers(members: readonly Membership[]): MembersCell {
  const groups = new Map<string, [codes: string, from: string | null, until: string | null]>()
  for (const { code, from, until } of [...members].sort((a, b) => (a.code < b.code ? -1 : 1))) {
    getOrInsert(groups, `${from} ${until}`, () => ["", from, until])[0] += code
  }
  return [...groups.values()]
}
