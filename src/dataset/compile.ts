/**
 * How do facts become a dataset?
 *
 * Every pair's rules are resolved for every period between two relevant dates, and the same facts give the same bytes on any machine. The
 * answer of the dataset's own day goes into the table of pairs; a pair whose answer changes also gets a timeline. Contradicting facts are
 * refused: two rules of one rank that disagree on any day are a mistake in the data, and both are named.
 */
import { type EpochDay, formatCivilDate, parseCivilDate } from "../civil-date.ts"
import { type FactIssue, type FactsError, failure, type Result, success } from "../errors.ts"
import type { Terms } from "../rules/provision-kinds.ts"
import { blocsOf, expandScope } from "../rules/scoped-lists.ts"
import { checkFacts } from "./check-facts.ts"
import type { Destination, Facts, SourceFact } from "./facts.ts"
import { answerIndexOn, type DatasetParts, MAX_ANSWERS, MAX_NUMBERS } from "./format.ts"
import { type AnswerParts, layOutPairs, type Steps } from "./lay-out-pairs.ts"
import { type Stretch, sourceRow, TermsLayout } from "./lay-out-terms.ts"
import { UNKNOWN_INDEX } from "./open.ts"
import { findPartsMistake } from "./open-file.ts"
import { easeRank, REQUIREMENTS, type Requirement } from "./requirement.ts"
import {
  type Candidate,
  collectCandidates,
  departures,
  END_OF_DAYS,
  type FactsIndex,
  HOME_TERMS,
  indexFacts,
  isUncertain,
  RANKS,
  rankCandidates,
  sameAnswer,
} from "./resolve.ts"

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
    compiler.issues.push({ tag: "TooManyAnswers", record: "policies", field: "rules", message })
  }
  if (facts.passports.length >= UNKNOWN_INDEX || facts.destinations.length >= UNKNOWN_INDEX) {
    const message = `At most ${UNKNOWN_INDEX - 1} passports and as many destinations fit into one byte.`
    compiler.issues.push({ tag: "TooManyAnswers", record: "countries", field: "rows", message })
  }
  if (compiler.issues.length > 0) return refuse(compiler.issues)
  const parts = compiler.finish()
  if (parts === null) {
    const message = `A destination has more than ${MAX_NUMBERS} answers, which do not fit into one byte a pair.`
    return refuse([{ tag: "TooManyAnswers", record: "policies", field: "rules", message }])
  }
  const mistake = findPartsMistake(parts)
  return mistake === null ? success(parts) : refuseShape(`the compiled dataset would not open, because ${mistake}`)
}

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
    const { facts, policies } = this.#index
    const policy = policies.get(destination)
    const followed = policy?.follows ? (policies.get(policy.follows) ?? null) : null
    const own = policy ? collectCandidates(this.#index, policy) : null
    const followedCandidates = followed ? collectCandidates(this.#index, followed) : null
    const columns = facts.passports.map(passport => {
      const pair: Pair = {
        destination,
        passport,
        candidates: own?.get(passport) ?? [],
        inherited: followedCandidates?.get(passport) ?? [],
        followed: followed?.destination ?? null,
      }
      const steps: number[] = []
      const stretches: Stretch[] = []
      for (const day of this.#breakDays(pair)) {
        const { winner, terms, follows, country } = this.#decide(day, pair)
        const answer =
          terms === null ? 0 : this.#answerId(terms, follows, isUncertain(this.#index, terms, passport, country, day))
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
      facts.passports,
      columns.map(({ stretches }) => stretches),
    )
  }

  // The days on which a pair's answer may change, the dataset's first among them.
  #breakDays({ destination, passport, candidates, inherited, followed }: Pair): EpochDay[] {
    const days = new Set<EpochDay>([this.#sinceDay])
    if (passport === destination) return [...days]
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

  // Finds the rule that decides on a day, and the country of its policy.
  #decide(day: EpochDay, pair: Pair): Decided {
    const { destination, passport, candidates, inherited, followed } = pair
    // Citizens need no rule.
    if (passport === destination) return { winner: null, terms: null, follows: null, country: destination }
    const [own, ...beaten] = rankCandidates(candidates, day)
    if (own !== undefined) {
      this.#reportRival(day, pair, own, beaten)
      return { winner: own, terms: own.terms, follows: null, country: destination }
    }
    if (followed === null) return { winner: null, terms: null, follows: null, country: destination }
    if (passport === followed) return { winner: null, terms: HOME_TERMS, follows: followed, country: followed }
    // The followed policy's own disagreements are reported where it is compiled itself.
    const winner = rankCandidates(inherited, day)[0] ?? null
    return { winner, terms: winner?.terms ?? null, follows: followed, country: followed }
  }

  #reportRival(day: EpochDay, { destination, passport }: Pair, winner: Candidate, beaten: readonly Candidate[]): void {
    const rival = beaten.find(other => other.rank === winner.rank && !sameAnswer(other.terms, winner.terms))
    if (rival === undefined || !this.#isNewDisagreement(destination, winner, rival)) return
    const message =
      `For ${passport} on ${formatCivilDate(day)}, ${winner.selector} in ${winner.field} says ${describeTerms(winner.terms)} ` +
      `and ${rival.selector} in ${rival.field} says ${describeTerms(rival.terms)}.`
    this.issues.push({ tag: "RulesDisagree", record: `policies/${destination}`, field: rival.field, message })
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
    const { facts } = this.#index
    const blocs = blocsOf(facts.blocs)
    facts.waivers?.forEach((waiver, place) => {
      for (const { rank, passports, fromDay, untilDay } of expandScope(blocs, waiver)) {
        if (rank !== RANKS.code || passports === null) continue
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
    const terms = this.#terms.finish(passports, (destination, passport, day) => {
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

/** A pair while it is compiled, and every rule that covers it on some day. */
interface Pair {
  readonly destination: string
  readonly passport: string
  readonly candidates: readonly Candidate[]
  /** Those of the followed destination. */
  readonly inherited: readonly Candidate[]
  readonly followed: string | null
}

interface Decided {
  /** Null for a country's own citizens, and where there is no rule. */
  readonly winner: Candidate | null
  readonly terms: Terms | null
  readonly follows: string | null
  /** The country whose policy decided. */
  readonly country: string
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

function describeTerms({ requirement, days, basis, bloc }: Terms): string {
  const stay = days === null ? requirement : `${requirement} for ${days} days`
  return basis === null ? stay : `${stay} by ${basis} (${bloc})`
}
