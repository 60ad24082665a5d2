/**
 * How does a table of pairs become policies that a person can review?
 *
 * For each destination the most common answer becomes the default, and blocs replace their members if that makes the file shorter; a
 * passport that differs from its bloc is named by its code. A visa-free entry without a fixed stay between two countries of one
 * freedom-of-movement treaty gets that treaty as its basis. The same table always gives the same files, and texts that people wrote
 * (reviewed rules, notes) stay unchanged.
 */
import { type EpochDay, easeRank, parseCivilDate, type Requirement } from "../../src/engine.ts"
import type { BlocRecord, PolicyRecord, RuleRecord, TermsRecord } from "./file-records.ts"
import type { TablePair } from "./import-table.ts"

/** The importer's input besides the table. */
export interface ImportContext {
  /** The day of the table: membership of blocs is taken as it was then. */
  readonly snapshotDay: EpochDay
  /** Id of the table in sources.json. */
  readonly source: string
  readonly passports: readonly string[]
  readonly blocs: readonly BlocRecord[]
  /** Policies that exist already, by destination. */
  readonly existing: ReadonlyMap<string, PolicyRecord>
}

// A bloc has to save this many lines to be worth reading.
const LEAST_GAIN = 2

/** Turns the pairs of a table into policies, one for each destination that the table covers, in the order of codes. */
export function buildPolicies(pairs: readonly TablePair[], context: ImportContext): PolicyRecord[] {
  const byDestination = Map.groupBy(pairs, pair => pair.destination)
  return [...byDestination.keys()].sort().map(destination => {
    const rows = byDestination.get(destination) ?? []
    return buildPolicy(destination, rows, context)
  })
}

type Wanted = Omit<TermsRecord, "source" | "verified_on" | "from" | "until" | "note">

function buildPolicy(destination: string, rows: readonly TablePair[], context: ImportContext): PolicyRecord {
  const membersOf = new Map(context.blocs.map(bloc => [bloc.id, membersOn(bloc, context.snapshotDay)]))
  const wanted = new Map(rows.map(row => [row.passport, writeWantedAnswer(row, context.blocs, membersOf)]))
  const others = context.passports.filter(code => code !== destination)
  // A default would also answer for passports that the table leaves out.
  const isWhole = others.every(code => wanted.has(code))
  // An entry by treaty cannot be the default: it would name a treaty for countries outside it.
  const fallback = isWhole ? mostFrequent([...wanted.values()].filter(answer => !answer.includes('"bloc"'))) : null
  const chosen = chooseBlocs(wanted, fallback, membersOf, others)

  const selectors = new Map<string, string[]>()
  const select = (answer: string, selector: string) =>
    selectors.set(answer, [...(selectors.get(answer) ?? []), selector])
  for (const [bloc, answer] of chosen) select(answer, `@${bloc}`)
  for (const [passport, answer] of wanted) {
    const fromBlocs = new Set(chosen.filter(([bloc]) => membersOf.get(bloc)?.has(passport)).map(([, given]) => given))
    const given = fromBlocs.size > 1 ? null : ([...fromBlocs][0] ?? fallback)
    if (given !== answer) select(answer, passport)
  }

  const provenance = { source: context.source, verified_on: null }
  const rules: RuleRecord[] = [...selectors.keys()].sort(compareAnswers).map(answer => ({
    ...(JSON.parse(answer) as Wanted),
    ...provenance,
    passports: (selectors.get(answer) ?? []).sort(),
  }))
  const before = context.existing.get(destination)
  return {
    destination,
    ...(before?.follows === undefined ? {} : { follows: before.follows }),
    ...(before?.note === undefined ? {} : { note: before.note }),
    default: fallback === null ? [] : [{ ...(JSON.parse(fallback) as Wanted), ...provenance }],
    rules,
    ...(before?.reviewed === undefined ? {} : { reviewed: before.reviewed }),
    ...(before?.conditions === undefined ? {} : { conditions: before.conditions }),
  }
}

function membersOn(bloc: BlocRecord, day: EpochDay): ReadonlySet<string> {
  const current = bloc.members.filter(member => {
    const from = member.from === undefined ? null : parseCivilDate(member.from)
    const until = member.until === undefined ? null : parseCivilDate(member.until)
    return (from === null || from <= day) && (until === null || day < until)
  })
  return new Set(current.map(member => member.code))
}

// The answer as text, with its keys in one order, so that equal answers are equal strings.
function writeWantedAnswer(
  row: TablePair,
  blocs: readonly BlocRecord[],
  membersOf: ReadonlyMap<string, ReadonlySet<string>>,
): string {
  const treaty = findTreaty(row, blocs, membersOf)
  return JSON.stringify({
    requirement: row.requirement,
    ...(row.days === null ? {} : { days: row.days }),
    ...(treaty === null ? {} : { basis: "freedom_of_movement", bloc: treaty }),
  })
}

// Returns the smallest treaty that both belong to; otherwise the smallest that both belonged to, one of them having left: such an entry
// still rests on it. Fixed days rest on a treaty only if the treaty gives them.
function findTreaty(
  { passport, destination, requirement, days }: TablePair,
  blocs: readonly BlocRecord[],
  membersOf: ReadonlyMap<string, ReadonlySet<string>>,
): string | null {
  if (requirement !== "visa_free") return null
  const treaties = blocs
    .filter(bloc => bloc.freedom_of_movement && (days === null || days === bloc.treaty_days))
    .filter(bloc => [passport, destination].every(code => bloc.members.some(member => member.code === code)))
    .sort((a, b) => a.members.length - b.members.length || (a.id < b.id ? -1 : 1))
  const isCurrent = (bloc: BlocRecord) => [passport, destination].every(code => membersOf.get(bloc.id)?.has(code))
  return (treaties.find(isCurrent) ?? treaties[0])?.id ?? null
}

// Repeatedly takes the bloc that saves most lines, until none saves enough. A bloc is not used if the table leaves out the
// passport of a member, because it would answer for that one too.
function chooseBlocs(
  wanted: ReadonlyMap<string, string>,
  fallback: string | null,
  membersOf: ReadonlyMap<string, ReadonlySet<string>>,
  others: readonly string[],
): [bloc: string, answer: string][] {
  const leftOut = others.filter(code => !wanted.has(code))
  const isCovered = (members: ReadonlySet<string>) => !leftOut.some(code => members.has(code))
  const candidates = [...membersOf]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([bloc, members]) => {
      const named = [...members].filter(code => wanted.has(code))
      const answer = mostFrequent(named.map(code => wanted.get(code) as string))
      return answer !== null && mayName(answer, bloc) && isCovered(members) ? [{ bloc, answer, named }] : []
    })
  /** The different answers of the chosen blocs for each passport. */
  const given = new Map([...wanted.keys()].map((code): [string, readonly string[]] => [code, []]))
  const add = (answers: readonly string[], answer: string) =>
    answers.includes(answer) ? answers : [...answers, answer]
  // A passport takes a line of its own where blocs contradict each other, or say something else than is wanted.
  const linesOf = (code: string, answers: readonly string[]) =>
    answers.length > 1 || (answers[0] ?? fallback) !== wanted.get(code) ? 1 : 0
  const saves = ({ answer, named }: (typeof candidates)[number]) =>
    named.reduce((saved, code) => {
      const answers = given.get(code) ?? []
      return saved + linesOf(code, answers) - linesOf(code, add(answers, answer))
    }, 0)
  const chosen: [string, string][] = []
  for (;;) {
    let best: { candidate: (typeof candidates)[number]; saved: number } | null = null
    for (const candidate of candidates) {
      if (chosen.some(([bloc]) => bloc === candidate.bloc)) continue
      const saved = saves(candidate)
      if (best === null || saved > best.saved) best = { candidate, saved }
    }
    if (best === null || best.saved - 1 < LEAST_GAIN) return chosen
    const { bloc, answer, named } = best.candidate
    for (const code of named) given.set(code, add(given.get(code) ?? [], answer))
    chosen.push([bloc, answer])
  }
}

// A rule by treaty covers only members of that treaty: another bloc may not replace them.
function mayName(answer: string, bloc: string): boolean {
  const treaty = (JSON.parse(answer) as Wanted).bloc
  return treaty === undefined || treaty === bloc
}

function mostFrequent(answers: readonly string[]): string | null {
  const counts = new Map<string, number>()
  for (const answer of answers) counts.set(answer, (counts.get(answer) ?? 0) + 1)
  return [...counts].sort(([a, n], [b, m]) => m - n || compareAnswers(a, b))[0]?.[0] ?? null
}

// Easiest first, longest stay first, then by text.
function compareAnswers(a: string, b: string): number {
  const [left, right] = [JSON.parse(a) as Wanted, JSON.parse(b) as Wanted]
  return (
    easeRank(left.requirement as Requirement) - easeRank(right.requirement as Requirement) ||
    (right.days ?? 10_000) - (left.days ?? 10_000) ||
    (a < b ? -1 : a > b ? 1 : 0)
  )
}
