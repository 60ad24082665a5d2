/**
 * Which rule decides for a passport on a day, and which rules does it beat?
 *
 * The most specific rule wins: a code beats a bloc, a bloc beats the default, and a reviewed rule beats every rule that is not. A territory that follows another destination takes that
 * destination's answer where it has no rule of its own. Compiling and explaining both use this file, so that an explanation can never differ from an answer. Rules must have been checked
 * before.
 */
import { type EpochDay, FIRST_DAY, LAST_DAY, parseCivilDate } from "../civil-date.ts"
import type { Bloc, Facts, Membership, Policy, Terms } from "./facts.ts"

/** How specific a rule is; the greater wins. */
export const RANKS = { default: 1, bloc: 2, code: 3, reviewedBloc: 4, reviewedCode: 5 } as const

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
  readonly blocs: ReadonlyMap<string, Bloc>
  readonly policies: ReadonlyMap<string, Policy>
  /** The day of each imported table, by source. */
  readonly snapshots: ReadonlyMap<string, EpochDay>
}

/** Indexes facts by the names of their records. */
export function indexFacts(facts: Facts): FactsIndex {
  return {
    facts,
    blocs: new Map(facts.blocs.map(bloc => [bloc.id, bloc])),
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
export function collectCandidates(index: FactsIndex, policy: Policy): ReadonlyMap<string, readonly Candidate[]> {
  const candidates = new Map<string, Candidate[]>(index.facts.passports.map(code => [code, []]))
  const add = (code: string, candidate: Candidate) => {
    if (candidate.fromDay < candidate.untilDay) candidates.get(code)?.push(candidate)
  }
  const lists = [
    { name: "reviewed", rules: policy.reviewed, code: RANKS.reviewedCode, bloc: RANKS.reviewedBloc },
    { name: "rules", rules: policy.rules, code: RANKS.code, bloc: RANKS.bloc },
  ]
  for (const list of lists) {
    list.rules.forEach((rule, place) => {
      const fromDay = dayOr(rule.from, FIRST_DAY)
      const untilDay = dayOr(rule.until, END_OF_DAYS)
      const field = `${list.name}[${place}]`
      for (const selector of rule.passports) {
        const base = { terms: rule, selector, field, fromDay, untilDay }
        if (!selector.startsWith("@")) {
          add(selector, { ...base, rank: list.code })
          continue
        }
        // An imported table says what held for the members' passports, so a member that leaves the bloc later keeps it.
        const snapshot = rule.source === null ? undefined : index.snapshots.get(rule.source)
        for (const member of index.blocs.get(selector.slice(1))?.members ?? []) {
          const joined = dayOr(member.from, FIRST_DAY)
          const left = dayOr(member.until, END_OF_DAYS)
          if (snapshot !== undefined) {
            if (joined <= snapshot && snapshot < left) add(member.code, { ...base, rank: list.bloc })
            continue
          }
          add(member.code, {
            ...base,
            rank: list.bloc,
            fromDay: Math.max(fromDay, joined),
            untilDay: Math.min(untilDay, left),
          })
        }
      }
    })
  }
  policy.defaults.forEach((terms, place) => {
    const fromDay = dayOr(terms.from, FIRST_DAY)
    const untilDay = dayOr(terms.until, END_OF_DAYS)
    for (const code of index.facts.passports) {
      add(code, { terms, rank: RANKS.default, selector: "default", field: `default[${place}]`, fromDay, untilDay })
    }
  })
  return candidates
}

/** The rules in force on a day, the one that decides first. */
export function rankCandidates(candidates: readonly Candidate[], day: EpochDay): readonly Candidate[] {
  return candidates
    .filter(candidate => candidate.fromDay <= day && day < candidate.untilDay)
    .sort((a, b) => b.rank - a.rank)
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
  const members = index.blocs.get(bloc)?.members ?? []
  return codes.flatMap(code => {
    const ends = members.filter((member: Membership) => member.code === code)
    return ends.length > 0 && ends.every(member => member.until !== null)
      ? [Math.max(...ends.map(member => dayOr(member.until, END_OF_DAYS)))]
      : []
  })
}
