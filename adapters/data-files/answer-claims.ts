/**
 * What do the claims of a destination come to: a rule for each passport, and what contradicts or confirms it?
 *
 * claim-order.ts says which claim decides on the dataset's day. A claim that decides becomes a rule with its own first and last day. What a
 * compiler says of an official page stands beside the answer: it confirms it, differs from it with a reason, or leaves it disputed.
 */
import type { CheckFacts, CorroborationFacts, Policy, ProvisionFact, Rule, Terms } from "../../src/compiler.ts"
import { easeRank, type Requirement } from "../../src/engine.ts"
import { type Case, type Floor, type Opinion, RANKS, type Rank, type Ruling, rule as ruleOn } from "./claim-order.ts"
import {
  type Claim,
  type ClaimsRecord,
  listTableDays,
  listTableValues,
  nameTableSource,
  pageOf,
  readRequirement,
  type Said,
  selectorsOf,
  type TreatyRecord,
} from "./claim-records.ts"
import type { DataRecords } from "./data-files.ts"
import type { BlocRecord } from "./file-records.ts"
import { camelKeys } from "./file-records.ts"

/** The id in sources.json of the compiler whose claims are compared with the others. */
export const SECOND_SOURCE = "travelrequirements"

/** What the claims of a destination come to. */
export interface Answered {
  readonly policy: Policy
  readonly corroboration: CorroborationFacts | null
  readonly changes: readonly ProvisionFact<"changeLog">[]
  /** The claim behind each rule of the policy: `reviewed[3]` to `claims[7]`. */
  readonly places: ReadonlyMap<string, string>
  /** How the order of claims comes to the answer of each passport. */
  readonly rulings: ReadonlyMap<string, Ruling>
}

const answers = new WeakMap<object, readonly Answered[]>()

/** Answers every destination, in the order of the files; once for the same records, which nobody changes. */
export function answerClaims(
  records: Pick<DataRecords, "claims" | "treaties" | "blocs" | "dataset" | "passports" | "sources" | "tables">,
): readonly Answered[] {
  const known = answers.get(records)
  if (known !== undefined) return known
  const context = new Context(records)
  const answered = records.claims.map(record => context.answer(record))
  answers.set(records, answered)
  return answered
}

/** Says how the order of claims comes to the answer of a passport at a destination; null where nothing is claimed. */
export function explainClaims(
  records: Parameters<typeof answerClaims>[0],
  passport: string,
  destination: string,
): Ruling | null {
  const answered = answerClaims(records).find(({ policy }) => policy.destination === destination)
  return answered?.rulings.get(passport) ?? null
}

/** A rule and the claim that it comes from. */
interface Placed {
  readonly rule: Rule
  readonly place: string
}

type Page = ClaimsRecord["pages"][string]

/** A claim that asks for something, with its page and its rule. */
interface PlacedClaim extends Placed {
  readonly claim: Claim
  readonly page: Page | undefined
  readonly rank: Rank
  /** The last day on which somebody read its page. */
  readonly readOn: string | null
}

const TERMS: Omit<Terms, "requirement" | "source" | "verifiedOn"> = {
  days: null,
  from: null,
  until: null,
  basis: null,
  bloc: null,
  sourceUrl: null,
  note: null,
}

type InForce = { readonly from?: string | null | undefined; readonly until?: string | null | undefined }

const isInForce = ({ from, until }: InForce, day: string) =>
  (from == null || from <= day) && (until == null || day < until)

/** The terms of a treaty, and whom they bind. */
interface Agreement extends Floor {
  readonly rule: Omit<Rule, "passports">
  /** True if it may hold for somebody at a destination. */
  readonly reaches: (destination: string) => boolean
  /** True if it holds for a passport at a destination. */
  readonly binds: (passport: string, destination: string) => boolean
}

/** Whether a bloc's freedom of movement is one to this destination. */
const leadsTo = ({ into }: BlocRecord, destination: string): boolean => into === undefined || into === destination

class Context {
  readonly #asOf: string
  readonly #passports: readonly string[]
  readonly #names: ReadonlyMap<string, string>
  readonly #latest: string
  readonly #tableDays: readonly string[]
  readonly #blocs: readonly BlocRecord[]
  readonly #agreements: readonly Agreement[]

  constructor(records: Omit<Parameters<typeof answerClaims>[0], "claims">) {
    const { dataset, sources, tables, blocs, passports, treaties } = records
    this.#asOf = dataset.as_of
    this.#passports = passports.map(({ code }) => code)
    this.#names = new Map(sources.map(({ id, name }) => [id, name]))
    this.#latest = tables.latest
    this.#tableDays = listTableDays(tables)
    this.#blocs = blocs
    this.#agreements = [
      ...blocs.filter(bloc => bloc.freedom_of_movement).map(bloc => this.#readBloc(bloc)),
      ...treaties.filter(treaty => isInForce(treaty, this.#asOf)).map(treaty => this.#readTreaty(treaty)),
    ]
  }

  #readBloc(bloc: BlocRecord): Agreement {
    const members = new Set(bloc.members.filter(one => isInForce(one, this.#asOf)).map(({ code }) => code))
    const days = bloc.treaty_days ?? null
    const terms = { requirement: "visa_free", days, basis: "freedom_of_movement", bloc: bloc.id } as const
    return {
      ...{ id: bloc.id, word: "visa_free", days, permits: "visa_free", from: null, isFree: true },
      rule: { ...TERMS, ...terms, source: bloc.source, verifiedOn: bloc.verified_on },
      reaches: destination => members.has(destination) && leadsTo(bloc, destination),
      binds: (passport, destination) =>
        [passport, destination].every(code => members.has(code)) && leadsTo(bloc, destination),
    }
  }

  #readTreaty(treaty: TreatyRecord): Agreement {
    const { id, name, except, from = null, until = null, source, source_url: sourceUrl } = treaty
    const { word, days } = readRequirement(treaty) as Said<Requirement>
    const left = new Set(except?.split(" "))
    const [one = new Set<string>(), other = one] = treaty.sides.map(
      side =>
        new Set(
          side
            .split(" ")
            .flatMap(selector => this.#expand(selector))
            .filter(code => !left.has(code)),
        ),
    )
    // A page that was read after the dataset's day is no evidence of that day.
    const verifiedOn = treaty.read_on <= this.#asOf ? treaty.read_on : null
    const rule = { ...TERMS, requirement: word, days, from, until, source, sourceUrl, verifiedOn }
    return {
      ...{ id, word, days, permits: treaty.permits ?? word, from, isFree: false },
      rule: { ...rule, note: `${name}.` },
      reaches: destination => one.has(destination) || other.has(destination),
      binds: (passport, destination) =>
        (one.has(passport) && other.has(destination)) ||
        (treaty.one_way !== true && other.has(passport) && one.has(destination)),
    }
  }

  #expand(selector: string): readonly string[] {
    if (!selector.startsWith("@")) return [selector]
    const members = this.#blocs.find(({ id }) => `@${id}` === selector)?.members ?? []
    return members.filter(member => isInForce(member, this.#asOf)).map(({ code }) => code)
  }

  answer(record: ClaimsRecord): Answered {
    const placed = record.claims.flatMap((claim, at) => this.#place(record, claim, at))
    const [compiled, own] = [placed.filter(isCompiled), placed.filter(one => !isCompiled(one))]
    // What people read and weighed themselves.
    const people = own.filter(
      ({ claim }) => claim.doubt === undefined && (claim.page !== undefined || claim.settles === undefined),
    )
    const rules = this.#tableRules(record)
    const weighed = new Map(
      own.flatMap(one => (one.claim.settles === undefined ? [] : one.rule.passports.map(code => [code, one] as const))),
    )
    const checks = this.#judge(record, { statements: readStatements(compiled), people, weighed, rules })
    // What a treaty or news overrules is no rule for these passports.
    const overruled = new Set(checks.flatMap(({ passport, decidedBy }) => (decidedBy === "claim" ? [] : passport)))
    const standing = people.flatMap(one => {
      const passports = one.rule.passports.filter(code => !overruled.has(code))
      return passports.length === 0 ? [] : { ...one, rule: { ...one.rule, passports } }
    })
    const reviewed = [
      ...standing.filter(({ rule }) => !rule.passports.includes("*")),
      ...this.#buildRules(record.destination, checks),
      ...this.#treatyRules(checks),
    ]
    const defaults = standing.filter(({ rule }) => rule.passports.includes("*"))
    const lists: readonly (readonly [string, readonly Placed[]])[] = [
      ["reviewed", reviewed],
      ["default", defaults],
      ["rules", rules],
    ]
    const places = new Map(
      lists.flatMap(([list, placed]) => placed.map(({ place }, at): [string, string] => [`${list}[${at}]`, place])),
    )
    return {
      policy: {
        destination: record.destination,
        follows: record.follows ?? null,
        note: record.note ?? null,
        defaults: defaults.map(({ rule: { passports: _, ...terms } }) => terms),
        rules: rules.map(({ rule }) => rule),
        reviewed: reviewed.map(({ rule }) => rule),
        ...(record.conditions === undefined
          ? {}
          : { conditions: camelKeys(record.conditions) as Policy["conditions"] }),
      },
      corroboration: this.#corroborate(record, own, checks),
      changes: record.claims.flatMap(claim => toChange(record, claim)),
      places,
      rulings: new Map(checks.map(({ passport, ruling }) => [passport, ruling])),
    }
  }

  // Lists that were published version by version are history.
  #place(record: ClaimsRecord, claim: Claim, at: number): readonly PlacedClaim[] {
    const page = pageOf(record, claim)
    const said = readRequirement(claim)
    if (said === null || page?.until !== undefined) return []
    const { from = null, until = null, conditions, note = null } = claim
    const rule = {
      ...{ ...TERMS, requirement: said.word, days: said.days, from, until },
      ...(conditions === undefined ? {} : { conditions: camelKeys(conditions) as NonNullable<Terms["conditions"]> }),
      source: page?.by ?? null,
      sourceUrl: page?.url ?? null,
      verifiedOn: page?.read?.at(-1) ?? null,
      note: page?.by === SECOND_SOURCE ? null : note,
      passports: selectorsOf(claim),
    }
    return [{ claim, page, rule, place: `claims[${at}]`, rank: rankOf(page), readOn: findReading(record, page) }]
  }

  /** What the last table that has a passport says, one rule for each row and treaty. */
  #tableRules({ destination, tables }: ClaimsRecord): readonly Placed[] {
    const lastOf = new Map(tables.flatMap(([, , who], row) => who.split(" ").map(code => [code, row] as const)))
    return tables.flatMap(([on, says, who], at): readonly Placed[] => {
      const said = readRequirement({ says })
      if (said === null) return []
      const { word: requirement, days } = said
      const ofTable = nameTableSource(this.#latest, on)
      const source = this.#names.has(ofTable) ? ofTable : this.#latest
      const current = selectorsOf({ who }).filter(code => lastOf.get(code) === at)
      const treatyOf = (code: string) =>
        requirement === "visa_free" ? this.#findTreaty(code, destination, days) : null
      return [...Map.groupBy(current, treatyOf)].map(([bloc, passports]) => {
        const basis = bloc === null ? null : "freedom_of_movement"
        const rule = { ...TERMS, requirement, days, basis, bloc, source, verifiedOn: null, passports }
        return { rule: rule as Rule, place: `tables[${at}]` }
      })
    })
  }

  // The smallest treaty that both belong to; otherwise the smallest that both belonged to, one of them having left: such an entry still
  // rests on it. Fixed days rest on a treaty only if the treaty gives them.
  #findTreaty(passport: string, destination: string, days: number | null): string | null {
    const treaties = this.#blocs
      .filter(
        bloc => bloc.freedom_of_movement && (days === null || days === bloc.treaty_days) && leadsTo(bloc, destination),
      )
      .filter(bloc => [passport, destination].every(code => bloc.members.some(member => member.code === code)))
      .sort((a, b) => a.members.length - b.members.length || (a.id < b.id ? -1 : 1))
    const isCurrent = (bloc: BlocRecord) =>
      [passport, destination].every(code =>
        bloc.members.some(member => member.code === code && isInForce(member, this.#tableDays.at(-1) ?? "")),
      )
    return (treaties.find(isCurrent) ?? treaties[0])?.id ?? null
  }

  /** What people say of a passport on the dataset's day: a code before a bloc before everybody. */
  #findPerson(passport: string, people: readonly PlacedClaim[]): PlacedClaim | undefined {
    const inForce = people.filter(({ rule }) => isInForce(rule, this.#asOf))
    const findWho = (isMeant: (selector: string) => boolean) => inForce.find(({ rule }) => rule.passports.some(isMeant))
    return (
      findWho(selector => selector === passport) ??
      findWho(selector => selector.startsWith("@") && this.#expand(selector).includes(passport)) ??
      findWho(selector => selector === "*")
    )
  }

  /** Judges passports, in the order of codes. `weighed`: the claims that say why they stand against others. */
  #judge(
    record: ClaimsRecord,
    given: {
      readonly statements: ReadonlyMap<string, Statement>
      readonly people: readonly PlacedClaim[]
      readonly weighed: ReadonlyMap<string, PlacedClaim>
      readonly rules: readonly Placed[]
    },
  ): readonly PairCheck[] {
    const { destination } = record
    const values = listTableValues(record)
    const agreements = this.#agreements.filter(({ reaches }) => reaches(destination))
    const tableRules = new Map(
      given.rules.flatMap(placed => placed.rule.passports.map(code => [code, placed] as const)),
    )
    return this.#passports.flatMap((passport): readonly PairCheck[] => {
      if (passport === destination) return []
      const theirs = given.statements.get(passport) ?? null
      const person = this.#findPerson(passport, given.people)
      const isSpecific = person !== undefined && !person.rule.passports.includes("*")
      const decided = isSpecific ? person : (tableRules.get(passport) ?? person)
      const terms = decided?.rule ?? null
      const isReviewed = decided !== undefined && decided === person && isSpecific
      const said = this.#listOpinions(theirs)
      const weighed = given.weighed.get(passport)
      // A person's reason for the table's value is an opinion like those of pages.
      const opinion =
        weighed !== undefined && weighed.page === undefined && isInForce(weighed.claim, this.#asOf) ? weighed : null
      const ofPerson =
        opinion !== null && !isReviewed
          ? [toOpinion(opinion, opinion.claim)]
          : decided !== undefined && decided === person
            ? [toOpinion(person)]
            : []
      // Whoever weighed a claim against what a compiler read did so after that reading.
      const weighedOn =
        weighed !== undefined && (isReviewed || opinion !== null) ? said.map(({ readOn }) => readOn) : []
      const isLater = (day: string | null, than: string | null) => day !== null && (than === null || day > than)
      const opinions = [
        ...ofPerson.map(one => ({ ...one, readOn: weighedOn.reduce((a, b) => (isLater(b, a) ? b : a), one.readOn) })),
        ...said,
      ]
      const ruling = ruleOn({
        opinions,
        values: values.get(passport) ?? [],
        tableDays: this.#tableDays,
        waysOf: word => listOtherWays(record, passport, { requirement: word as Requirement }, this.#asOf),
        treaties: agreements.filter(({ binds }) => binds(passport, destination)),
      })
      const bound = agreements.find(({ id }) => id === ruling.treaty?.id) ?? null
      // A treaty adds nothing to an answer that rests on it already, and nothing where nothing is claimed.
      const isGiven = terms === null || (terms.bloc === bound?.id && terms.days === bound?.days)
      const agreement = isGiven ? null : bound
      const { shown, disputed } = ruling
      const isNews = opinions.length > 0 && shown?.isOfTable === true && shown.opinions.length === 0
      const decidedBy = agreement !== null ? "treaty" : isNews ? "table" : "claim"
      const judge = (outcome: Outcome, reason: string | null = null): readonly PairCheck[] => {
        const contradiction = disputed?.other ?? null
        return [{ passport, ours: terms, theirs, agreement, ruling, decidedBy, contradiction, outcome, reason }]
      }
      if (theirs === null || (isGiven && bound !== null && terms !== null)) return judge("agrees")
      if (theirs.claim.doubt !== undefined) return judge("open", theirs.claim.doubt)
      const outcome = compareTerms(terms, isReviewed, theirs, listOtherWays(record, passport, terms, this.#asOf))
      // What agrees with our claim may still be below a treaty.
      if ((outcome === "agrees" || outcome === "way") && agreement === null) return judge(outcome)
      // What only adds days, an end or a condition to an answer that a claim decides leaves nothing to explain.
      if (outcome === "adds" && decidedBy === "claim") return judge(outcome)
      const review = weighed?.claim.settles ?? (isReviewed ? this.#describeReview(decided) : undefined)
      const news = isNews ? "A rule that began after the page was read says something else." : null
      const reason = agreement === null ? (review ?? news) : "A treaty is in force."
      return judge(reason === null ? outcome : "kept", reason)
    })
  }

  // A statement that is not in force on the dataset's day decides its own days, and nothing on this one.
  #listOpinions(theirs: Statement | null): readonly Opinion[] {
    if (theirs === null || theirs.claim.doubt !== undefined) return []
    const current = [theirs, theirs.next].find(one => one !== null && isInForce(one.claim, this.#asOf))
    return current == null ? [] : [toOpinion(current, current.claim)]
  }

  #corroborate(
    record: ClaimsRecord,
    own: readonly PlacedClaim[],
    checks: readonly PairCheck[],
  ): CorroborationFacts | null {
    const [main] = Object.values(record.pages).filter(({ by }) => by === SECOND_SOURCE)
    const stated = checks.filter((check): check is StatedCheck => check.theirs !== null)
    const silent = record.claims.flatMap(claim =>
      pageOf(record, claim)?.by === SECOND_SOURCE && claim.says === "not_said" ? selectorsOf(claim) : [],
    )
    const all = [
      ...own.flatMap(one => this.#toOpenCheck(one)),
      ...(main === undefined
        ? []
        : [buildCheck({ url: main.url ?? null, on: main.read?.at(-1) ?? this.#asOf }, stated, silent.sort())]),
      ...this.#toTableChecks(checks),
    ]
    return all.length === 0 ? null : { destination: record.destination, checks: all }
  }

  /** What the tables say against the answers that are read, where nothing decides. */
  #toTableChecks(checks: readonly PairCheck[]): readonly CheckFacts[] {
    const disputed = checks.flatMap(({ passport, contradiction }) => {
      const said = contradiction?.isOfTable === true ? readRequirement({ says: contradiction.word }) : null
      return said === null ? [] : [{ passport, requirement: said.word, days: contradiction?.days ?? null }]
    })
    if (disputed.length === 0) return []
    const passports = disputed.map(({ passport }) => passport)
    return [
      {
        source: this.#latest,
        sourceUrl: null,
        checkedOn: this.#tableDays.at(-1) as string,
        says: groupSaid(disputed),
        silent: this.#passports.filter(code => !passports.includes(code)),
        reasons: [{ passports, reason: null, open: true }],
      },
    ]
  }

  #treatyRules(checks: readonly PairCheck[]): readonly Placed[] {
    const bound = Map.groupBy(
      checks.filter(({ agreement }) => agreement !== null),
      ({ agreement }) => agreement as Agreement,
    )
    return [...bound].map(([{ rule, id, isFree }, pairs]) => ({
      rule: { ...rule, passports: pairs.map(({ passport }) => passport) },
      place: isFree ? `blocs ${id}` : `treaties ${id}`,
    }))
  }

  #describeReview(decided: Placed): string {
    const { source, verifiedOn, note } = decided.rule
    const name = (source === null ? undefined : this.#names.get(source)) ?? "no named source"
    const day = verifiedOn === null ? "" : ` on ${verifiedOn}`
    return `Reviewed in another source: ${name}${day}.${note ? ` ${note}` : ""}`
  }

  // Passports with the same terms from the same page share a rule; rules are in the order of ease, then of their text.
  #buildRules(destination: string, checks: readonly PairCheck[]): readonly Placed[] {
    const rules = new Map<string, Placed & { readonly passports: string[] }>()
    const add = (passport: string, rule: Rule, place: string) => {
      const key = JSON.stringify({ ...rule, passports: [] })
      const known = rules.get(key) ?? { rule, place, passports: [] }
      rules.set(key, known)
      known.passports.push(passport)
    }
    for (const { passport, ours, theirs, outcome, decidedBy } of checks) {
      if (theirs === null || decidedBy !== "claim") continue
      if (outcome !== "requirement" && outcome !== "days" && outcome !== "adds") continue
      const days = theirs.rule.days ?? (outcome === "adds" ? (ours?.days ?? null) : null)
      // Days that a page adds to a right by treaty rest on the treaty, as long as both belong to it.
      const isBound = this.#agreements.some(({ id, binds }) => id === ours?.bloc && binds(passport, destination))
      const treaty = outcome === "adds" && isBound ? { basis: ours?.basis ?? null, bloc: ours?.bloc ?? null } : {}
      add(passport, { ...theirs.rule, days, ...treaty }, theirs.place)
      if (theirs.next !== null) add(passport, theirs.next.rule, theirs.next.place)
    }
    return [...rules.entries()]
      .sort(
        ([keyA, { rule: a }], [keyB, { rule: b }]) =>
          easeRank(a.requirement) - easeRank(b.requirement) || (keyA < keyB ? -1 : 1),
      )
      .map(([, { rule, place, passports }]) => ({ rule: { ...rule, passports }, place }))
  }

  #toOpenCheck({ claim, page, rule }: PlacedClaim): readonly CheckFacts[] {
    const { requirement, days, passports } = rule
    if (page === undefined || claim.doubt === undefined) return []
    const reasons = [{ passports, reason: claim.doubt, open: true as const }]
    const checkedOn = page.read?.at(-1) ?? this.#asOf
    const says = [{ requirement, days, passports }]
    return [{ source: page.by, sourceUrl: page.url ?? null, checkedOn, says, reasons }]
  }
}

function toChange(record: ClaimsRecord, claim: Claim): readonly ProvisionFact<"changeLog">[] {
  const page = pageOf(record, claim)
  if (claim.says !== "changed" || page === undefined) return []
  return [
    {
      destinations: [record.destination],
      on: claim.from ?? "",
      change: claim.note ?? "",
      source: page.by,
      sourceUrl: page.url ?? null,
      verifiedOn: page.read?.at(-1) ?? null,
      ...(claim.who === "*" ? {} : { passports: selectorsOf(claim) }),
    },
  ]
}

/** The compiler's statement about one passport. */
interface Statement extends PlacedClaim {
  /** What it says of the time after its own end. */
  readonly next: PlacedClaim | null
}

/** The outcome of comparing a statement with the answer without it. */
type Outcome = "agrees" | "adds" | "days" | "requirement" | "way" | "kept" | "open"

interface PairCheck {
  readonly passport: string
  /** The answer without the compiler. */
  readonly ours: Terms | null
  readonly theirs: Statement | null
  readonly outcome: Outcome
  /** Why our answer stands, with `kept`; the contradiction, with `open`. */
  readonly reason: string | null
  /** How the order of claims comes to the answer. */
  readonly ruling: Ruling
  /** The agreement whose terms decide. */
  readonly agreement: Agreement | null
  readonly decidedBy: "treaty" | "table" | "claim"
  /** What contradicts the answer, where nothing decides between the two. */
  readonly contradiction: Case | null
}

interface StatedCheck extends PairCheck {
  readonly theirs: Statement
}

const isCompiled = ({ page }: PlacedClaim) => page?.by === SECOND_SOURCE

/** Compilers who write down what official pages say. */
const COMPILERS = new Set([SECOND_SOURCE, "multipass-evidence"])

/** The rank of a claim's publisher. What a person read in the press is weighed against what a compiler says of pages. */
function rankOf(page: Page | undefined): Rank {
  if (page !== undefined && COMPILERS.has(page.by))
    return page.publisher === "third_state" ? RANKS.compiler : RANKS.compilerOfPages
  if (page?.publisher === "law") return RANKS.law
  return page === undefined || page.by === PRESS ? RANKS.ownState : RANKS.destination
}

/** The id in sources.json of reports of the press. */
export const PRESS = "press-reports"

/** The last day on which somebody read the page of a claim; one address may stand under two publishers. */
function findReading(record: ClaimsRecord, named: Page | undefined): string | null {
  const isSame = (page: Page) => page === named || (page?.url !== undefined && page.url === named?.url)
  const days = Object.values(record.pages).flatMap(page => (isSame(page) ? (page.read ?? []) : []))
  return days.sort().at(-1) ?? null
}

const toOpinion = ({ rule, place, rank, readOn }: PlacedClaim, claim?: Claim): Opinion => ({
  ...{ word: rule.requirement, days: rule.days, rank, place, from: rule.from, readOn },
  also: claim?.also ?? [],
  isAdvice: rank === RANKS.compiler,
  isWeighed: claim?.settles !== undefined,
})

/** The compiler's statements by passport. */
function readStatements(compiled: readonly PlacedClaim[]): ReadonlyMap<string, Statement> {
  const statements = new Map<string, Statement>()
  for (const one of compiled) {
    for (const passport of one.rule.passports) {
      const known = statements.get(passport)
      statements.set(passport, known === undefined ? { ...one, next: null } : { ...known, next: one })
    }
  }
  return statements
}

// A rule or a policy may name another way to the same entry; the compiler's own remark does not speak for it.
function listOtherWays(
  record: ClaimsRecord,
  passport: string,
  ours: Pick<Terms, "requirement" | "conditions"> | null,
  asOf: string,
): readonly Requirement[] {
  if (ours === null) return []
  const { requirement, conditions = [] } = ours
  const ofPolicy = (record.conditions ?? []).filter(
    ({ requirements, passports, except, ...span }) =>
      isInForce(span, asOf) &&
      (requirements === undefined || requirements.includes(requirement)) &&
      (passports === undefined || passports.includes(passport)) &&
      !except?.includes(passport),
  )
  return [...conditions, ...ofPolicy].flatMap(condition => {
    const isOwn = condition.source === SECOND_SOURCE
    return condition.kind === "also" && !isOwn ? [condition.requirement as Requirement] : []
  })
}

function compareTerms(
  ours: Terms | null,
  isReviewed: boolean,
  theirs: Statement,
  others: readonly Requirement[],
): Outcome {
  if (ours === null) return "requirement"
  const { requirement, basis, days } = ours
  const said = theirs.rule
  if (requirement !== said.requirement) {
    const isWay = theirs.claim.also?.includes(requirement) || others.includes(said.requirement)
    return isWay ? "way" : "requirement"
  }
  const differs = days !== null && said.days !== null && days !== said.days
  if (isReviewed) return basis === null && differs ? "days" : "agrees"
  const addsDays = days === null && said.days !== null
  // A right by treaty is more than any number of days, unless the treaty itself gives them.
  if (basis !== null) return addsDays ? "adds" : "agrees"
  if (differs) return "days"
  const { from, until, conditions } = theirs.claim
  return addsDays || from !== undefined || until !== undefined || conditions !== undefined ? "adds" : "agrees"
}

/** What the compiler says about each passport, as a check of our answers. */
function buildCheck(
  { url, on }: { readonly url: string | null; readonly on: string },
  checks: readonly StatedCheck[],
  silent: readonly string[],
): CheckFacts {
  const said = checks.map(({ passport, ours, theirs, outcome }) => {
    // Of several ways, the one that is also our answer; a way that our rule names besides is taken as the source states it.
    const isOurs = outcome === "way" && ours !== null && theirs.claim.also?.includes(ours.requirement)
    const { requirement, days } = isOurs ? { ...ours, days: null } : theirs.rule
    return { passport, requirement, days }
  })
  const explained = checks.filter(({ reason }) => reason !== null)
  const reasons = sortEntries(Map.groupBy(explained, check => check.reason as string)).map(([reason, pairs]) => ({
    passports: pairs.map(({ passport }) => passport),
    reason,
    ...(pairs[0]?.outcome === "open" ? { open: true as const } : {}),
  }))
  return {
    source: SECOND_SOURCE,
    sourceUrl: url,
    checkedOn: on,
    says: groupSaid(said),
    ...(silent.length === 0 ? {} : { silent }),
    ...(reasons.length === 0 ? {} : { reasons }),
  }
}

/** Groups passports of which the same is said, in the order of ease and days. */
function groupSaid(
  said: readonly { readonly passport: string; readonly requirement: Requirement; readonly days: number | null }[],
): CheckFacts["says"] {
  const groups = Map.groupBy(
    said,
    ({ requirement, days }) => `${easeRank(requirement)} ${String(days ?? "").padStart(4, "0")}`,
  )
  return sortEntries(groups).map(([, pairs]) => {
    const [{ requirement, days }] = pairs as [(typeof said)[number]]
    return { requirement, days, passports: pairs.map(({ passport }) => passport) }
  })
}

const sortEntries = <Value>(map: ReadonlyMap<string, Value>): readonly (readonly [string, Value])[] =>
  [...map].sort(([a], [b]) => (a < b ? -1 : 1))
