/**
 * The slow, obvious reading of `data/`: for one pair and one day, walk the policy's rules and keep the most specific one. Written
 * from docs/data.md, over the raw files; it imports nothing of the engine.
 */
import { readdirSync, readFileSync } from "node:fs"

interface Rule {
  requirement: string
  days?: number
  from?: string
  until?: string
  basis?: string
  bloc?: string
  source: string | null
  verified_on: string | null
  passports?: string[]
}
interface Policy {
  destination: string
  follows?: string
  default: Rule[]
  rules: Rule[]
  reviewed?: Rule[]
}
interface Bloc {
  id: string
  members: { code: string; from?: string; until?: string }[]
}

const readJson = (path: string) => JSON.parse(readFileSync(path, "utf8"))
const readFolder = <A>(folder: string): A[] => readdirSync(folder).map(file => readJson(`${folder}/${file}`))

const oraclePolicies = new Map(readFolder<Policy>("data/policies").map(policy => [policy.destination, policy]))
export const oraclePassports: string[] = readJson("data/passports.json").map((row: { code: string }) => row.code)
export const oracleDestinations: string[] = readJson("data/countries.json").map((row: { code: string }) => row.code)
const blocs = new Map(readFolder<Bloc>("data/blocs").map(bloc => [bloc.id, bloc]))
const since: string = readJson("data/dataset.json").since

// In the rules of an imported table a bloc means whoever was a member on the table's day.
const snapshots = new Map<string, string>(
  readJson("data/sources.json")
    .filter((source: { imported?: boolean }) => source.imported === true)
    .map((source: { id: string; retrieved_on: string }) => [source.id, source.retrieved_on]),
)

const inForce = (dates: { from?: string; until?: string }, day: string) =>
  (dates.from === undefined || dates.from <= day) && (dates.until === undefined || day < dates.until)

function matches(rule: Rule, passport: string, day: string, kind: "code" | "bloc"): boolean {
  if (!inForce(rule, day)) return false
  if (kind === "code") return rule.passports?.includes(passport) ?? false
  return (rule.passports ?? []).some(
    selector =>
      selector.startsWith("@") &&
      blocs
        .get(selector.slice(1))
        ?.members.some(member => member.code === passport && inForce(member, snapshots.get(rule.source ?? "") ?? day)),
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
  if (policy.follows === undefined) return null
  if (policy.follows === passport) return { ...home, home: false, basis: "follows", subject: passport }
  const followed = decide(oraclePolicies.get(policy.follows) as Policy, passport, day)
  return followed === null ? null : { ...followed, basis: "follows", subject: policy.follows }
}

function decide(policy: Policy, passport: string, day: string): OracleAnswer | null {
  const rule =
    policy.reviewed?.find(candidate => matches(candidate, passport, day, "code")) ??
    policy.reviewed?.find(candidate => matches(candidate, passport, day, "bloc")) ??
    policy.rules.find(candidate => matches(candidate, passport, day, "code")) ??
    policy.rules.find(candidate => matches(candidate, passport, day, "bloc")) ??
    policy.default.find(candidate => inForce(candidate, day))
  if (rule === undefined) return null
  const left = (code: string) => {
    const terms = blocs.get(rule.bloc ?? "")?.members.filter(member => member.code === code) ?? []
    return terms.length > 0 && terms.every(member => member.until !== undefined && member.until <= day)
  }
  return {
    requirement: rule.requirement,
    days: rule.days ?? null,
    home: false,
    uncertain: rule.basis === "freedom_of_movement" && (left(passport) || left(policy.destination)),
    basis: rule.basis ?? null,
    subject: rule.bloc ?? null,
    source: rule.source,
    verifiedOn: rule.verified_on,
  }
}
