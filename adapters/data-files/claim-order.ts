/**
 * Of several claims about one pair that are in force on a day, which decides, and do the others contradict it?
 *
 *  1. A treaty in force is a floor: no answer is harder, and no stay shorter, than its terms. Only a refusal of admission, or a law or an
 *     official list of the destination that began later, goes below it.
 *  2. The publisher of the higher rank decides.
 *  3. Within a rank the rule that began later decides. The day of reading is no beginning.
 *  4. A lower rank wins only with news: a rule that began after the higher one was last read, or a table that first agreed with what was read
 *     and moved later. A claim without any day was read before the first table that claims had to answer.
 *  5. A claim without a beginning that returns to a value which tables gave up settles nothing: it may be an old page or a real return. The
 *     pair is disputed, and shows what was read first, unless a person weighed both. A third state's advice that differs from the table
 *     settles nothing either.
 *  6. Two claims of one rank that differ, neither with a beginning: disputed.
 *  7. Equal values pool their evidence.
 */
import { easeRank, type Requirement } from "../../src/engine.ts"
import { INTRODUCED_ON, type TableValue } from "./claim-records.ts"

/** Who says so, the most binding first. A compiler is one step below the page that it cites. */
export const RANKS = {
  law: 2,
  destination: 3,
  /** A traveller's own government; also what a person weighed or reviewed. */
  ownState: 4,
  compilerOfPages: 5,
  /** A compiler who cites no page, or a third state's advice. */
  compiler: 6,
  table: 7,
} as const
export type Rank = (typeof RANKS)[keyof typeof RANKS]

/** A value: a requirement, or a word of an old table, with its days. */
interface Value {
  readonly word: string
  readonly days: number | null
}

/** A claim of a person or a compiler about one passport. */
export interface Opinion extends Value {
  readonly rank: Rank
  readonly from: string | null
  /** The last day on which somebody read it. */
  readonly readOn: string | null
  /** Other ways that it names for everybody. */
  readonly also: readonly string[]
  /** True if it cites a third state's advice. */
  readonly isAdvice: boolean
  /** True if a person weighed it against the tables, and says why it stands. */
  readonly isWeighed: boolean
  /** Its place in the file. */
  readonly place: string
}

/** The terms of a treaty between two countries. */
export interface Floor extends Value {
  readonly id: string
  /** The hardest requirement that it permits: a waiver of visas does not forbid an electronic authorisation. */
  readonly permits: Requirement
  readonly from: string | null
  /** True for a right of free movement, which is more than any number of days. */
  readonly isFree: boolean
}

/** What decides a pair on a day. */
export interface Ruling {
  /** The treaty whose terms replace every claim; null where none does. */
  readonly treaty: Floor | null
  /** Null if nothing is claimed. */
  readonly shown: Case | null
  /** The value that contradicts what is shown, where nothing decides between the two. */
  readonly disputed: { readonly other: Case; readonly why: string } | null
  /** Each value in the order of ranks, with what the order says of it. */
  readonly trace: readonly Step[]
}

/** A value, and what the order says of it. */
export interface Step {
  readonly value: Case
  readonly says: string
}

/** All claims with one value. */
export interface Case extends Value {
  readonly opinions: readonly Opinion[]
  readonly isOfTable: boolean
  readonly rank: Rank
  /** The rule began on or after this day; null if nothing says so. */
  readonly begunFrom: string | null
  /** Somebody saw it in force on this day. */
  readonly seenOn: string | null
}

/** Two values are one if one of them only adds the days. The tables before 2025 had one word for e-visa and eTA. */
function isSame(a: Value, b: Value): boolean {
  const isOldWord = (one: Value, other: Value) =>
    one.word === "e_visa_or_eta" && (other.word === "e_visa" || other.word === "eta")
  if (a.word !== b.word && !isOldWord(a, b) && !isOldWord(b, a)) return false
  return a.days === null || b.days === null || a.days === b.days
}

const latest = (a: string | null, b: string | null) => (a === null || (b !== null && b > a) ? b : a)

/** The cases of a pair, the one of the highest rank first. `values` are those of the tables, the oldest first. */
function listCases(opinions: readonly Opinion[], values: readonly TableValue[], tableDays: readonly string[]): Case[] {
  const cases: Case[] = []
  const add = (value: Value, one: Omit<Case, "word" | "days">) => {
    const at = cases.findIndex(known => isSame(known, value))
    const known = cases[at]
    if (known === undefined) cases.push({ word: value.word, days: value.days, ...one })
    else {
      cases[at] = {
        ...known,
        days: known.days ?? value.days,
        opinions: [...known.opinions, ...one.opinions],
        isOfTable: known.isOfTable || one.isOfTable,
        begunFrom: latest(known.begunFrom, one.begunFrom),
        seenOn: latest(known.seenOn, one.seenOn),
      }
    }
  }
  for (const opinion of opinions.toSorted((a, b) => a.rank - b.rank)) {
    const { rank, from, readOn } = opinion
    add(opinion, { opinions: [opinion], isOfTable: false, rank, begunFrom: from, seenOn: readOn ?? from })
  }
  const last = values.at(-1)
  if (last !== undefined && last.word !== null) {
    // Days that were added later do not move the beginning of the requirement.
    const first = values.findLastIndex(value => !isSame(toValue(value), toValue(last))) + 1
    const on = (values[first] as TableValue).on
    const begunFrom = tableDays[tableDays.indexOf(on) - 1] ?? null
    const seenOn = tableDays.at(-1) ?? null
    add(toValue(last), { opinions: [], isOfTable: true, rank: RANKS.table, begunFrom, seenOn })
  }
  return cases.sort((a, b) => a.rank - b.rank || ((b.begunFrom ?? "") < (a.begunFrom ?? "") ? -1 : 1))
}

const toValue = ({ word, days }: Pick<TableValue, "word" | "days">): Value => ({ word: word ?? "", days })

/** The last change between two tables; values that only add days are none. */
function lastMove(values: readonly TableValue[]) {
  const last = values.at(-1)
  if (last === undefined) return null
  const at = values.findLastIndex(value => !isSame(toValue(value), toValue(last)))
  return at < 0 ? null : { from: values[at] as TableValue, to: values[at + 1] as TableValue }
}

/** Decides a pair. */
export function rule(given: {
  readonly opinions: readonly Opinion[]
  readonly values: readonly TableValue[]
  readonly tableDays: readonly string[]
  readonly treaties: readonly Floor[]
  /** Other ways to the same entry that conditions of the destination name for a requirement. */
  readonly waysOf: (word: string) => readonly string[]
}): Ruling {
  const { opinions, values, tableDays, treaties, waysOf } = given
  const [best, ...others] = listCases(opinions, values, tableDays)
  if (best === undefined) return { treaty: treaties[0] ?? null, shown: null, disputed: null, trace: [] }
  const seenOn = best.seenOn ?? INTRODUCED_ON
  let shown = best
  let disputed: Ruling["disputed"] = null
  const trace: Step[] = [{ value: best, says: "has the highest rank" }]
  for (const other of others) {
    const namesOther = best.opinions.some(({ also }) => also.includes(other.word))
    const ways = [...other.opinions.flatMap(({ also }) => also), ...waysOf(other.word)]
    // Several ways to the same entry contradict nobody; the easier one is the answer.
    if (namesOther || ways.includes(best.word)) {
      const isEasier = easeRank(other.word as Requirement) < easeRank(shown.word as Requirement)
      if (isEasier) shown = other
      trace.push({ value: other, says: isEasier ? "is an easier way to the same entry" : "is another way" })
      continue
    }
    if (other.begunFrom !== null && other.begunFrom >= seenOn) {
      shown = other
      trace.push({ value: other, says: `is news: it began after ${seenOn}, the day of the last reading` })
      break
    }
    const move = other.rank === RANKS.table ? lastMove(values) : null
    const isNewer = move !== null && move.to.on > seenOn
    if (isNewer && isSame(toValue(move.from), best)) {
      shown = other
      trace.push({ value: other, says: `is news: the tables said what was read, and moved by ${move.to.on}` })
      break
    }
    const why = isNewer ? "a table that is newer than the reading says something else" : contradict(best, other, values)
    trace.push({ value: other, says: why === null ? "has a lower rank" : `disputes it: ${why}` })
    if (why === null) continue
    disputed = { other, why }
    break
  }
  const treaty = treaties.find(floor => isBelow(shown, floor) && !isSuspended(shown, floor))
  return treaty === undefined ? { treaty: null, shown, disputed, trace } : { treaty, shown, disputed: null, trace }
}

// Why a case that ranks first does not settle the matter; null if it does.
function contradict(best: Case, other: Case, values: readonly TableValue[]): string | null {
  const areUndated = best.begunFrom === null && other.begunFrom === null
  if (best.rank === other.rank && areUndated && best.rank > RANKS.law) {
    return "two publishers of one rank differ, and neither says since when"
  }
  const isWeighed = best.opinions.some(one => one.isWeighed)
  if (other.rank !== RANKS.table || best.rank < RANKS.ownState || isWeighed) return null
  if (best.rank === RANKS.compiler && best.opinions.some(({ isAdvice }) => isAdvice)) {
    return "the page is a third state's advice"
  }
  const moved = lastMove(values)?.to.on
  const had = values.some(value => isSame(toValue(value), best) && !isSame(toValue(value), other))
  if (moved === undefined || !had || (best.begunFrom !== null && best.begunFrom >= moved)) return null
  return "the tables gave this value up, and no later day of the rule is named"
}

function isBelow(shown: Case, { word, days, permits, isFree }: Floor): boolean {
  if (easeRank(shown.word as Requirement) > easeRank(permits)) return true
  return shown.word === word && shown.days !== null && (isFree && days === null ? true : shown.days < (days ?? 0))
}

const isSuspended = (shown: Case, { from }: Floor): boolean =>
  shown.word === "no_admission" ||
  (shown.rank <= RANKS.law && shown.begunFrom !== null && shown.begunFrom > (from ?? ""))
