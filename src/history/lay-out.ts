/**
 * How do dated lists of requirements become a small file that answers for a pair on a past day?
 *
 * Most pairs of a destination have the same past. A past (the values, each with the list from which on it applies) is stored once, and a
 * pair is the number of its past. Passports and destinations are in the order of similarity, and gzip does the rest. There is one series
 * for each source: the tables that were seen, and lists that an authority published. `past.ts` reads the text.
 */
import { parseCivilDate } from "../civil-date.ts"
import { getOrInsert } from "../collections.ts"
import { orderBySimilarity } from "../dataset/compile.ts"
import { writeAscii } from "../dataset/file-form.ts"
import { type FactsError, failure, type Result, success } from "../errors.ts"
import { MOST_CODES, type PastWord, type SeriesParts } from "./past.ts"

/** The publication of a series: a {@link Source} without the mark of an imported table. */
interface HistorySourceFacts {
  readonly id: string
  readonly name: string
  readonly url: string | null
}

/** A value that begins on a day. */
interface HistoryChangeFacts {
  readonly destination: string
  /** One of the days of the series. */
  readonly on: string
  /** Null from the day on which the list no longer has these passports. */
  readonly word: PastWord | null
  readonly days: number | null
  readonly passports: readonly string[]
}

/** Dated lists of one source. */
export interface HistorySeriesFacts {
  readonly source: HistorySourceFacts
  /** `seen`: a change is somewhere between two lists; `published`: the list itself was published on its day. */
  readonly kind: "seen" | "published"
  /** The days of the lists, the oldest first, without copies of the list before. */
  readonly days: readonly string[]
  /** The last day that the last list covers. */
  readonly untilOn: string
  readonly changes: readonly HistoryChangeFacts[]
}

const refuse = (record: string, field: string, message: string): Result<never, FactsError> =>
  failure({
    tag: "FactsRefused",
    message: `${record} ${field}: ${message}`,
    issues: [{ tag: "ImpossibleRule", record, field, message }],
  })

/**
 * Lays dated lists out, published ones first. The same facts give the same bytes.
 *
 * Fails with `FactsRefused` for days that are not in order, a change on no day of its series, and more pasts than two bytes can number.
 *
 * @example
 * ```ts
 * const laid = layOutHistory([])
 * laid.ok // => true
 * ```
 */
export function layOutHistory(series: readonly HistorySeriesFacts[]): Result<Uint8Array, FactsError> {
  try {
    return layOut(series)
  } catch {
    return refuse("past", "", "the lists have another shape than is expected.")
  }
}

function layOut(series: readonly HistorySeriesFacts[]): Result<Uint8Array, FactsError> {
  const all: SeriesParts[] = []
  for (const one of [...series].sort((a, b) => Number(b.kind === "published") - Number(a.kind === "published"))) {
    const laid = layOutSeries(one)
    if (!laid.ok) return laid
    all.push(laid.value)
  }
  return success(writeAscii(all))
}

function layOutSeries(series: HistorySeriesFacts): Result<SeriesParts, FactsError> {
  const { source, kind, days: dates, untilOn, changes } = series
  const days = dates.map(on => parseCivilDate(on) ?? -1)
  if (days.length === 0 || days.some((day, at) => day < 0 || day <= (days[at - 1] ?? -1))) {
    return refuse(`past/${source.id}`, "days", "the days of the lists are expected in order, one list a day.")
  }
  if ((parseCivilDate(untilOn) ?? -1) < (days.at(-1) as number)) {
    return refuse(`past/${source.id}`, "until", `${untilOn} is before the last list, ${dates.at(-1)}.`)
  }
  const placeOf = new Map(dates.map((on, place) => [on, place]))
  const keys = changes.flatMap(({ word, days: stay }) => (word === null ? [] : [JSON.stringify([word, stay])]))
  const values = [...new Set(keys)].sort()
  const stepsOf = new Map<string, number[]>()
  for (const { destination, on, word, days: stay, passports } of sortChanges(changes)) {
    const place = placeOf.get(on)
    if (place === undefined) return refuse(`past/${destination}`, on, `${source.id} has no list of this day.`)
    const number = word === null ? 0 : values.indexOf(JSON.stringify([word, stay])) + 1
    for (const passport of passports) {
      const steps = getOrInsert(stepsOf, passport + destination, () => [])
      if (steps.at(-2) === place) {
        return refuse(`past/${destination}`, on, `${passport} has two values on this day.`)
      }
      if (number !== (steps.at(-1) ?? 0)) steps.push(place, number)
    }
  }
  const pairs = layOutPairs(stepsOf)
  if (!pairs.ok) return pairs
  const { id, name, url } = source
  return success({
    ...{ source: [id, name, url], kind, dates, untilOn },
    values: values.map(value => JSON.parse(value)),
    ...pairs.value,
  })
}

const sortChanges = (changes: readonly HistoryChangeFacts[]) =>
  [...changes].sort((a, b) => (a.on < b.on ? -1 : a.on > b.on ? 1 : 0))

type Pairs = Pick<SeriesParts, "passports" | "destinations" | "pasts" | "pastOf">

/** Numbers the pasts of pairs in the order in which pairs have them first. */
function layOutPairs(stepsOf: ReadonlyMap<string, readonly number[]>): Result<Pairs, FactsError> {
  const listCodes = (from: number) => [...new Set([...stepsOf.keys()].map(pair => pair.slice(from, from + 3)))].sort()
  const [passports, destinations] = [listCodes(0), listCodes(3)]
  if (Math.max(passports.length, destinations.length) > MOST_CODES) {
    return refuse("past", "", `more than ${MOST_CODES} passports or destinations.`)
  }
  const pasts: (readonly number[])[] = []
  const numbers = new Map<string, number>()
  const numberOf = (pair: string): number => {
    const steps = stepsOf.get(pair) ?? []
    return getOrInsert(numbers, steps.join(), () => pasts.push(steps) - 1)
  }
  numberOf("")
  const columns = destinations.map(destination => passports.map(passport => numberOf(passport + destination)))
  const rows = orderBySimilarity(passports.map((_, row) => columns.map(column => column[row] as number)))
  const order = orderBySimilarity(columns)
  if (pasts.length >= 2 ** 16) return refuse("past", "", "the lists have too many different pasts.")
  // Numbered anew, so that neighbours have numbers that are near each other.
  const seen = new Map<number, number>([[0, 0]])
  const pastOf = order.flatMap(at =>
    rows.map(row => getOrInsert(seen, (columns[at] as number[])[row] as number, () => seen.size)),
  )
  return success({
    passports: rows.map(row => passports[row]).join(""),
    destinations: order.map(at => destinations[at]).join(""),
    pasts: [...seen.keys()].map(number => pasts[number] as readonly number[]),
    pastOf,
  })
}
