/**
 * How do facts become a dataset?
 *
 * Every pair's rules are resolved for every period between two relevant dates, and the same facts give the same bytes on any machine. The
 * answer of the dataset's own day goes into the table of pairs; a pair whose answer changes also gets a timeline. Contradicting facts are
 * refused: two rules of one rank that disagree on any day are a mistake in the data, and both are named.
 */

import { type EpochDay, FIRST_DAY, formatCivilDate, LAST_DAY, parseCivilDate } from "../civil-date.ts"
import { easeRank, REQUIREMENTS, type Requirement } from "../codes.ts"
import { getOrInsert } from "../collections.ts"
import {
  describe,
  type FactIssue,
  type FactsError,
  failure,
  type InputError,
  type InputIssue,
  type Result,
  success,
} from "../errors.ts"
import {
  type CheckFacts,
  type ConditionFact,
  LIST_NAMES,
  type ListFact,
  type ListName,
  listFields,
  type Membership,
  PROVISIONS,
  type ProvisionKind,
  type Terms,
  writeFields,
} from "../rules/provision-kinds.ts"
import {
  type Blocs,
  blocsOf,
  expandScope,
  type MembersCell,
  type SourceRow,
  type TermsSection,
} from "../rules/provisions.ts"
import { checkFacts, dayOr, sameAnswer } from "./check-facts.ts"
import type { Destination, Facts, Policy, SourceFact } from "./facts.ts"
import { type AnswerParts, layOutPairs, type Steps } from "./file-form.ts"
import { answerIndexOn, type DatasetParts, MAX_ANSWERS, MAX_NUMBERS, UNKNOWN_INDEX } from "./open.ts"
import { findPartsMistake } from "./open-file.ts"

/**
 * Compiles facts into a dataset, deterministic to the byte.
 *
 * Fails with `FactsRefused`, which lists every mistake with its record and field. Facts of another shape than {@link Facts} are refused
 * whole, with one mistake.
 *
 * @example
 * ```ts
 * const compiled = compileFacts(facts)
 * compiled.ok && compiled.value.header.version // => "test.1"
 * ```
 */
export function compileFacts(facts: Facts): Result<DatasetParts, FactsError> {
  try {
    return compileReadable(facts)
  } catch (cause) {
    return refuseShape(cause instanceof Error ? cause.message : "a property throws")
  }
}

function refuseShape(reason: string) {
  const message = `The facts have another shape than is expected: ${reason}.`
  return refuse([{ tag: "ImpossibleRule", record: "facts", field: "", message }])
}

function compileReadable(facts: Facts): Result<DatasetParts, FactsError> {
  const issues: FactIssue[] = [...checkFacts(facts)]
  if (issues.length > 0) return refuse(issues)
  const sources = listSources(facts)
  const compiler = new Compiler({ ...facts, sources }, facts.sources)
  for (const { code } of facts.destinations) compiler.addDestination(code)
  compiler.checkWaivers()
  if (compiler.answers.length > MAX_ANSWERS) {
    const message = `${compiler.answers.length} distinct answers, at most ${MAX_ANSWERS} are told apart.`
    compiler.issues.push({ ...TOO_MANY, message })
  }
  if (facts.passports.length >= UNKNOWN_INDEX || facts.destinations.length >= UNKNOWN_INDEX) {
    const message = `At most ${UNKNOWN_INDEX - 1} passports and as many destinations fit into one byte.`
    compiler.issues.push({ tag: "TooManyAnswers", record: "countries", field: "rows", message })
  }
  if (compiler.issues.length > 0) return refuse(compiler.issues)
  const parts = compiler.finish()
  if (parts === null) {
    const message = `A destination has more than ${MAX_NUMBERS} answers, which do not fit into one byte a pair.`
    return refuse([{ ...TOO_MANY, message }])
  }
  const mistake = findPartsMistake(parts)
  return mistake === null ? success(parts) : refuseShape(`the compiled dataset would not open, because ${mistake}`)
}

const TOO_MANY = { tag: "TooManyAnswers", record: "policies", field: "rules" } as const

function refuse(issues: readonly FactIssue[]): { readonly ok: false; readonly error: FactsError } {
  const first = issues[0] as FactIssue
  const place = first.field === "" ? first.record : `${first.record} ${first.field}`
  const rest = issues.length > 1 ? ` (and ${issues.length - 1} more)` : ""
  return failure({ tag: "FactsRefused", message: `${place}: ${first.message}${rest}`, issues })
}

// The sources that answers may name; other records have more.
function listSources({ sources, policies }: Facts): readonly SourceFact[] {
  const terms = policies.flatMap(policy => [...policy.defaults, ...policy.rules, ...policy.reviewed])
  const answering = new Set(terms.map(({ source }) => source))
  return sources.filter(({ id }) => answering.has(id))
}

class Compiler {
  readonly issues: FactIssue[] = []
  readonly answers: AnswerParts[] = []
  readonly #index: FactsIndex
  readonly #asOfDay: EpochDay
  readonly #sinceDay: EpochDay
  readonly #answerIds = new Map<string, number>()
  readonly #disagreements = new Set<string>()
  readonly #sourceIds: ReadonlyMap<string, number>
  readonly #steps = new Map<string, Steps[]>()
  readonly #terms: TermsLayout

  constructor(facts: Facts, allSources: readonly SourceFact[]) {
    this.#index = indexFacts(facts)
    this.#asOfDay = parseCivilDate(facts.asOf) as EpochDay
    this.#sinceDay = parseCivilDate(facts.since) as EpochDay
    this.#sourceIds = new Map(facts.sources.map((source, place) => [source.id, place]))
    this.#terms = new TermsLayout(this.#index, allSources)
  }

  /** Resolves all passports for one destination. */
  addDestination(destination: string): void {
    const pairOf = collectPairs(this.#index, destination)
    const { passports } = this.#index.facts
    const columns = passports.map(passport => {
      const pair = pairOf(passport)
      const steps: number[] = []
      const stretches: Stretch[] = []
      // Citizens at home have no answer that is stored.
      const isSilent =
        passport === destination ||
        (passport !== pair.followed && pair.candidates.length === 0 && pair.inherited.length === 0)
      for (const day of isSilent ? [this.#sinceDay] : this.#breakDays(pair)) {
        const covering = isSilent ? [] : listCovering(pair, day)
        this.#reportRival(day, pair, covering)
        const decided = covering[0]
        const winner = decided?.candidate ?? null
        const answer = decided === undefined ? 0 : this.#answerId(decided, pair, day)
        if (steps.at(-1) !== answer) steps.push(day, answer)
        const ended = winner === null ? null : findEnded(pair, winner, day)
        const last = stretches.at(-1)
        if (last === undefined || last.winner !== winner || last.ended !== ended) {
          stretches.push({ fromDay: day, winner, ended })
        }
      }
      return { steps, stretches }
    })
    this.#steps.set(
      destination,
      columns.map(({ steps }) => steps),
    )
    this.#terms.addRules(
      destination,
      passports,
      columns.map(({ stretches }) => stretches),
    )
  }

  // The days on which a pair's answer may change, the dataset's first among them.
  #breakDays({ destination, passport, candidates, inherited, followed }: Pair): EpochDay[] {
    const days = new Set<EpochDay>([this.#sinceDay])
    for (const { terms, fromDay, untilDay } of [...candidates, ...inherited]) {
      days.add(fromDay)
      days.add(untilDay)
      if (terms.bloc !== null) {
        for (const left of departures(this.#index, terms.bloc, [passport, destination, followed ?? passport])) {
          days.add(left)
        }
      }
    }
    return [...days].filter(day => day >= this.#sinceDay && day < END_OF_DAYS).sort((a, b) => a - b)
  }

  // Rules of one rank may not say different things. Those of a followed policy are reported where it is compiled itself.
  #reportRival(day: EpochDay, { destination, passport }: Pair, covering: readonly Covering[]): void {
    const own = covering.flatMap(({ country, candidate }) =>
      country === destination && candidate !== null ? [candidate] : [],
    )
    const winner = own[0]
    const rival = own.find(({ rank, terms }) => rank === winner!.rank && !sameAnswer(terms, winner!.terms))
    if (winner === undefined || rival === undefined || !this.#isNewDisagreement(destination, winner, rival)) return
    const message =
      `For ${passport} on ${formatCivilDate(day)}, ${winner.selector} in ${winner.field} says ${sayTerms(winner.terms)} ` +
      `and ${rival.selector} in ${rival.field} says ${sayTerms(rival.terms)}.`
    this.issues.push({ tag: "RulesDisagree", record: `policies/${destination}`, field: rival.field, message })
  }

  // Two selectors that disagree do so for every passport that they share: one mistake, named for the first of them.
  #isNewDisagreement(destination: string, a: Candidate, b: Candidate): boolean {
    const key = [destination, a.field, a.selector, b.field, b.selector].join()
    const isNew = !this.#disagreements.has(key)
    this.#disagreements.add(key)
    return isNew
  }

  #answerId({ terms, country }: Covering, { destination, passport }: Pair, day: EpochDay): number {
    const follows = country === destination ? null : country
    const uncertain = isUncertain(this.#index, terms, passport, country, day)
    const basis = follows === null ? terms.basis : "follows"
    const row: AnswerParts = {
      content: [easeRank(terms.requirement), terms.days, basis],
      origin: [
        terms.source === null ? null : (this.#sourceIds.get(terms.source) as number),
        terms.verifiedOn,
        follows ?? terms.bloc,
        uncertain ? 1 : 0,
      ],
    }
    const key = JSON.stringify(row)
    const known = this.#answerIds.get(key)
    if (known !== undefined) return known
    this.answers.push(row)
    this.#answerIds.set(key, this.answers.length)
    return this.answers.length
  }

  /** Finds waivers that make entry no easier for a passport that they name: a mistake in the data, or a waiver that newer rules made useless. */
  checkWaivers(): void {
    const { facts, blocs } = this.#index
    facts.waivers?.forEach((waiver, place) => {
      for (const { via, passports, fromDay, untilDay } of expandScope(blocs, waiver)) {
        if (via !== null || passports === null) continue
        for (const destination of waiver.destinations) {
          for (const passport of passports) {
            const answers = this.#answersBetween(destination, passport, fromDay, untilDay)
            const mistake = judgeWaiver(waiver.requirement, answers)
            if (mistake === null) continue
            const message = `For ${passport} in ${destination} ${mistake}`
            this.issues.push({ tag: "ImpossibleRule", record: "waivers", field: `[${place}].requirement`, message })
          }
        }
      }
    })
  }

  #answersBetween(destination: string, passport: string, fromDay: EpochDay, untilDay: EpochDay): number[] {
    if (passport === destination) return [easeRank(HOME_TERMS.requirement)]
    const steps = this.#steps.get(destination)?.[this.#index.facts.passports.indexOf(passport)] ?? []
    const ranks: number[] = []
    for (let at = 0; at < steps.length; at += 2) {
      const next = steps[at + 2] ?? END_OF_DAYS
      const row = this.answers[(steps[at + 1] as number) - 1]
      if (row !== undefined && (steps[at] as number) < untilDay && fromDay < next) ranks.push(row.content[0])
    }
    return ranks
  }

  /** Lays everything out; null if there are more kinds of answers than a byte can distinguish. */
  finish(): DatasetParts | null {
    const { facts } = this.#index
    const columns = facts.destinations.map(({ code }) => this.#steps.get(code) as Steps[])
    const homes = facts.destinations.map(({ code }) => facts.passports.indexOf(code))
    const layout = layOutPairs(columns, this.answers, homes, this.#asOfDay)
    if (layout === null) return null
    const { passportOrder, destinationOrder, pairs, ...numbered } = layout
    const destinations = destinationOrder.map(d => facts.destinations[d] as Destination)
    const regions = [...new Set(destinations.flatMap(({ region }) => region ?? []))].sort()
    const passports = passportOrder.map(p => facts.passports[p] as string)
    const places = new Map(facts.passports.map((code, place) => [code, place]))
    const terms = this.#terms.finish((destination, passport, day) => {
      const steps = this.#steps.get(destination)?.[places.get(passport) as number]
      const row = steps === undefined ? undefined : this.answers[answerIndexOn(steps, day) - 1]
      return row === undefined ? null : [REQUIREMENTS[row.content[0]] as Requirement, row.content[1]]
    })
    return {
      header: {
        version: facts.version,
        asOfDay: this.#asOfDay,
        sinceDay: this.#sinceDay,
        passports: passports.join(""),
        destinations: destinations.map(({ code }) => code).join(""),
        sources: facts.sources.map(sourceRow),
        regions,
        regionOf: destinations.map(({ region }) => (region === null ? null : regions.indexOf(region))),
        gdpUsdMillions: destinations.map(({ gdpUsd }) => (gdpUsd === null ? null : Math.round(gdpUsd / 1e6))),
        ...numbered,
      },
      pairs,
      terms,
    }
  }
}

// Finds the rule that decided before the winner: one that beat it while both were in force and whose announced end has passed; the latest,
// if there are several. A winner that began on that end or later replaces the ended rule, which is then not reported. Exception: the winner
// was read before that day, as an announcement; whether the ended rule was renewed was not yet known then.
function findEnded({ candidates, inherited }: Pair, winner: Candidate, day: EpochDay): Candidate | null {
  const isInherited = inherited.includes(winner)
  const readDay = parseCivilDate(winner.terms.verifiedOn)
  const isForetold = readDay !== null && readDay < winner.fromDay
  let latest: Candidate | null = null
  for (const candidate of [...candidates, ...inherited]) {
    const { untilDay, terms, rank } = candidate
    const follows = isForetold && winner.fromDay === untilDay && rank >= winner.rank
    const stoodAbove = follows || (isInherited && candidates.includes(candidate)) || rank > winner.rank
    const isAnnounced = parseCivilDate(terms.until) === untilDay
    if (
      stoodAbove &&
      isAnnounced &&
      untilDay <= day &&
      (follows || winner.fromDay < untilDay) &&
      untilDay > (latest?.untilDay ?? 0)
    ) {
      latest = candidate
    }
  }
  return latest
}

function judgeWaiver(requirement: Requirement, ranks: readonly number[]): string | null {
  if (ranks.length === 0) return null
  const refused = REQUIREMENTS.indexOf("no_admission")
  if (ranks.every(rank => rank === refused)) {
    return "nobody is admitted, which the waiver contradicts."
  }
  const rank = easeRank(requirement)
  const enough = REQUIREMENTS[Math.min(...ranks)]
  return rank > Math.max(...ranks) ? `it asks for ${requirement}, without it ${enough} is enough.` : null
}

function sayTerms({ requirement, days, basis, bloc }: Terms): string {
  const stay = days === null ? requirement : `${requirement} for ${days} days`
  return basis === null ? stay : `${stay} by ${basis} (${bloc})`
}

// ---- Terms

// How do checked facts become the lists after the pairs?
//
// Each condition is written once. For each destination the lists say which rule decides for which passports on which days, if that rule has
// more than its answer. The same facts give the same rows.

/** The rule that decides from a day on, and the rule that ended before it, if this one decides only because nothing newer is recorded. */
interface Stretch {
  readonly fromDay: EpochDay
  readonly winner: Candidate | null
  readonly ended: Candidate | null
}

/** Our answer for a pair on a day; null where there is no record. */
type AskAnswer = (destination: string, passport: string, day: EpochDay) => readonly [Requirement, number | null] | null

/** Writes a source as a row. */
function sourceRow({ id, name, url, imported, compiled }: SourceFact): SourceRow {
  return [id, name, url, imported ? 1 : compiled === true ? 2 : 0]
}

type Cells = readonly unknown[]
type Given = Readonly<Record<string, unknown>>

/** Collects the rows of the lists; the sources that the header has already keep their places. */
class TermsLayout {
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

  constructor(index: FactsIndex, allSources: readonly SourceFact[]) {
    this.#index = index
    this.#blocs = index.blocs
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

  // The blocs and zones that documents and conditions name.
  #addSets(value: unknown): void {
    if (typeof value === "string" && value.startsWith("@")) this.#sets.add(value)
    if (typeof value === "object" && value !== null) for (const each of Object.values(value)) this.#addSets(each)
  }

  // As issuers, a bloc or zone means its members on the dataset's day.
  #membersOf(selector: string): string {
    const day = dayOr(this.#index.facts.asOf, FIRST_DAY)
    const members =
      this.#blocs.get(selector) ?? this.#index.facts.zones.find(({ id }) => `@${id}` === selector)?.members ?? []
    // Like the members of blocs, which the same codes make up.
    return members
      .filter(member => isMemberOnDay(day)(member) && member.countsOnly !== true)
      .map(({ code }) => code)
      .sort()
      .join("")
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

  /** Lays everything out. */
  finish(ask: AskAnswer): TermsSection {
    const { facts } = this.#index
    const given: { readonly [of in ListName]?: () => readonly object[] } = {
      ...Object.fromEntries((Object.keys(PROVISIONS) as ProvisionKind[]).map(of => [of, () => facts[of] ?? []])),
      // Of a rule that is not settled, no passport is known to be bound.
      validity: () =>
        (facts.validity ?? []).map(rule => (rule.isSettled === false ? { ...rule, except: facts.passports } : rule)),
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

// ---- Which rule decides

// Which rule decides for a passport on a day, and which rules does it beat?
//
// The most specific rule wins: a code beats a bloc, a bloc beats the default, and a reviewed rule beats every rule that is not. A territory that follows another destination takes that
// destination's answer where it has no rule of its own. Compiling and explaining both use this, so that an explanation can never differ from an answer. Rules must have been checked
// before.

/** How specific a rule is: its rank is its place here, and the greater wins. */
const RANK_NAMES = ["home", "default", "bloc", "code", "reviewed bloc", "reviewed code"] as const

/** A rule that covers a passport, for some days. */
interface Candidate {
  readonly terms: Terms
  readonly rank: number
  /** The selector that matched the passport: a code, `@BLOC` or `default`. */
  readonly selector: string
  /** Its place in the policy, for example `rules[3]`. */
  readonly field: string
  readonly fromDay: EpochDay
  /** First day no longer in force. */
  readonly untilDay: EpochDay
}

/** The day after the last day that is judged. */
const END_OF_DAYS: EpochDay = LAST_DAY + 1

/** Facts with frequently used ones by name. */
interface FactsIndex {
  readonly facts: Facts
  readonly blocs: Blocs
  readonly policies: ReadonlyMap<string, Policy>
  /** The day of each imported table, by source. */
  readonly snapshots: ReadonlyMap<string, EpochDay>
}

/** Indexes facts by the names of their records. */
function indexFacts(facts: Facts): FactsIndex {
  return {
    facts,
    blocs: blocsOf(facts.blocs),
    policies: new Map(facts.policies.map(policy => [policy.destination, policy])),
    snapshots: new Map(
      facts.sources.flatMap(({ id, snapshotOn }) => (snapshotOn === null ? [] : [[id, dayOr(snapshotOn, FIRST_DAY)]])),
    ),
  }
}

/** The terms of a passport's own country. */
const HOME_TERMS: Terms = Object.freeze({
  requirement: "visa_free",
  days: null,
  from: null,
  until: null,
  basis: "home",
  bloc: null,
  source: null,
  verifiedOn: null,
})

/** Collects, by passport, every rule of a policy that covers it on some day, in the order of the file. */
function collectCandidates(index: FactsIndex, policy: Policy): ReadonlyMap<string, readonly Candidate[]> {
  const candidates = new Map<string, Candidate[]>(index.facts.passports.map(code => [code, []]))
  const add = (code: string, candidate: Candidate) => {
    if (candidate.fromDay < candidate.untilDay) candidates.get(code)?.push(candidate)
  }
  for (const list of ["reviewed", "rules", "default"] as const) {
    const rules = list === "default" ? policy.defaults : policy[list]
    rules.forEach((terms, place) => {
      // An imported table says what held for the members' passports, so a member that leaves the bloc later keeps it.
      const snapshot = terms.source === null ? undefined : index.snapshots.get(terms.source)
      const blocs = snapshot === undefined ? index.blocs : membersOn(index.blocs, snapshot)
      for (const { rank, passports, via, fromDay, untilDay } of expandScope(blocs, terms)) {
        const field = `${list}[${place}]`
        for (const code of passports ?? index.facts.passports) {
          const selector = passports === null ? "default" : (via ?? code)
          add(code, { terms, rank: list === "reviewed" ? rank + 2 : rank, selector, field, fromDay, untilDay })
        }
      }
    })
  }
  return candidates
}

/** Says whether a country is a member on a day. */
const isMemberOnDay =
  (day: EpochDay) =>
  ({ from, until }: Membership): boolean =>
    dayOr(from, FIRST_DAY) <= day && day < dayOr(until, END_OF_DAYS)

// The members of each bloc on a day, without the days of their membership.
const membersOn = (blocs: Blocs, day: EpochDay): Blocs =>
  new Map(
    [...blocs].map(([selector, members]) => [
      selector,
      members.filter(isMemberOnDay(day)).map(member => ({ ...member, from: null, until: null })),
    ]),
  )

/** A pair, and every rule that covers it on some day. */
interface Pair {
  readonly destination: string
  readonly passport: string
  readonly candidates: readonly Candidate[]
  /** Those of the followed destination. */
  readonly inherited: readonly Candidate[]
  readonly followed: string | null
}

/** Collects what the pairs of a destination rest on; returns them by passport. */
function collectPairs(index: FactsIndex, destination: string): (passport: string) => Pair {
  const collect = (policy: Policy | undefined) => (policy === undefined ? null : collectCandidates(index, policy))
  const policy = index.policies.get(destination)
  const followedPolicy = policy?.follows ? index.policies.get(policy.follows) : undefined
  const [own, followed] = [collect(policy), collect(followedPolicy)]
  return passport => ({
    destination,
    passport,
    candidates: own?.get(passport) ?? [],
    inherited: followed?.get(passport) ?? [],
    followed: followedPolicy?.destination ?? null,
  })
}

/** A rule that covers a pair on a day, of the policy of a country. */
interface Covering {
  readonly country: string
  readonly terms: Terms
  /** Null for the country's own citizens, who need no rule. */
  readonly candidate: Candidate | null
}

/** Lists the rules that cover a pair on a day, the one that decides first: the destination's own, then those of the destination that it follows. */
function listCovering(
  { destination, passport, candidates, inherited, followed }: Pair,
  day: EpochDay,
): readonly Covering[] {
  const listOf = (country: string, all: readonly Candidate[]): readonly Covering[] =>
    country === passport
      ? [{ country, terms: HOME_TERMS, candidate: null }]
      : all
          .filter(({ fromDay, untilDay }) => fromDay <= day && day < untilDay)
          .sort((a, b) => b.rank - a.rank)
          .map(candidate => ({ country, terms: candidate.terms, candidate }))
  const own = listOf(destination, candidates)
  return followed === null || passport === destination ? own : [...own, ...listOf(followed, inherited)]
}

/** Says whether an entry rests on a treaty of a bloc that the passport's or the destination's country has left by a day. */
function isUncertain(index: FactsIndex, terms: Terms, passport: string, destination: string, day: EpochDay): boolean {
  if (terms.basis !== "freedom_of_movement" || terms.bloc === null) return false
  return departures(index, terms.bloc, [passport, destination]).some(left => left <= day)
}

/** The days on which any of some countries left a bloc for good. */
function departures(index: FactsIndex, bloc: string, codes: readonly string[]): EpochDay[] {
  const members = index.blocs.get(`@${bloc}`) ?? []
  return codes.flatMap(code => {
    const ends = members.filter((member: Membership) => member.code === code)
    return ends.length > 0 && ends.every(member => member.until !== null)
      ? [Math.max(...ends.map(member => dayOr(member.until, END_OF_DAYS)))]
      : []
  })
}

// ---- Explanations, which work on the facts themselves, because a compiled dataset keeps answers, not rules

/** A rule that covered the pair on the day. */
export interface ExplainedRule {
  /** The destination whose policy holds it. */
  readonly policy: string
  /** Its place in that policy, for example `rules[3]`; `home` for a passport's own country. */
  readonly field: string
  /** The selector that matched the passport: a code, `@BLOC`, `default` or `home`. */
  readonly selector: string
  readonly rank: (typeof RANK_NAMES)[number]
  readonly terms: Terms
}

/** How a pair's answer came about on a day. */
interface Explanation {
  readonly passport: string
  readonly destination: string
  readonly on: string
  /** The rule that decided, or null where the pair has no record. */
  readonly decided: ExplainedRule | null
  /** The rules that it beat, the next best first. */
  readonly beaten: readonly ExplainedRule[]
  /** The destination whose policy decided, if the given one follows it; or null. */
  readonly follows: string | null
  readonly uncertain: boolean
}

/**
 * Explains a pair on a day: the rule that decided and the rules that it beat.
 *
 * Fails with `InputRefused` for a passport or destination that the facts do not have, for an invalid date, and for a day before the facts'
 * first, for which a lookup has no record. The facts must have been checked before, as compiling does.
 *
 * @example
 * ```ts
 * const explained = explainRequirement(facts, "AAA", "BBB", "2026-06-01")
 * explained.ok && explained.value.decided?.terms.requirement // => "visa_required"
 * ```
 */
export function explainRequirement(
  facts: Facts,
  passport: string,
  destination: string,
  on: string,
): Result<Explanation, InputError> {
  try {
    return explainReadable(facts, passport, destination, on)
  } catch {
    return refuseQuestion([{ path: "facts", message: "They have another shape than facts that were compiled." }])
  }
}

function refuseQuestion(issues: readonly InputIssue[]): Result<never, InputError> {
  const message = issues.map(issue => `${issue.path}: ${issue.message}`).join(" ")
  return failure({ tag: "InputRefused", message, issues })
}

function explainReadable(
  facts: Facts,
  passport: string,
  destination: string,
  on: string,
): Result<Explanation, InputError> {
  const day = parseCivilDate(on)
  const issues: InputIssue[] = []
  const refuseUnless = (isRight: boolean, path: string, value: string, expected: string) => {
    if (!isRight) issues.push({ path, message: `${describe(value)} is not ${expected}.` })
  }
  refuseUnless(facts.passports.includes(passport), "passport", passport, "one of the passports of the facts")
  const isKnown = facts.destinations.some(({ code }) => code === destination)
  refuseUnless(isKnown, "destination", destination, "one of the destinations of the facts")
  const isInside = day !== null && day >= dayOr(facts.since, FIRST_DAY)
  refuseUnless(isInside, "on", on, `a calendar date YYYY-MM-DD from ${facts.since} to 2199-12-31`)
  if (day === null || issues.length > 0) return refuseQuestion(issues)
  const index = indexFacts(facts)
  const [decided, ...beaten] = listCovering(collectPairs(index, destination)(passport), day)
  return success({
    passport,
    destination,
    on,
    decided: decided === undefined ? null : explainRule(decided),
    beaten: beaten.map(explainRule),
    follows: decided === undefined || decided.country === destination ? null : decided.country,
    uncertain: decided !== undefined && isUncertain(index, decided.terms, passport, decided.country, day),
  })
}

function explainRule({ country, terms, candidate }: Covering): ExplainedRule {
  if (candidate === null) return { policy: country, field: "home", selector: "home", rank: "home", terms }
  const { field, selector, rank } = candidate
  return { policy: country, field, selector, rank: RANK_NAMES[rank]!, terms }
}
