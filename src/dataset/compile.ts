/**
 * How do facts become a dataset?
 *
 * Every pair's rules are resolved for every stretch of days between two dates that matter, so that the same facts give the
 * same bytes on any machine. The answer of the dataset's own day goes into the table of pairs; a pair whose answer changes
 * also gets a timeline. Nothing is compiled from facts that contradict themselves: two rules of one rank that disagree on any
 * day are a mistake in the data, and both are named.
 */
import { type EpochDay, formatCivilDate, parseCivilDate } from "../civil-date.ts"
import { type FactIssue, type FactsError, failure, type Result, success } from "../errors.ts"
import { easeRank } from "../requirement/requirement.ts"
import { checkFacts, sameAnswer } from "./check-facts.ts"
import { findHeaderMistake } from "./check-header.ts"
import type { Destination, Facts, Policy, Terms } from "./facts.ts"
import { type AnswerRow, type DatasetParts, MAX_ANSWERS, type TimelineRow } from "./format.ts"
import { UNKNOWN_SLOT } from "./open.ts"
import {
  type Candidate,
  collectCandidates,
  departures,
  END_OF_DAYS,
  type FactsIndex,
  HOME_TERMS,
  indexFacts,
  isUncertain,
  rankCandidates,
} from "./resolve.ts"
import { orderBySimilarity } from "./similarity.ts"
import { answerIndexOn } from "./timeline.ts"
import { layOutTravelRules } from "./travel-rules.ts"

/**
 * Compiles facts into a dataset, deterministic to the byte.
 *
 * Fails with `FactsRefused`, which lists every mistake with its record and field. Facts of another shape than {@link Facts} are refused
 * whole, with one mistake.
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
  return refuse([{ tag: "ImpossibleRule", record: "facts", field: "(all)", message }])
}

function compileReadable(facts: Facts): Result<DatasetParts, FactsError> {
  const issues: FactIssue[] = [...checkFacts(facts)]
  if (issues.length > 0) return refuse(issues)
  const compiler = new Compiler({ ...facts, sources: facts.sources.filter(isNamedBy(facts)) })
  for (const { code } of facts.destinations) compiler.addDestination(code)
  if (compiler.answers.length > MAX_ANSWERS) {
    const message = `${compiler.answers.length} distinct answers, at most ${MAX_ANSWERS} fit into one byte a pair.`
    compiler.issues.push({ tag: "TooManyAnswers", record: "policies", field: "rules", message })
  }
  if (facts.passports.length >= UNKNOWN_SLOT || facts.destinations.length >= UNKNOWN_SLOT) {
    const message = `At most ${UNKNOWN_SLOT - 1} passports and as many destinations fit into one byte.`
    compiler.issues.push({ tag: "TooManyAnswers", record: "countries", field: "rows", message })
  }
  if (compiler.issues.length > 0) return refuse(compiler.issues)
  const parts = compiler.finish()
  const mistake = findHeaderMistake(parts.header, parts.pairs)
  return mistake === null ? success(parts) : refuseShape(`what they give would not open, because ${mistake}`)
}

function refuse(issues: readonly FactIssue[]): { readonly ok: false; readonly error: FactsError } {
  const first = issues[0] as FactIssue
  const rest = issues.length > 1 ? ` (and ${issues.length - 1} more)` : ""
  return failure({ tag: "FactsRefused", message: `${first.record} ${first.field}: ${first.message}${rest}`, issues })
}

// A dataset carries the sources that its answers and rules name; other records have more.
function isNamedBy({ policies, zones, validity, transit }: Facts): (source: { readonly id: string }) => boolean {
  const terms = policies.flatMap(policy => [...policy.defaults, ...policy.rules, ...policy.reviewed])
  const named = new Set([...terms, ...zones, ...validity, ...transit].map(record => record.source))
  return ({ id }) => named.has(id)
}

// Steps of one pair: (first day, answer) in order of days; answer 0 is no record.
type Steps = readonly number[]

class Compiler {
  readonly issues: FactIssue[] = []
  readonly answers: AnswerRow[] = []
  readonly #index: FactsIndex
  readonly #asOfDay: EpochDay
  readonly #sinceDay: EpochDay
  readonly #answerIds = new Map<string, number>()
  readonly #disagreements = new Set<string>()
  readonly #sourceIds: ReadonlyMap<string, number>
  readonly #steps = new Map<string, Steps[]>()

  constructor(facts: Facts) {
    this.#index = indexFacts(facts)
    this.#asOfDay = parseCivilDate(facts.asOf) as EpochDay
    this.#sinceDay = parseCivilDate(facts.since) as EpochDay
    this.#sourceIds = new Map(facts.sources.map((source, place) => [source.id, place]))
  }

  /** Resolves all passports for one destination. */
  addDestination(destination: string): void {
    const { facts, policies } = this.#index
    const policy = policies.get(destination)
    const followed = policy?.follows ? (policies.get(policy.follows) ?? null) : null
    const own = policy ? collectCandidates(this.#index, policy) : null
    const followedCandidates = followed ? collectCandidates(this.#index, followed) : null
    const column = facts.passports.map(passport => {
      if (passport === destination) return [this.#sinceDay, this.#answerId(HOME_TERMS, null, false)]
      const candidates = own?.get(passport) ?? []
      const inherited = followedCandidates?.get(passport) ?? []
      const steps: number[] = []
      for (const day of this.#breakDays(destination, passport, [...candidates, ...inherited], followed)) {
        const answer = this.#answerOn(day, destination, passport, candidates, inherited, policy, followed)
        if (steps.at(-1) !== answer) steps.push(day, answer)
      }
      return steps
    })
    this.#steps.set(destination, column)
  }

  // The days on which a pair's answer may change, the dataset's first among them.
  #breakDays(
    destination: string,
    passport: string,
    candidates: readonly Candidate[],
    followed: Policy | null,
  ): EpochDay[] {
    const days = new Set<EpochDay>([this.#sinceDay])
    for (const { terms, fromDay, untilDay } of candidates) {
      days.add(fromDay)
      days.add(untilDay)
      if (terms.bloc !== null) {
        for (const left of departures(this.#index, terms.bloc, [
          passport,
          destination,
          followed?.destination ?? passport,
        ])) {
          days.add(left)
        }
      }
    }
    return [...days].filter(day => day >= this.#sinceDay && day < END_OF_DAYS).sort((a, b) => a - b)
  }

  #answerOn(
    day: EpochDay,
    destination: string,
    passport: string,
    candidates: readonly Candidate[],
    inherited: readonly Candidate[],
    policy: Policy | undefined,
    followed: Policy | null,
  ): number {
    const own = this.#decide(day, destination, passport, candidates)
    if (own !== null) return this.#answerId(own, null, isUncertain(this.#index, own, passport, destination, day))
    if (policy === undefined || followed === null) return 0
    if (passport === followed.destination) return this.#answerId(HOME_TERMS, followed.destination, false)
    // The followed policy's own disagreements are reported where it is compiled itself.
    const terms = rankCandidates(inherited, day)[0]?.terms
    if (terms === undefined) return 0
    return this.#answerId(
      terms,
      followed.destination,
      isUncertain(this.#index, terms, passport, followed.destination, day),
    )
  }

  #decide(day: EpochDay, destination: string, passport: string, candidates: readonly Candidate[]): Terms | null {
    const [winner, ...beaten] = rankCandidates(candidates, day)
    if (winner === undefined) return null
    const rival = beaten.find(other => other.rank === winner.rank && !sameAnswer(other.terms, winner.terms))
    if (rival !== undefined && this.#isNewDisagreement(destination, winner, rival)) {
      const message =
        `For ${passport} on ${formatCivilDate(day)}, ${winner.selector} in ${winner.field} says ${describeTerms(winner.terms)} ` +
        `and ${rival.selector} in ${rival.field} says ${describeTerms(rival.terms)}.`
      this.issues.push({ tag: "RulesDisagree", record: `policies/${destination}`, field: rival.field, message })
    }
    return winner.terms
  }

  // Two selectors that disagree do so for every passport that they share: one mistake, named for the first of them.
  #isNewDisagreement(destination: string, a: Candidate, b: Candidate): boolean {
    const key = [destination, a.field, a.selector, b.field, b.selector].join()
    const isNew = !this.#disagreements.has(key)
    this.#disagreements.add(key)
    return isNew
  }

  #answerId(terms: Terms, follows: string | null, uncertain: boolean): number {
    const basis = follows === null ? terms.basis : "follows"
    const row: AnswerRow = [
      easeRank(terms.requirement),
      terms.days,
      terms.source === null ? null : (this.#sourceIds.get(terms.source) as number),
      terms.verifiedOn,
      basis,
      follows ?? terms.bloc,
      uncertain ? 1 : 0,
    ]
    const key = JSON.stringify(row)
    const known = this.#answerIds.get(key)
    if (known !== undefined) return known
    this.answers.push(row)
    this.#answerIds.set(key, this.answers.length)
    return this.answers.length
  }

  /** Lays the columns out: answers by how common they are, passports and destinations by how alike they are. */
  finish(): DatasetParts {
    const { facts } = this.#index
    const columns = facts.destinations.map(({ code }) => this.#steps.get(code) as Steps[])
    const renumbered = this.#renumber(columns)
    const table = columns.map(column =>
      column.map(steps => renumbered.get(answerIndexOn(steps, this.#asOfDay)) as number),
    )
    const passportOrder = orderBySimilarity(facts.passports.map((_, p) => table.map(column => column[p] as number)))
    const destinationOrder = orderBySimilarity(table)
    const pairs = new Uint8Array(facts.passports.length * facts.destinations.length)
    const timelines: TimelineRow[] = []
    let at = 0
    for (const d of destinationOrder) {
      for (const p of passportOrder) {
        const steps = columns[d]?.[p] as Steps
        if (steps.length > 2) {
          timelines.push([at, ...steps.map((step, i) => (i % 2 === 0 ? step : (renumbered.get(step) as number)))])
        }
        pairs[at++] = table[d]?.[p] as number
      }
    }
    const destinations = destinationOrder.map(d => facts.destinations[d] as Destination)
    const regions = [...new Set(destinations.flatMap(({ region }) => region ?? []))].sort()
    const answers: AnswerRow[] = []
    for (const [old, id] of renumbered) if (old > 0) answers[id - 1] = this.answers[old - 1] as AnswerRow
    return {
      header: {
        version: facts.version,
        asOfDay: this.#asOfDay,
        sinceDay: this.#sinceDay,
        passports: passportOrder.map(p => facts.passports[p]).join(""),
        destinations: destinations.map(({ code }) => code).join(""),
        sources: facts.sources.map(({ id, name, url, imported }) => [id, name, url, imported ? 1 : 0]),
        regions,
        regionOf: destinations.map(({ region }) => (region === null ? null : regions.indexOf(region))),
        gdpUsdMillions: destinations.map(({ gdpUsd }) => (gdpUsd === null ? null : Math.round(gdpUsd / 1e6))),
        answers,
        timelines,
        ...layOutTravelRules(facts),
      },
      pairs,
    }
  }

  // Common answers get small numbers, which are single ASCII characters in a bundle.
  #renumber(columns: readonly Steps[][]): ReadonlyMap<number, number> {
    const counts = this.answers.map(() => 0)
    for (const column of columns) {
      for (const steps of column) {
        const answer = answerIndexOn(steps, this.#asOfDay)
        if (answer > 0) counts[answer - 1] = (counts[answer - 1] as number) + 1
      }
    }
    const keys = this.answers.map(row => JSON.stringify(row))
    const order = this.answers
      .map((_, i) => i)
      .sort(
        (a, b) => (counts[b] as number) - (counts[a] as number) || ((keys[a] as string) < (keys[b] as string) ? -1 : 1),
      )
    return new Map([[0, 0], ...order.map((old, place): [number, number] => [old + 1, place + 1])])
  }
}

function describeTerms(terms: Terms): string {
  return terms.days === null ? terms.requirement : `${terms.requirement} for ${terms.days} days`
}
