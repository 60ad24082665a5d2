/**
 * Which of a destination's claims decides for a passport, and what do the others say beside it?
 *
 * Tables are the last resort. What a person read beats them (`reviewed`). What a compiler says of an official page is compared with the
 * answer without it: if both ask the same, the pair is corroborated; if they differ, the page decides, unless a person weighed the two
 * (`settles`) or reviewed the pair in another source; where a claim contradicts itself (`doubt`), nothing decides and the pair is disputed.
 */
import type { CheckFacts, CorroborationFacts, Policy, ProvisionFact, Rule, Terms } from "../../src/compiler.ts"
import { easeRank, type Requirement } from "../../src/engine.ts"
import {
  type Claim,
  type ClaimsRecord,
  isVersioned,
  listTableDays,
  readRequirement,
  type Said,
  selectorsOf,
} from "./claim-records.ts"
import { camelKeys } from "./condition-records.ts"
import type { DataRecords } from "./data-files.ts"
import type { BlocRecord } from "./file-records.ts"

/** The id in sources.json of the compiler whose claims are compared with the others. */
export const SECOND_SOURCE = "travelrequirements"

/** What the claims of a destination come to. */
export interface Answered {
  readonly policy: Policy
  readonly corroboration: CorroborationFacts | null
  readonly changes: readonly ProvisionFact<"changeLog">[]
  /** The claim behind each rule of the policy: `reviewed[3]` to `claims[7]`. */
  readonly places: ReadonlyMap<string, string>
}

/** Answers every destination, in the order of the files. */
export function answerClaims(
  records: Pick<DataRecords, "claims" | "blocs" | "dataset" | "sources" | "tables">,
): readonly Answered[] {
  const context = new Context(records)
  return records.claims.map(record => context.answer(record))
}

/** A rule and the claim that it comes from. */
interface Placed {
  readonly rule: Rule
  readonly place: string
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

type InForce = { readonly from?: string | undefined; readonly until?: string | undefined }

const isInForce = ({ from, until }: InForce, day: string) =>
  (from === undefined || from <= day) && (until === undefined || day < until)

class Context {
  readonly #asOf: string
  readonly #names: ReadonlyMap<string, string>
  readonly #latest: string
  readonly #tableDay: string
  readonly #blocs: readonly BlocRecord[]

  constructor({ dataset, sources, tables, blocs }: Pick<DataRecords, "blocs" | "dataset" | "sources" | "tables">) {
    this.#asOf = dataset.as_of
    this.#names = new Map(sources.map(({ id, name }) => [id, name]))
    this.#latest = tables.latest
    this.#tableDay = listTableDays(tables).at(-1) ?? ""
    this.#blocs = blocs
  }

  answer(record: ClaimsRecord): Answered {
    const claims = record.claims.map((claim, at) => ({ claim, place: `claims[${at}]` }))
    const own = claims.filter(({ claim }) => !isVersioned(record, claim) && readRequirement(claim) !== null)
    const isCompiled = ({ page }: Claim) => page !== undefined && record.pages[page]?.by === SECOND_SOURCE
    const isOpinion = ({ page, settles }: Claim) => page === undefined && settles !== undefined
    const people = own
      .filter(({ claim }) => !isCompiled(claim) && !isOpinion(claim) && claim.doubt === undefined)
      .map(({ claim, place }): Placed => ({ rule: this.#toRule(record, claim), place }))
    const rules = this.#tableRules(record)
    const comparison = this.#compare(record, { people, rules })
    const reviewed = [...people.filter(({ rule }) => !rule.passports.includes("*")), ...comparison.rules]
    const defaults = people.filter(({ rule }) => rule.passports.includes("*"))
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
      corroboration: comparison.corroboration,
      changes: claims.flatMap(({ claim }) => this.#toChange(record, claim)),
      places,
    }
  }

  #toRule(record: ClaimsRecord, claim: Claim): Rule {
    const page = claim.page === undefined ? undefined : record.pages[claim.page]
    const { word, days } = readRequirement(claim) as Said<Requirement>
    return {
      ...TERMS,
      requirement: word,
      days,
      from: claim.from ?? null,
      until: claim.until ?? null,
      basis: (claim.basis ?? null) as Terms["basis"],
      bloc: claim.bloc ?? null,
      ...(claim.conditions === undefined ? {} : { conditions: camelKeys(claim.conditions) as Terms["conditions"] }),
      source: page?.by ?? null,
      sourceUrl: page?.url ?? null,
      verifiedOn: page?.read?.at(-1) ?? null,
      note: page?.by === SECOND_SOURCE ? null : (claim.note ?? null),
      passports: selectorsOf(claim),
    }
  }

  /** What the last table that has a passport says, one rule for each row and treaty. */
  #tableRules({ destination, tables }: ClaimsRecord): readonly Placed[] {
    const lastOf = new Map(tables.flatMap(({ who }, row) => who.split(" ").map(code => [code, row] as const)))
    return tables.flatMap((row, at): readonly Placed[] => {
      const said = readRequirement(row)
      if (said === null) return []
      const { word: requirement, days } = said
      const current = selectorsOf(row).filter(code => lastOf.get(code) === at)
      const treatyOf = (code: string) =>
        requirement === "visa_free" ? this.#findTreaty(code, destination, days) : null
      return [...Map.groupBy(current, treatyOf)].map(([bloc, passports]) => {
        const basis = bloc === null ? null : "freedom_of_movement"
        const rule = { ...TERMS, requirement, days, basis, bloc, source: this.#latest, verifiedOn: null, passports }
        return { rule: rule as Rule, place: `tables[${at}]` }
      })
    })
  }

  // The smallest treaty that both belong to; otherwise the smallest that both belonged to, one of them having left: such an entry still
  // rests on it. Fixed days rest on a treaty only if the treaty gives them.
  #findTreaty(passport: string, destination: string, days: number | null): string | null {
    const treaties = this.#blocs
      .filter(bloc => bloc.freedom_of_movement && (days === null || days === bloc.treaty_days))
      .filter(bloc => [passport, destination].every(code => bloc.members.some(member => member.code === code)))
      .sort((a, b) => a.members.length - b.members.length || (a.id < b.id ? -1 : 1))
    const isCurrent = (bloc: BlocRecord) =>
      [passport, destination].every(code =>
        bloc.members.some(member => member.code === code && isInForce(member, this.#tableDay)),
      )
    return (treaties.find(isCurrent) ?? treaties[0])?.id ?? null
  }

  /** What decides on the dataset's day among what people say and what the table says: a code before a bloc before everybody. */
  #decide(passport: string, people: readonly Placed[], rules: readonly Placed[]): Decided | null {
    const members = (selector: string) =>
      this.#blocs.find(({ id }) => `@${id}` === selector)?.members.filter(member => isInForce(member, this.#asOf)) ?? []
    const matches = [
      (selector: string) => selector === passport,
      (selector: string) => selector.startsWith("@") && members(selector).some(({ code }) => code === passport),
    ]
    const isOn = ({ from, until }: Rule) =>
      isInForce({ from: from ?? undefined, until: until ?? undefined }, this.#asOf)
    for (const isMatch of matches) {
      const found = people.find(({ rule }) => isOn(rule) && rule.passports.some(isMatch))
      if (found !== undefined) return { terms: found.rule, isReviewed: true }
    }
    const found =
      rules.find(({ rule }) => rule.passports.includes(passport)) ??
      people.find(({ rule }) => isOn(rule) && rule.passports.includes("*"))
    return found === undefined ? null : { terms: found.rule, isReviewed: false }
  }

  #compare(
    record: ClaimsRecord,
    { people, rules }: { readonly people: readonly Placed[]; readonly rules: readonly Placed[] },
  ) {
    const { destination } = record
    const { statements, silent, main } = readStatements(record)
    const settled = new Map(
      record.claims.flatMap(claim =>
        claim.settles === undefined ? [] : selectorsOf(claim).map(code => [code, claim.settles] as const),
      ),
    )
    const checks = [...statements.keys()].sort().map((passport): PairCheck => {
      const theirs = statements.get(passport) as Statement
      const decided = this.#decide(passport, people, rules)
      const ours = decided === null ? null : { word: decided.terms.requirement, days: decided.terms.days }
      const pair = { passport, ours, theirs }
      if (theirs.claim.doubt !== undefined) return { ...pair, outcome: "open", reason: theirs.claim.doubt }
      const ways = listOtherWays(record, passport, decided, this.#asOf)
      const outcome = compareTerms(decided, theirs, ways)
      if (outcome === "agrees" || outcome === "adds" || outcome === "way") return { ...pair, outcome, reason: null }
      const reason = settled.get(passport) ?? this.#describeReview(decided)
      return reason === undefined ? { ...pair, outcome, reason: null } : { ...pair, outcome: "kept", reason }
    })
    const byOthers = record.claims.flatMap(claim => this.#toOpenCheck(record, claim))
    const byCompiler =
      main === null ? [] : [buildCheck({ url: main.url ?? null, on: main.read?.at(-1) ?? this.#asOf }, checks, silent)]
    const all = [...byOthers, ...byCompiler]
    return {
      rules: this.#buildRules(record, checks),
      corroboration: all.length === 0 ? null : { destination, checks: all },
    }
  }

  #describeReview(decided: Decided | null): string | undefined {
    if (decided === null || !decided.isReviewed) return undefined
    const { source, verifiedOn, note } = decided.terms
    const name = (source === null ? undefined : this.#names.get(source)) ?? "no named source"
    const day = verifiedOn === null ? "" : ` on ${verifiedOn}`
    return `Reviewed in another source: ${name}${day}.${note ? ` ${note}` : ""}`
  }

  // Passports with the same terms from the same page share a rule; rules are in the order of ease, then of their text.
  #buildRules(record: ClaimsRecord, checks: readonly PairCheck[]): readonly Placed[] {
    const rules = new Map<string, Placed & { readonly passports: string[] }>()
    const add = (passport: string, rule: Rule, place: string) => {
      const key = JSON.stringify({ ...rule, passports: [] })
      const known = rules.get(key)
      if (known === undefined) rules.set(key, { rule, place, passports: [passport] })
      else known.passports.push(passport)
    }
    for (const { passport, ours, theirs, outcome } of checks) {
      if (outcome !== "requirement" && outcome !== "days" && outcome !== "adds") continue
      const days = theirs.days ?? (outcome === "adds" ? (ours?.days ?? null) : null)
      add(passport, { ...this.#toRule(record, theirs.claim), days }, theirs.place)
      if (theirs.next !== null) add(passport, this.#toRule(record, theirs.next), theirs.place)
    }
    return [...rules.entries()]
      .sort(
        ([keyA, { rule: a }], [keyB, { rule: b }]) =>
          easeRank(a.requirement) - easeRank(b.requirement) || (keyA < keyB ? -1 : 1),
      )
      .map(([, { rule, place, passports }]) => ({ rule: { ...rule, passports }, place }))
  }

  #toOpenCheck(record: ClaimsRecord, claim: Claim): readonly CheckFacts[] {
    const page = claim.page === undefined ? undefined : record.pages[claim.page]
    const said = readRequirement(claim)
    if (page === undefined || page.by === SECOND_SOURCE || claim.doubt === undefined || said === null) return []
    const passports = selectorsOf(claim)
    const says = [{ requirement: said.word, days: said.days, passports }]
    const reasons = [{ passports, reason: claim.doubt, open: true as const }]
    const checkedOn = page.read?.at(-1) ?? this.#asOf
    return [{ source: page.by, sourceUrl: page.url ?? null, checkedOn, says, reasons }]
  }

  #toChange(record: ClaimsRecord, claim: Claim): readonly ProvisionFact<"changeLog">[] {
    const page = claim.page === undefined ? undefined : record.pages[claim.page]
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
}

/** What decides without the compiler, and whether a person read it. */
interface Decided {
  readonly terms: Terms
  readonly isReviewed: boolean
}

/** The compiler's statement about one passport. */
interface Statement extends Said<Requirement> {
  readonly claim: Claim
  readonly place: string
  /** What it says of the time after its own end. */
  readonly next: Claim | null
}

/** The outcome of comparing a statement with the answer without it. */
type Outcome = "agrees" | "adds" | "days" | "requirement" | "way" | "kept" | "open"

interface PairCheck {
  readonly passport: string
  readonly ours: Said<Requirement> | null
  readonly theirs: Statement
  readonly outcome: Outcome
  /** Why our answer stands, with `kept`; the contradiction, with `open`. */
  readonly reason: string | null
}

/** The compiler's statements by passport, the passports that it does not mention, and its page with the whole list. */
function readStatements(record: ClaimsRecord) {
  const statements = new Map<string, Statement>()
  const silent: string[] = []
  const [main] = Object.values(record.pages).filter(({ by }) => by === SECOND_SOURCE)
  record.claims.forEach((claim, at) => {
    if (claim.page === undefined || record.pages[claim.page]?.by !== SECOND_SOURCE) return
    const said = readRequirement(claim)
    for (const passport of selectorsOf(claim)) {
      const known = statements.get(passport)
      if (said === null) silent.push(passport)
      else if (known === undefined) statements.set(passport, { ...said, claim, place: `claims[${at}]`, next: null })
      else statements.set(passport, { ...known, next: claim })
    }
  })
  return { statements, silent: silent.sort(), main: main ?? null }
}

// A rule or a policy may name another way to the same entry; the compiler's own remark does not speak for it.
function listOtherWays(
  record: ClaimsRecord,
  passport: string,
  decided: Decided | null,
  asOf: string,
): readonly Requirement[] {
  if (decided === null) return []
  const { requirement, conditions = [] } = decided.terms
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

function compareTerms(decided: Decided | null, theirs: Statement, others: readonly Requirement[]): Outcome {
  if (decided === null) return "requirement"
  const { requirement, basis, days } = decided.terms
  if (requirement !== theirs.word) {
    const isWay = theirs.claim.also?.includes(requirement) || others.includes(theirs.word)
    return isWay ? "way" : "requirement"
  }
  const differs = days !== null && theirs.days !== null && days !== theirs.days
  // A right by treaty is more than any number of days.
  if (basis !== null || decided.isReviewed) return basis === null && differs ? "days" : "agrees"
  if (differs) return "days"
  const { from, until, conditions } = theirs.claim
  const addsDays = days === null && theirs.days !== null
  return addsDays || from !== undefined || until !== undefined || conditions !== undefined ? "adds" : "agrees"
}

/** What the compiler says about each passport, as a check of our answers. */
function buildCheck(
  { url, on }: { readonly url: string | null; readonly on: string },
  checks: readonly PairCheck[],
  silent: readonly string[],
): CheckFacts {
  const says = new Map<string, { requirement: Requirement; days: number | null; passports: string[] }>()
  for (const { passport, ours, theirs, outcome } of checks) {
    // Of several ways, the one that is also our answer; a way that our rule names besides is taken as the source states it.
    const isOurs = outcome === "way" && ours !== null && theirs.claim.also?.includes(ours.word)
    const { word: requirement, days } = isOurs ? { word: ours.word, days: null } : theirs
    const key = `${easeRank(requirement)} ${String(days ?? "").padStart(4, "0")}`
    const known = says.get(key)
    if (known === undefined) says.set(key, { requirement, days, passports: [passport] })
    else known.passports.push(passport)
  }
  const reasons = Map.groupBy(
    checks.filter(({ reason }) => reason !== null),
    check => check.reason as string,
  )
  return {
    source: SECOND_SOURCE,
    sourceUrl: url,
    checkedOn: on,
    says: [...says.keys()].sort().map(key => says.get(key) as CheckFacts["says"][number]),
    ...(silent.length === 0 ? {} : { silent }),
    ...(reasons.size === 0
      ? {}
      : {
          reasons: [...reasons.entries()]
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([reason, pairs]) => ({
              passports: pairs.map(({ passport }) => passport),
              reason,
              ...(pairs[0]?.outcome === "open" ? { open: true as const } : {}),
            })),
        }),
  }
}
