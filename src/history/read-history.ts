/**
 * How are the bytes of a history read into something that answers in a few array reads?
 *
 * Every number that is read is bounded, so that bytes of any origin either open or are refused.
 */

import { type EpochDay, formatCivilDate, LAST_DAY } from "../civil-date.ts"
import { codeKey, MALFORMED_KEY } from "../codes.ts"
import type { Source } from "../dataset/facts.ts"
import { listIndices } from "../dataset/open.ts"
import { REQUIREMENTS, type Requirement } from "../dataset/requirement.ts"

/** Dated lists of one source, opened. Its tables are shared and never written to. */
export interface HistorySeries {
  /** `seen`: a change is somewhere between two lists; `published`: the list itself was published on its day. */
  readonly kind: "seen" | "published"
  readonly source: Source
  /** The days of the lists (`YYYY-MM-DD`), the oldest first. */
  readonly dates: readonly string[]
  /** The same as numbers. */
  readonly days: readonly EpochDay[]
  /** The last day that the last list covers. */
  readonly untilDay: EpochDay
  readonly passports: readonly string[]
  readonly destinations: readonly string[]
  readonly passportIndices: Uint8Array
  readonly destinationIndices: Uint8Array
  /** By destination × passports + passport: the number of its past; 0 is none. */
  readonly pastOf: Uint16Array
  /** By past: the index of its first step; one more at the end. */
  readonly starts: Uint32Array
  /** By step: the index of its list among the dates. */
  readonly stepDates: Uint16Array
  /** By step: its value; undefined if the list no longer has the pair. */
  readonly stepValues: readonly (PastValue | undefined)[]
}

/** Reads the series of a history; null for anything but the bytes of one. */
export function readSeries(bytes: Uint8Array): readonly HistorySeries[] | null {
  const reader = new Reader(bytes)
  if (reader.text(HISTORY_MAGIC.length) !== HISTORY_MAGIC) return null
  const count = reader.number()
  if (count === 0 || count > 16) return null
  const all: HistorySeries[] = []
  for (let at = 0; at < count; at++) {
    const series = readOne(reader)
    if (series === null) return null
    all.push(series)
  }
  return reader.isAtEnd() ? all : null
}

class Reader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  number(): number {
    for (let number = 0, shift = 0; ; shift += 7) {
      const byte = this.#bytes[this.#at++] ?? 0
      number |= (byte & 127) << shift
      if (byte < 128 || shift === 14) return number
    }
  }

  /** Never more numbers than there are bytes. */
  list(length: number): number[] {
    return Array.from({ length: Math.min(length, this.#bytes.length) }, () => this.number())
  }

  text(length: number): string {
    const end = Math.min(this.#at + length, this.#bytes.length)
    let text = ""
    while (this.#at < end) text += String.fromCharCode(this.#bytes[this.#at++] as number)
    return text
  }

  codes(count: number): string[] {
    return Array.from({ length: count }, () => this.text(3))
  }

  isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  get size(): number {
    return this.#bytes.length
  }
}

function readSource(text: string): Source | null {
  try {
    const [id, name, url] = JSON.parse(text)
    const isText = (value: unknown) => typeof value === "string"
    if (!isText(id) || !isText(name) || !(url === null || isText(url))) return null
    return Object.freeze({ id, name, url, imported: true, compiled: false })
  } catch {
    return null
  }
}

const areCodes = (codes: readonly string[]): boolean =>
  new Set(codes).size === codes.length && codes.every(code => codeKey(code) !== MALFORMED_KEY)

function readOne(reader: Reader): HistorySeries | null {
  const source = readSource(reader.text(reader.number()))
  const kind = reader.number() === 1 ? "published" : "seen"
  const [dateCount = 0, valueCount = 0, rows = 0, columns = 0, pastCount = 0] = reader.list(5)
  const areTooMany = rows * columns > reader.size || Math.max(rows, columns) > 253
  if (source === null || dateCount === 0 || areTooMany) return null
  let day = 0
  const days = reader.list(dateCount).map(gap => (day += gap))
  const untilDay = day + reader.number()
  if (untilDay > LAST_DAY || days.some((each, at) => at > 0 && each <= (days[at - 1] as number))) return null
  const [words, stays] = [reader.list(valueCount), reader.list(valueCount)]
  if (words.some(word => word >= PAST_WORDS.length)) return null
  const values = words.map((word, at) => {
    const stay = stays[at] as number
    return pastValue(PAST_WORDS[word] as PastWord, stay > 0 ? stay - 1 : null)
  })
  const [passports, destinations] = [reader.codes(rows), reader.codes(columns)]
  if (!areCodes(passports) || !areCodes(destinations)) return null
  const pasts = readPasts(reader, { rows, columns, pastCount, dateCount, valueCount })
  if (pasts === null) return null
  const { pastOf, starts, stepDates, stepNumbers } = pasts
  return Object.freeze({
    kind,
    source,
    dates: Object.freeze(days.map(formatCivilDate)),
    days: Object.freeze(days),
    untilDay,
    passports,
    destinations,
    passportIndices: listIndices(passports),
    destinationIndices: listIndices(destinations),
    pastOf,
    starts,
    stepDates,
    stepValues: stepNumbers.map(number => values[number - 1]),
  })
}

interface Counts {
  readonly rows: number
  readonly columns: number
  readonly pastCount: number
  readonly dateCount: number
  readonly valueCount: number
}

function readPasts(reader: Reader, { rows, columns, pastCount, dateCount, valueCount }: Counts) {
  const sizes = reader.list(columns)
  // First the place in the palette, column by column.
  const pastOf = Uint16Array.from(reader.list(rows * columns))
  let known = 0
  sizes.forEach((size, column) => {
    const palette = [0, ...reader.list(size).map(ref => (ref === 0 ? ++known : Math.max(0, known - ref + 1)))]
    for (let at = column * rows; at < (column + 1) * rows; at++) pastOf[at] = palette[pastOf[at] as number] ?? 0
  })
  if (known !== pastCount) return null
  // Where the steps of a past begin; pasts count from 1.
  const starts = new Uint32Array(pastCount + 2)
  reader.list(pastCount).forEach((count, at) => {
    starts[at + 2] = (starts[at + 1] as number) + count
  })
  const count = starts[pastCount + 1] as number
  if (count >= 2 ** 15 || count > reader.size) return null
  const [gaps, stepNumbers] = [reader.list(count), reader.list(count)]
  if (stepNumbers.some(number => number > valueCount)) return null
  const stepDates = new Uint16Array(count)
  for (let past = 1; past <= pastCount; past++) {
    for (let step = starts[past] as number; step < (starts[past + 1] as number); step++) {
      const before = step > (starts[past] as number) ? (stepDates[step - 1] as number) : 0
      const at = before + (gaps[step] as number)
      if (at >= dateCount) return null
      stepDates[step] = at
    }
  }
  return { pastOf, starts, stepDates, stepNumbers }
}

// ---- Words

// Which words did tables of the past use, and which of today's requirements do they mean?
//
// Some words do not name a requirement of today: a ban of the pandemic, an entry card that existed for weeks, and one word for e-visa and eTA. They are kept unchanged. A word becomes a
// requirement only if it can mean no other.

/**
 * The words of the past: the six requirements, `covid_ban` (no admission in the pandemic), `e_visa_or_eta` (tables before 2025-01-12 write
 * "e-visa" for both) and `hayya_permit` (the entry card of Qatar, end of 2022). New words are added at the end: their places are stored.
 */
export const PAST_WORDS = /* @__PURE__ */ Object.freeze([
  ...REQUIREMENTS,
  "covid_ban",
  "e_visa_or_eta",
  "hayya_permit",
] as const)

/** The word of a past table: one of {@link PAST_WORDS}. */
export type PastWord = (typeof PAST_WORDS)[number]

/** The requirement on a past day. One frozen value is shared by all equal answers. */
export interface PastValue {
  /** The requirement; null where the word of the table does not say which. */
  readonly requirement: Requirement | null
  /** The word in the table. */
  readonly word: PastWord
  /** Visa-free stay in days; null where no number is given. */
  readonly days: number | null
  /** Why nobody was admitted, if that is known. */
  readonly reason: "covid_ban" | null
}

/** Makes the value of a word. */
function pastValue(word: PastWord, days: number | null): PastValue {
  const isBan = word === "covid_ban"
  const requirement = isBan ? "no_admission" : word === "e_visa_or_eta" || word === "hayya_permit" ? null : word
  return Object.freeze({ requirement, word, days, reason: isBan ? "covid_ban" : null })
}

/** Says whether two words of different vocabularies can mean the same: then no change was seen between them. */
export function canBeSame(a: PastWord, b: PastWord): boolean {
  const isPart = (word: PastWord) => word === "e_visa" || word === "eta"
  return (a === "e_visa_or_eta" && isPart(b)) || (b === "e_visa_or_eta" && isPart(a))
}

// ---- Its first bytes

// What do the writer and the reader of a history share, besides the order of the numbers?

/** The first letters of the bytes: the format and its version. */
export const HISTORY_MAGIC = "LFH1"
