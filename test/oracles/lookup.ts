/**
 * The slow, obvious reading of `data/`: for one pair and one day, walk the claims of the destination and keep the one that decides. Written
 * from docs/data.md, over the raw files; it imports nothing of the engine.
 */
import { readdirSync, readFileSync } from "node:fs"

interface Page {
  by: string
  until?: string
  read: string[]
}
interface Claim {
  page?: string
  says: string
  from?: string
  until?: string
  basis?: string
  bloc?: string
  also?: string[]
  conditions?: Condition[]
  doubt?: string
  settles?: string
  who: string
}
interface Condition {
  kind: string
  requirement?: string
  requirements?: string[]
  passports?: string[]
  except?: string[]
  source?: string | null
}
interface Claims {
  destination: string
  follows?: string
  pages: Record<string, Page>
  conditions?: Condition[]
  claims: Claim[]
  tables: { seen: [string | null, string]; says: string; who: string }[]
}
interface Bloc {
  id: string
  freedom_of_movement: boolean
  treaty_days?: number
  members: { code: string; from?: string; until?: string }[]
}

const readJson = (path: string) => JSON.parse(readFileSync(path, "utf8"))
const readFolder = <A>(folder: string): A[] => readdirSync(folder).map(file => readJson(`${folder}/${file}`))

const claimed = new Map(readFolder<Claims>("data/claims").map(claims => [claims.destination, claims]))
export const oraclePassports: string[] = readJson("data/passports.json").map((row: { code: string }) => row.code)
export const oracleDestinations: string[] = readJson("data/countries.json").map((row: { code: string }) => row.code)
const blocs = readFolder<Bloc>("data/blocs")
const { since, as_of: asOf }: { since: string; as_of: string } = readJson("data/dataset.json")
const { latest, tables }: { latest: string; tables: { on: string }[] } = readJson("data/tables.json")
const tableDay = tables.at(-1)!.on
const COMPILER = "travelrequirements"

const inForce = (dates: { from?: string; until?: string }, day: string) =>
  (dates.from === undefined || dates.from <= day) && (dates.until === undefined || day < dates.until)

/** A claim that names the passport by its code or by a bloc, on a day. */
function names(claim: Claim, passport: string, day: string, kind: "code" | "bloc" | "everybody"): boolean {
  const selectors = claim.who.split(" ")
  if (!inForce(claim, day)) return false
  if (kind === "everybody") return selectors.includes("*")
  if (kind === "code") return selectors.includes(passport)
  return selectors.some(selector =>
    blocs.some(
      ({ id, members }) =>
        `@${id}` === selector && members.some(member => member.code === passport && inForce(member, day)),
    ),
  )
}

const isRequirement = (says: string) => says !== "changed" && !says.startsWith("not_said")
const publisherOf = (record: Claims, claim: Claim) => record.pages[claim.page ?? ""]?.by ?? null
/** Lists of versions are history; a claim in doubt and one that only says why another stands decide nothing. */
const isDeciding = (record: Claims, claim: Claim) =>
  isRequirement(claim.says) &&
  claim.doubt === undefined &&
  record.pages[claim.page ?? ""]?.until === undefined &&
  (claim.page !== undefined || claim.settles === undefined)

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
  const record = claimed.get(destination)
  if (record === undefined) return null
  const own = decide(record, passport, day)
  if (own !== null) return own
  if (record.follows === undefined) return null
  if (record.follows === passport) return { ...home, home: false, basis: "follows", subject: passport }
  const followed = decide(claimed.get(record.follows) as Claims, passport, day)
  return followed === null ? null : { ...followed, basis: "follows", subject: record.follows }
}

interface Ruling {
  says: string
  basis?: string | undefined
  bloc?: string | undefined
  source: string | null
  verifiedOn: string | null
}

function decide(record: Claims, passport: string, day: string): OracleAnswer | null {
  const people = record.claims.filter(claim => isDeciding(record, claim) && publisherOf(record, claim) !== COMPILER)
  const find = (on: string, kind: "code" | "bloc" | "everybody") =>
    people.find(claim => names(claim, passport, on, kind))
  const rule = (claim: Claim | undefined): Ruling | undefined =>
    claim && {
      ...claim,
      source: publisherOf(record, claim),
      verifiedOn: record.pages[claim.page ?? ""]?.read.at(-1) ?? null,
    }
  const table = tableRuling(record, passport)
  const answer =
    rule(find(day, "code")) ??
    rule(correction(record, passport, find(asOf, "code") ?? find(asOf, "bloc"), table, find(asOf, "everybody"), day)) ??
    rule(find(day, "bloc")) ??
    table ??
    rule(find(day, "everybody"))
  if (answer === undefined) return null
  const [requirement = "", days] = answer.says.split(" ")
  const left = (code: string) => {
    const terms = blocs.find(({ id }) => id === answer.bloc)?.members.filter(member => member.code === code) ?? []
    return terms.length > 0 && terms.every(member => member.until !== undefined && member.until <= day)
  }
  return {
    requirement,
    days: days === undefined ? null : Number(days),
    home: false,
    uncertain: answer.basis === "freedom_of_movement" && (left(passport) || left(record.destination)),
    basis: answer.basis ?? null,
    subject: answer.bloc ?? null,
    source: answer.source,
    verifiedOn: answer.verifiedOn,
  }
}

/** What the last table says that has the pair. A free entry between members of one treaty rests on it, the smallest that gives its days. */
function tableRuling({ destination, tables: rows }: Claims, passport: string): Ruling | undefined {
  const says = rows.findLast(({ who }) => who.split(" ").includes(passport))?.says
  if (says === undefined || says === "not_said") return undefined
  const [requirement, days] = says.split(" ")
  const both = (bloc: Bloc, on?: string) =>
    [passport, destination].every(code =>
      bloc.members.some(member => member.code === code && (on === undefined || inForce(member, on))),
    )
  const treaties = blocs
    .filter(bloc => bloc.freedom_of_movement && both(bloc) && (days === undefined || Number(days) === bloc.treaty_days))
    .sort((a, b) => a.members.length - b.members.length || (a.id < b.id ? -1 : 1))
  const bloc = requirement === "visa_free" ? (treaties.find(one => both(one, tableDay)) ?? treaties[0])?.id : undefined
  return { says, basis: bloc && "freedom_of_movement", bloc, source: latest, verifiedOn: null }
}

/** The compiler's claim on a day, if it corrects or completes the answer without it; undefined where that one stands. */
function correction(
  record: Claims,
  passport: string,
  person: Claim | undefined,
  table: Ruling | undefined,
  everybody: Claim | undefined,
  day: string,
): Claim | undefined {
  const theirs = record.claims.filter(
    claim =>
      publisherOf(record, claim) === COMPILER && isRequirement(claim.says) && claim.who.split(" ").includes(passport),
  )
  const [first] = theirs
  if (first === undefined || first.doubt !== undefined) return undefined
  const ours = person ?? table ?? everybody
  const on = theirs.find(claim => inForce(claim, day))
  if (ours === undefined) return on
  const [requirement = "", days] = ours.says.split(" ")
  const [theirRequirement = "", theirDays] = first.says.split(" ")
  const settled = record.claims.some(({ settles, who }) => settles !== undefined && who.split(" ").includes(passport))
  if (person !== undefined || settled) {
    // A person's answer stands; so does one that is weighed, unless the page only adds to it.
    if (person !== undefined || requirement !== theirRequirement || days !== theirDays) return undefined
  }
  if (requirement !== theirRequirement) {
    const ways = [...((ours as Claim).conditions ?? []), ...(record.conditions ?? [])].filter(
      condition =>
        condition.kind === "also" &&
        condition.source !== COMPILER &&
        (condition.requirements?.includes(requirement) ?? true) &&
        (condition.passports?.includes(passport) ?? true) &&
        !condition.except?.includes(passport),
    )
    const isWay = first.also?.includes(requirement) || ways.some(way => way.requirement === theirRequirement)
    return isWay ? undefined : on
  }
  if (ours.basis !== undefined) return undefined
  const addsDays = days === undefined && theirDays !== undefined
  const differs = days !== undefined && theirDays !== undefined && days !== theirDays
  if (
    !addsDays &&
    !differs &&
    first.from === undefined &&
    first.until === undefined &&
    first.conditions === undefined
  ) {
    return undefined
  }
  // What only adds an end or a condition keeps our days.
  if (theirDays === undefined && days !== undefined && on === first) return { ...first, says: ours.says }
  return on
}
