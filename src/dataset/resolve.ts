/**
 * Which rule decides for a passport on a day, and which rules does it beat?
 *
 * The most specific rule wins: a code beats a bloc, a bloc beats the default, and a reviewed rule beats every rule that is not. A territory that follows another destination takes that
 * destination's answer where it has no rule of its own. Compiling and explaining both use this file, so that an explanation can never differ from an answer. Rules must have been checked
 * before.
 */
import { type EpochDay, FIRST_DAY, LAST_DAY, parseCivilDate } from "../civil-date.ts"
import { describe, failure, type InputError, type InputIssue, type Result, success } from "../errors.ts"
import type { Membership, Terms } from "../rules/provision-kinds.ts"
import { type Blocs, blocsOf, expandScope } from "../rules/provisions.ts"
import type { Facts, Policy } from "./facts.ts"

/** How specific a rule is: its rank is its place here, and the greater wins. */
const RANK_NAMES = ["home", "default", "bloc", "code", "reviewed bloc", "reviewed code"] as const

/** A rule that covers a passport, for some days. */
export interface Candidate {
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
export const END_OF_DAYS: EpochDay = LAST_DAY + 1

/** Reads a date of the facts; `absent` if there is none. */
export function dayOr(text: string | null, absent: EpochDay): EpochDay {
  return text === null ? absent : (parseCivilDate(text) ?? absent)
}

type Span = Pick<Terms, "from" | "until">

/** Says whether two spans of days have a day in common. */
export function overlaps(one: Span, other: Span): boolean {
  // Dates of one form are in the order of their texts.
  return (
    (one.until === null || other.from === null || other.from < one.until) &&
    (other.until === null || one.from === null || one.from < other.until)
  )
}

/** Says whether two rules have the same requirement, stay and basis. */
export function sameAnswer(one: Terms, other: Terms): boolean {
  return (
    one.requirement === other.requirement &&
    one.days === other.days &&
    one.basis === other.basis &&
    one.bloc === other.bloc
  )
}

/** Facts with frequently used ones by name. */
export interface FactsIndex {
  readonly facts: Facts
  readonly blocs: Blocs
  readonly policies: ReadonlyMap<string, Policy>
  /** The day of each imported table, by source. */
  readonly snapshots: ReadonlyMap<string, EpochDay>
}

/** Indexes facts by the names of their records. */
export function indexFacts(facts: Facts): FactsIndex {
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
export const HOME_TERMS: Terms = Object.freeze({
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
export const isMemberOn =
  (day: EpochDay) =>
  ({ from, until }: Membership): boolean =>
    dayOr(from, FIRST_DAY) <= day && day < dayOr(until, END_OF_DAYS)

// The members of each bloc on a day, without the days of their membership.
const membersOn = (blocs: Blocs, day: EpochDay): Blocs =>
  new Map(
    [...blocs].map(([selector, members]) => [
      selector,
      members.filter(isMemberOn(day)).map(member => ({ ...member, from: null, until: null })),
    ]),
  )

/** A pair, and every rule that covers it on some day. */
export interface Pair {
  readonly destination: string
  readonly passport: string
  readonly candidates: readonly Candidate[]
  /** Those of the followed destination. */
  readonly inherited: readonly Candidate[]
  readonly followed: string | null
}

/** Collects what the pairs of a destination rest on; returns them by passport. */
export function collectPairs(index: FactsIndex, destination: string): (passport: string) => Pair {
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
export interface Covering {
  readonly country: string
  readonly terms: Terms
  /** Null for the country's own citizens, who need no rule. */
  readonly candidate: Candidate | null
}

/** Lists the rules that cover a pair on a day, the one that decides first: the destination's own, then those of the destination that it follows. */
export function listCovering(
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
export function isUncertain(
  index: FactsIndex,
  terms: Terms,
  passport: string,
  destination: string,
  day: EpochDay,
): boolean {
  if (terms.basis !== "freedom_of_movement" || terms.bloc === null) return false
  return departures(index, terms.bloc, [passport, destination]).some(left => left <= day)
}

/** The days on which any of some countries left a bloc for good. */
export function departures(index: FactsIndex, bloc: string, codes: readonly string[]): EpochDay[] {
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
    return refuse([{ path: "facts", message: "They have another shape than facts that were compiled." }])
  }
}

function refuse(issues: readonly InputIssue[]): Result<never, InputError> {
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
  if (day === null || issues.length > 0) return refuse(issues)
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
