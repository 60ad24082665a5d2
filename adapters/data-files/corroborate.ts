/**
 * Where does a second, newer source agree with our rules, and what decides if it does not?
 *
 * Each passport that the source mentions is compared with the answer of our own rules without it. If both have the same requirement, the
 * pair is corroborated. If they differ, the source's official page decides, as a reviewed rule, unless the file gives a reason to keep our
 * answer or a person has already reviewed the pair. Every pair has one outcome. The same records always give the same rules, whether rules
 * of an earlier run are in the policies or not.
 */
import {
  compileFacts,
  type ExplainedRule,
  explainRequirement,
  type Facts,
  type FactsError,
} from "../../src/compiler.ts"
import { type Dataset, describePair, easeRank, openParts, type Requirement } from "../../src/engine.ts"
import type { CorroborationRecord } from "./condition-records.ts"
import type { DataRecords } from "./data-files.ts"
import type { PolicyRecord, RuleRecord } from "./file-records.ts"
import { toFacts } from "./read-facts.ts"
import type { SecondSource, Statement } from "./second-source.ts"

/** The id in sources.json that reviewed rules and checks of the second source name. No rule written by a person names it. */
export const SECOND_SOURCE = "travelrequirements"

/** The outcome of a pair that the source mentions. */
export type Outcome =
  /** Both ask the same. */
  | "agrees"
  /** Both ask the same, and the source adds days, an end or a condition. */
  | "adds"
  /** Both ask the same, for another number of days: the source decides. */
  | "days"
  /** They ask different things: the source decides. */
  | "requirement"
  /** Ours is another of the ways that the source names, or we name its way beside ours (`also`). */
  | "way"
  /** They differ, and our answer stands. */
  | "kept"
  /** The source contradicts itself or another one: nothing decides, and the pair is shown as disputed. */
  | "open"

/** A requirement and the days of stay that it gives. */
export interface Terms {
  readonly requirement: Requirement
  readonly days: number | null
}

/** One pair that the source mentions. */
export interface PairCheck {
  readonly passport: string
  readonly destination: string
  /** The answer of our rules without the source; null if there is none. */
  readonly ours: Terms | null
  readonly theirs: Statement
  readonly outcome: Outcome
  /** Why our answer stands, with the outcome `kept`; the contradiction, with `open`. */
  readonly reason: string | null
}

export interface DestinationCheck {
  readonly source: SecondSource
  readonly checks: readonly PairCheck[]
  /** The policy with the rules that follow from it. */
  readonly policy: PolicyRecord
  readonly corroboration: CorroborationRecord
}

/** Removes the rules that earlier runs wrote. */
function withoutSecondSource(policy: PolicyRecord): PolicyRecord {
  const { reviewed, ...rest } = policy
  const kept = reviewed?.filter(rule => rule.source !== SECOND_SOURCE) ?? []
  return kept.length === 0 ? rest : { ...rest, reviewed: kept }
}

/** Compares every source with the records, in the order of destinations; or says why the records do not compile. */
export function corroborate(
  records: DataRecords,
  sources: readonly SecondSource[],
):
  | { readonly ok: true; readonly value: readonly DestinationCheck[] }
  | { readonly ok: false; readonly error: FactsError } {
  const spoken = new Set(sources.map(source => source.record.destination))
  const policies = records.policies.map(policy =>
    spoken.has(policy.destination) ? withoutSecondSource(policy) : policy,
  )
  const facts = toFacts({ ...records, policies, corroboration: [] })
  const compiled = compileFacts(facts)
  if (!compiled.ok) return compiled
  const opened = openParts(compiled.value)
  if (!opened.ok) throw new Error(opened.error.message)
  const policyOf = new Map(policies.map(policy => [policy.destination, policy]))
  const value = sources
    .toSorted((a, b) => (a.record.destination < b.record.destination ? -1 : 1))
    .map(source =>
      checkDestination(
        { facts, dataset: opened.value },
        source,
        policyOf.get(source.record.destination) as PolicyRecord,
      ),
    )
  return { ok: true, value }
}

/** Our records without the source: as they were written, and compiled. */
interface Ours {
  readonly facts: Facts
  readonly dataset: Dataset
}

function checkDestination(ours: Ours, source: SecondSource, policy: PolicyRecord): DestinationCheck {
  const { destination } = source.record
  const checks = [...source.statements.keys()]
    .filter(passport => passport !== destination)
    .sort()
    .map(passport => checkPair(ours, source, passport))
  const rules = buildRules(checks, source)
  const reviewed = [...(policy.reviewed ?? []), ...rules]
  const { reviewed: _, ...rest } = policy
  return {
    source,
    checks,
    policy: reviewed.length === 0 ? rest : { ...rest, reviewed },
    corroboration: buildCorroboration(source, checks),
  }
}

function checkPair({ facts, dataset }: Ours, source: SecondSource, passport: string): PairCheck {
  const { destination } = source.record
  const theirs = source.statements.get(passport) as Statement
  const explained = explainRequirement(facts, passport, destination, facts.asOf)
  const decided = explained.ok ? explained.value.decided : null
  const ours = decided === null ? null : { requirement: decided.terms.requirement, days: decided.terms.days }
  const pair = { passport, destination, ours, theirs }
  if (theirs.unsettled !== null) return { ...pair, outcome: "open", reason: theirs.unsettled }
  const outcome = compareTerms(decided, theirs, () => listOtherWays(dataset, passport, destination))
  if (outcome === "agrees" || outcome === "adds" || outcome === "way") return { ...pair, outcome, reason: null }
  const reason = source.kept.get(passport) ?? describeReview(facts, decided)
  return reason === undefined ? { ...pair, outcome, reason: null } : { ...pair, outcome: "kept", reason }
}

function listOtherWays(dataset: Dataset, passport: string, destination: string): readonly Requirement[] {
  const pair = describePair(dataset, passport, destination)
  if (pair.kind !== "found") return []
  return pair.conditions.flatMap(condition =>
    condition.kind === "also" && condition.source?.id !== SECOND_SOURCE ? condition.requirement : [],
  )
}

function compareTerms(
  decided: ExplainedRule | null,
  theirs: Statement,
  listOthers: () => readonly Requirement[],
): Outcome {
  if (decided === null) return "requirement"
  if (decided.terms.requirement !== theirs.requirement) {
    const isWay = theirs.ways.includes(decided.terms.requirement) || listOthers().includes(theirs.requirement)
    return isWay ? "way" : "requirement"
  }
  const { basis, days } = decided.terms
  // A right by treaty is more than any number of days.
  if (basis !== null || isReviewed(decided)) {
    return basis === null && days !== null && theirs.days !== null && days !== theirs.days ? "days" : "agrees"
  }
  if (days !== null && theirs.days !== null && days !== theirs.days) return "days"
  const { from, until, conditions } = theirs.group
  const addsDays = days === null && theirs.days !== null
  return addsDays || from !== undefined || until !== undefined || conditions !== undefined ? "adds" : "agrees"
}

function isReviewed({ rank }: ExplainedRule): boolean {
  return rank === "reviewed code" || rank === "reviewed bloc"
}

function describeReview(facts: Facts, decided: ExplainedRule | null): string | undefined {
  if (decided === null || !isReviewed(decided)) return undefined
  const { source, verifiedOn, note } = decided.terms
  const name = facts.sources.find(({ id }) => id === source)?.name ?? "no named source"
  const day = verifiedOn === null ? "" : ` on ${verifiedOn}`
  return `Reviewed in another source: ${name}${day}.${note ? ` ${note}` : ""}`
}

// Passports with the same terms from the same page share a rule; rules are in the order of ease, then of their text.
function buildRules(checks: readonly PairCheck[], source: SecondSource): RuleRecord[] {
  const rules = new Map<string, RuleRecord & { passports: string[] }>()
  const add = (passport: string, rule: Omit<RuleRecord, "passports">) => {
    const key = JSON.stringify(rule)
    const known = rules.get(key)
    if (known === undefined) rules.set(key, { ...rule, passports: [passport] })
    else known.passports.push(passport)
  }
  for (const { passport, ours, theirs, outcome } of checks) {
    if (outcome === "agrees" || outcome === "way" || outcome === "kept" || outcome === "open") continue
    const { from, until, afterwards, conditions } = theirs.group
    const provenance = {
      source: SECOND_SOURCE,
      source_url: theirs.page,
      verified_on: source.record.policy_source.last_verified,
    }
    const days = theirs.days ?? (outcome === "adds" ? (ours?.days ?? null) : null)
    add(passport, {
      requirement: theirs.requirement,
      ...(days === null ? {} : { days }),
      ...(from === undefined ? {} : { from }),
      ...(until === undefined ? {} : { until }),
      ...(conditions === undefined ? {} : { conditions }),
      ...provenance,
    })
    if (until !== undefined && afterwards !== undefined) {
      const daysThen =
        afterwards.requirement === "visa_required" || afterwards.requirement === "no_admission"
          ? null
          : (afterwards.days ?? days)
      add(passport, {
        requirement: afterwards.requirement,
        ...(daysThen === null ? {} : { days: daysThen }),
        from: until,
        ...provenance,
      })
    }
  }
  return [...rules.entries()]
    .sort(
      ([keyA, a], [keyB, b]) =>
        easeRank(a.requirement as Requirement) - easeRank(b.requirement as Requirement) || (keyA < keyB ? -1 : 1),
    )
    .map(([, rule]) => rule)
}

function buildCorroboration(source: SecondSource, checks: readonly PairCheck[]): CorroborationRecord {
  const { record } = source
  const says = new Map<string, { requirement: string; days?: number; passports: string[] }>()
  for (const { passport, ours, theirs, outcome } of checks) {
    // Of several ways, the one that is also our answer; a way that our rule names besides is taken as the source states it.
    const isOurs = outcome === "way" && ours !== null && theirs.ways.includes(ours.requirement)
    const said = isOurs ? { requirement: ours.requirement, days: null } : theirs
    const key = `${easeRank(said.requirement)} ${String(said.days ?? "").padStart(4, "0")}`
    const days = said.days === null ? {} : { days: said.days }
    const known = says.get(key)
    if (known === undefined) says.set(key, { requirement: said.requirement, ...days, passports: [passport] })
    else known.passports.push(passport)
  }
  const reasons = Map.groupBy(
    checks.filter(({ reason }) => reason !== null),
    check => check.reason as string,
  )
  const silent = [...source.silent.keys()].filter(passport => passport !== record.destination).sort()
  return {
    destination: record.destination,
    checks: [
      {
        source: SECOND_SOURCE,
        source_url: record.policy_source.url,
        checked_on: record.policy_source.last_verified,
        says: [...says.keys()].sort().map(key => says.get(key) as { requirement: string; passports: string[] }),
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
      },
    ],
  }
}
