/**
 * Why is the answer what it is: which rule decided, and which rules did it beat?
 *
 * Works on the facts themselves, because a compiled dataset keeps answers, not rules. The same ranking decides here as in the
 * compiler, so that an explanation cannot differ from an answer.
 */
import { type EpochDay, FIRST_DAY, parseCivilDate } from "../civil-date.ts"
import { describe, failure, type InputError, type InputIssue, type Result, success } from "../errors.ts"
import type { Facts, Terms } from "./facts.ts"
import {
  type Candidate,
  collectCandidates,
  dayOr,
  HOME_TERMS,
  indexFacts,
  isUncertain,
  RANKS,
  rankCandidates,
} from "./resolve.ts"

/** A rule that covered the pair on the day. */
export interface ExplainedRule {
  /** The destination whose policy holds it. */
  readonly policy: string
  /** Its place in that policy, for example `rules[3]`; `home` for a passport's own country. */
  readonly field: string
  /** The selector that matched the passport: a code, `@BLOC`, `default` or `home`. */
  readonly selector: string
  readonly rank: "home" | "reviewed code" | "reviewed bloc" | "code" | "bloc" | "default"
  readonly terms: Terms
}

/** How a pair's answer came about on a day. */
export interface Explanation {
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

const RANK_NAMES: ReadonlyMap<number, ExplainedRule["rank"]> = new Map([
  [RANKS.default, "default"],
  [RANKS.bloc, "bloc"],
  [RANKS.code, "code"],
  [RANKS.reviewedBloc, "reviewed bloc"],
  [RANKS.reviewedCode, "reviewed code"],
])

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
  const issues = [
    ...(facts.passports.includes(passport)
      ? []
      : [{ path: "passport", message: `${describe(passport)} is not one of the passports of the facts.` }]),
    ...(facts.destinations.some(({ code }) => code === destination)
      ? []
      : [{ path: "destination", message: `${describe(destination)} is not one of the destinations of the facts.` }]),
    ...(day === null || day < dayOr(facts.since, FIRST_DAY)
      ? [
          {
            path: "on",
            message: `${describe(on)} is not a calendar date YYYY-MM-DD from ${facts.since} to 2199-12-31.`,
          },
        ]
      : []),
  ]
  if (day === null || issues.length > 0) return refuse(issues)
  if (passport === destination)
    return success({ ...explainHome(destination), passport, destination, on, follows: null })
  const index = indexFacts(facts)
  const policy = index.policies.get(destination)
  const own = policy === undefined ? [] : rankedRules(index, destination, passport, day)
  const followed = policy?.follows ?? null
  const inherited =
    followed === null
      ? []
      : followed === passport
        ? [explainHome(followed).decided]
        : rankedRules(index, followed, passport, day)
  const [decided = null, ...beaten] = [...own, ...inherited]
  const isOwn = own.length > 0
  return success({
    passport,
    destination,
    on,
    decided,
    beaten,
    follows: decided === null || isOwn ? null : followed,
    uncertain: decided !== null && isUncertain(index, decided.terms, passport, decided.policy, day),
  })
}

function explainHome(country: string) {
  const decided: ExplainedRule = { policy: country, field: "home", selector: "home", rank: "home", terms: HOME_TERMS }
  return { decided, beaten: [], uncertain: false }
}

function rankedRules(
  index: ReturnType<typeof indexFacts>,
  destination: string,
  passport: string,
  day: EpochDay,
): ExplainedRule[] {
  const policy = index.policies.get(destination)
  const candidates = policy === undefined ? [] : (collectCandidates(index, policy).get(passport) ?? [])
  return rankCandidates(candidates, day).map(({ field, selector, rank, terms }: Candidate) => ({
    policy: destination,
    field,
    selector,
    rank: RANK_NAMES.get(rank) as ExplainedRule["rank"],
    terms,
  }))
}
