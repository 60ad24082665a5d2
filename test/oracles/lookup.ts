/**
 * The slow, obvious reading of the facts: for one pair and one day, walk the policy's rules and keep the most specific one. Written from
 * docs/data-rules.md, over the rules that the claims of `data/` come to; it imports nothing of the engine.
 */
import { readFileSync } from "node:fs"
import { Result } from "effect"
import { readDataRecords, toFacts } from "../../adapters/data-files/read-facts.ts"

interface Rule {
  readonly requirement: string
  readonly days: number | null
  readonly from: string | null
  readonly until: string | null
  readonly basis: string | null
  readonly bloc: string | null
  readonly source: string | null
  readonly verifiedOn: string | null
  readonly passports?: readonly string[]
}
interface Policy {
  readonly destination: string
  readonly follows: string | null
  readonly defaults: readonly Rule[]
  readonly rules: readonly Rule[]
  readonly reviewed: readonly Rule[]
}

const readJson = (path: string) => JSON.parse(readFileSync(path, "utf8"))

const facts = toFacts(Result.getOrThrow(readDataRecords("data")))
const oraclePolicies = new Map(facts.policies.map((policy): [string, Policy] => [policy.destination, policy]))
export const oraclePassports: string[] = readJson("data/passports.json").map((row: { code: string }) => row.code)
export const oracleDestinations: string[] = readJson("data/countries.json").map((row: { code: string }) => row.code)
const blocs = new Map(facts.blocs.map(bloc => [bloc.id, bloc]))
const since: string = readJson("data/dataset.json").since

type Dates = { readonly from: string | null; readonly until: string | null }

const inForce = ({ from, until }: Dates, day: string) =>
  (from === null || from <= day) && (until === null || day < until)

function matches(rule: Rule, passport: string, day: string, kind: "code" | "bloc"): boolean {
  if (!inForce(rule, day)) return false
  if (kind === "code") return rule.passports?.includes(passport) ?? false
  return (rule.passports ?? []).some(
    selector =>
      selector.startsWith("@") &&
      blocs.get(selector.slice(1))?.members.some(member => member.code === passport && inForce(member, day)),
  )
}

export interface OracleAnswer {
  requirement: string
  days: number | null
  home: boolean
  uncertain: boolean
  basis: string | null
  subject: string | null
  source: string | null
  verifiedOn: string | null
}

export function lookupByWalking(passport: string, destination: string, day: string): OracleAnswer | null {
  if (day < since) return null
  const home = { requirement: "visa_free", days: null, home: true, uncertain: false, source: null, verifiedOn: null }
  if (passport === destination) return { ...home, basis: "home", subject: null }
  const policy = oraclePolicies.get(destination)
  if (policy === undefined) return null
  const own = decide(policy, passport, day)
  if (own !== null) return own
  if (policy.follows === null) return null
  if (policy.follows === passport) return { ...home, home: false, basis: "follows", subject: passport }
  const followed = decide(oraclePolicies.get(policy.follows) as Policy, passport, day)
  return followed === null ? null : { ...followed, basis: "follows", subject: policy.follows }
}

function decide(policy: Policy, passport: string, day: string): OracleAnswer | null {
  const rule =
    policy.reviewed.find(candidate => matches(candidate, passport, day, "code")) ??
    policy.reviewed.find(candidate => matches(candidate, passport, day, "bloc")) ??
    policy.rules.find(candidate => matches(candidate, passport, day, "code")) ??
    policy.rules.find(candidate => matches(candidate, passport, day, "bloc")) ??
    policy.defaults.find(candidate => inForce(candidate, day))
  if (rule === undefined) return null
  const left = (code: string) => {
    const terms = blocs.get(rule.bloc ?? "")?.members.filter(member => member.code === code) ?? []
    return terms.length > 0 && terms.every(member => member.until !== null && member.until <= day)
  }
  return {
    requirement: rule.requirement,
    days: rule.days,
    home: false,
    uncertain: rule.basis === "freedom_of_movement" && (left(passport) || left(policy.destination)),
    basis: rule.basis,
    subject: rule.bloc,
    source: rule.source,
    verifiedOn: rule.verifiedOn,
  }
}
