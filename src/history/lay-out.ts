/**
 * How do dated lists of requirements become a small file that answers for a pair on a past day?
 *
 * Most pairs of a destination have the same past. A past (the values, each with the list from which on it applies) is stored once, and a
 * pair is one byte: its index among the pasts of its destination. Passports and destinations are in the order of similarity, columns follow
 * one another, and gzip does the rest. There is one series for each source: the tables that were seen, and lists that an authority
 * published. `read-history.ts` reads these bytes.
 */
import { parseCivilDate } from "../civil-date.ts"
import { orderBySimilarity } from "../dataset/compile.ts"
import { type FactsError, failure, type Result, success } from "../errors.ts"
import { HISTORY_MAGIC, PAST_WORDS, type PastWord } from "./read-history.ts"

/** The publication of a series: a {@link Source} without the mark of an imported table. */
interface HistorySourceFacts {
  readonly id: string
  readonly name: string
  readonly url: string | null
}

/** A value that begins on a day. */
export interface HistoryChangeFacts {
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

/** The numbers of a series, in the order in which they are written. */
type Numbers = number[]

/**
 * Lays dated lists out, published ones first. The same facts give the same bytes.
 *
 * Fails with `FactsRefused` for days that are not in order, a change on no day of its series, and more pasts than a byte can number.
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
  const bytes: number[] = []
  const write = (number: number) => {
    let left = number
    for (; left > 127; left >>>= 7) bytes.push((left & 127) | 128)
    bytes.push(left)
  }
  const writeText = (text: string) => {
    write(text.length)
    for (let at = 0; at < text.length; at++) bytes.push(text.charCodeAt(at))
  }
  for (let at = 0; at < HISTORY_MAGIC.length; at++) bytes.push(HISTORY_MAGIC.charCodeAt(at))
  write(series.length)
  for (const one of [...series].sort((a, b) => Number(b.kind === "published") - Number(a.kind === "published"))) {
    const numbers = layOutSeries(one)
    if (!numbers.ok) return numbers
    const { id, name, url } = one.source
    writeText(toAscii(JSON.stringify([id, name, url])))
    for (const number of numbers.value) write(number)
  }
  return success(Uint8Array.from(bytes))
}

const toAscii = (text: string): string =>
  text.replace(/[\u0080-\uffff]/g, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)

function layOutSeries(series: HistorySeriesFacts): Result<Numbers, FactsError> {
  const { source, kind, untilOn, changes } = series
  const days = series.days.map(on => parseCivilDate(on) ?? -1)
  const untilDay = parseCivilDate(untilOn) ?? -1
  if (days.length === 0 || days.some((day, at) => day < 0 || day <= (days[at - 1] ?? -1))) {
    return refuse(`past/${source.id}`, "days", "the days of the lists are expected in order, one list a day.")
  }
  if (untilDay < (days.at(-1) as number)) {
    return refuse(`past/${source.id}`, "until", `${untilOn} is before the last list, ${series.days.at(-1)}.`)
  }
  const placeOf = new Map(series.days.map((on, place) => [on, place]))
  const values = listValues(changes)
  const numberOf = new Map(values.map((value, at) => [value, at + 1])) // 0: the list does not have the pair
  const stepsOf = new Map<string, number[]>()
  for (const { destination, on, word, days: stay, passports } of sortChanges(changes)) {
    const place = placeOf.get(on)
    if (place === undefined) return refuse(`past/${destination}`, on, `${source.id} has no list of this day.`)
    const number = word === null ? 0 : (numberOf.get(valueKey(word, stay)) as number)
    for (const passport of passports) {
      const steps = stepsOf.get(passport + destination) ?? []
      if (steps.at(-2) === place) {
        return refuse(`past/${destination}`, on, `${passport} has two values on this day.`)
      }
      if (number !== (steps.at(-1) ?? 0)) steps.push(place, number)
      stepsOf.set(passport + destination, steps)
    }
  }
  return layOutPasts({ kind, days, untilDay, values, stepsOf })
}

const valueKey = (word: PastWord, days: number | null): string => `${PAST_WORDS.indexOf(word)} ${days ?? -1}`

function listValues(changes: readonly HistoryChangeFacts[]): string[] {
  const keys = changes.flatMap(({ word, days }) => (word === null ? [] : [valueKey(word, days)]))
  return [...new Set(keys)].sort()
}

const sortChanges = (changes: readonly HistoryChangeFacts[]) =>
  [...changes].sort((a, b) => (a.on < b.on ? -1 : a.on > b.on ? 1 : 0))

interface PastFacts {
  readonly kind: "seen" | "published"
  readonly days: readonly number[]
  readonly untilDay: number
  readonly values: readonly string[]
  /** By pair: place of the day and number of the value, one after the other. */
  readonly stepsOf: ReadonlyMap<string, readonly number[]>
}

function layOutPasts({ kind, days, untilDay, values, stepsOf }: PastFacts): Result<Numbers, FactsError> {
  const pairs = [...stepsOf.keys()]
  const passports = [...new Set(pairs.map(pair => pair.slice(0, 3)))].sort()
  const destinations = [...new Set(pairs.map(pair => pair.slice(3)))].sort()
  const pasts: (readonly number[])[] = [[]]
  const numbers = new Map<string, number>([["", 0]])
  const pastOf = (pair: string): number => {
    const steps = stepsOf.get(pair) ?? []
    const key = steps.join()
    const number = numbers.get(key) ?? pasts.push(steps) - 1
    numbers.set(key, number)
    return number
  }
  const columns = destinations.map(destination => passports.map(passport => pastOf(passport + destination)))
  if (Math.max(passports.length, destinations.length) > 253) {
    return refuse("past", "", "more than 253 passports or destinations.")
  }
  if (pasts.flat().length >= 2 ** 16) {
    return refuse("past", "", "the lists have too many different pasts.")
  }
  const passportOrder = orderBySimilarity(passports.map((_, row) => columns.map(column => column[row] as number)))
  const destinationOrder = orderBySimilarity(columns)
  const seen = new Map<number, number>()
  const [sizes, places, refs]: [Numbers, Numbers, Numbers] = [[], [], []]
  const [counts, gaps, stepValues]: [Numbers, Numbers, Numbers] = [[], [], []]
  for (const at of destinationOrder) {
    const column = passportOrder.map(row => (columns[at] as number[])[row] as number)
    const palette = listByUse(column)
    if (palette.length > 255) return refuse(`past/${destinations[at]}`, "", "more than 255 different pasts.")
    places.push(...column.map(number => palette.indexOf(number) + 1))
    sizes.push(palette.length)
    for (const number of palette) {
      // How many new ones ago it was new, or 0 for a new one.
      refs.push(seen.has(number) ? seen.size - (seen.get(number) as number) : 0)
      if (seen.has(number)) continue
      seen.set(number, seen.size)
      const steps = pasts[number] as readonly number[]
      counts.push(steps.length / 2)
      gaps.push(...steps.flatMap((place, i) => (i % 2 === 1 ? [] : [place - (steps[i - 2] ?? 0)])))
      stepValues.push(...steps.filter((_, i) => i % 2 === 1))
    }
  }
  const letters = (codes: readonly string[]) => Array.from(codes.join(""), letter => letter.charCodeAt(0))
  const split = values.map(value => value.split(" ").map(Number))
  return success([
    kind === "published" ? 1 : 0,
    days.length,
    values.length,
    passports.length,
    destinations.length,
    seen.size,
    ...days.map((day, at) => day - (days[at - 1] ?? 0)),
    untilDay - (days.at(-1) as number),
    ...split.map(([word]) => word as number),
    ...split.map(([, stay]) => (stay as number) + 1),
    ...letters(passportOrder.map(row => passports[row] as string)),
    ...letters(destinationOrder.map(at => destinations[at] as string)),
    ...sizes,
    ...places,
    ...refs,
    ...counts,
    ...gaps,
    ...stepValues,
  ])
}

// The pasts of a destination, those of most passports first; 0 is none.
function listByUse(column: readonly number[]): number[] {
  const uses = new Map<number, number>()
  for (const number of column) if (number !== 0) uses.set(number, (uses.get(number) ?? 0) + 1)
  return [...uses].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([number]) => number)
}
