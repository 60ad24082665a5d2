/**
 * How are the lists of a dataset stored briefly in a bundle?
 *
 * Column by column, because values of one kind compress well next to each other, each by the form of its field. Places that mostly go up one
 * by one are stored as distances from the next new one, and values that repeat as their places among the distinct ones. The passports of a
 * rule mostly follow from the requirement: all that need a visa, or all that need none. So a list of them names answers in the table of pairs,
 * and then the exceptions: a quarter of the bytes of the codes. Remarks (titles and addresses of pages, notes and the texts of logs) are only for people,
 * no rule depends on them, and they are a fifth of the bytes: they are in a part of their own, which only the whole dataset needs.
 */
import { splitCodes } from "../codes.ts"
import type { DocumentTerms } from "../rules/provision-kinds.ts"
import { type ListRows, type MembersCell, readCodes } from "../rules/provisions.ts"
import { type DatasetParts, NO_TERMS, type PairsHeader, type PlacesHeader } from "./open.ts"

// ---- Bytes as text

// How are bytes written as a text for a bundle?
//
// One printable character a byte: gzip packs that as well as the bytes themselves, and it is read without a decoder.

// The 93 printable ASCII characters that need no escape in a JavaScript string, then letters from U+0100 on.
const ASCII_PLACES = 93

function characterOf(byte: number): number {
  if (byte >= ASCII_PLACES) return 0x100 + byte - ASCII_PLACES
  const unit = 32 + byte + (byte >= 2 ? 1 : 0)
  return unit >= 92 ? unit + 1 : unit
}

/**
 * Writes bytes as a text.
 *
 * @example
 * ```ts
 * writeByteText(new Uint8Array([0, 1, 92])) // => " !~"
 * ```
 */
export function writeByteText(bytes: Uint8Array): string {
  let text = ""
  for (const byte of bytes) text += String.fromCharCode(characterOf(byte))
  return text
}

/** By character: its byte. */
function readCharacters(): Uint8Array {
  const byteOf = new Uint8Array(0x200)
  for (let byte = 0; byte < 256; byte++) byteOf[characterOf(byte)] = byte
  return byteOf
}

// ---- Lists

/**
 * A column: its values; numbers as a text with a character for each; texts by lines, null for an empty one; single destinations by their places;
 * or `of` some values, of which `at` has the place of each. It ends where its last value only repeats.
 */
type Column =
  | readonly unknown[]
  | string
  | { readonly lines: string }
  | { readonly codes: Column }
  | { readonly of: Column; readonly at: string }

/** Lists by columns: by name, the fields and a column for each. */
export type EmbeddedLists = Readonly<Record<string, { readonly fields: string; readonly columns: readonly Column[] }>>

/** The parts that are only for people. */
export interface EmbeddedRemarks {
  /** Each text once. */
  readonly texts: readonly string[]
  /** By list: for each field that can have a remark, the numbers of its texts from 1 on, 0 for none. */
  readonly places: Readonly<Record<string, readonly Column[]>>
  /** The lists that have only remarks. */
  readonly lists: EmbeddedLists
}

const REMARK_FIELDS: readonly string[] = ["note", "title", "url", "sourceUrl", "change", "reason"]
const isRemark = (field: string) => REMARK_FIELDS.includes(field)

/** Before the answers of a list: the character of byte 0, which no code and no distance has. */
const DIVIDER = " "

// ---- Codes

/** Passports and destinations of the pairs, and the answers at each destination. */
type ListedPairs = Readonly<{
  header: { readonly passports: string; readonly destinations: string }
  columns: { readonly pairs: string }
}>

const DISTANCES = /* @__PURE__ */ readCharacters()

/** Changes codes that are run together into a shorter text and back; `destinations` are those of their row. */
class CodeLists {
  /** Passports in the order of codes, and the place of each row of the pairs in it. */
  readonly codes: readonly string[]
  readonly places: Uint8Array
  readonly columns: readonly string[]
  readonly sorted: readonly string[]
  readonly #pairs: string

  constructor({ header, columns: { pairs } }: ListedPairs) {
    const passports = splitCodes(header.passports)
    this.columns = splitCodes(header.destinations)
    this.sorted = [...this.columns].sort()
    this.codes = [...passports].sort()
    this.places = Uint8Array.from(passports, code => this.codes.indexOf(code))
    this.#pairs = pairs
  }

  /** One character for each row: the answers at the first of some destinations. */
  answersAt(destinations: string): string {
    const at = this.columns.indexOf(destinations.slice(0, 3)) * this.codes.length
    return at < 0 ? "" : this.#pairs.slice(at, at + this.codes.length)
  }

  /** Marks the passports of a text with 1. It only visits those, because most lists have few. */
  mark(text: string, destinations: string): Uint8Array {
    const marks = new Uint8Array(this.codes.length)
    const divider = text.indexOf(DIVIDER)
    const answers = this.answersAt(destinations)
    for (let at = divider + 1; at < text.length; at++) {
      const answer = text.charAt(at)
      for (let row = answers.indexOf(answer); row >= 0; row = answers.indexOf(answer, row + 1)) {
        marks[this.places[row]!] = 1
      }
    }
    // Citizens at home are outside. At -1 nothing is stored.
    marks[this.codes.indexOf(destinations.slice(0, 3))] = 0
    for (let at = 0, row = -1; at < divider; at++) {
      row += DISTANCES[text.charCodeAt(at)]!
      marks[this.places[row]!]! ^= 1
    }
    return marks
  }

  read(text: string, destinations: string): string {
    if (!text.includes(DIVIDER)) return text
    // No answer has this character.
    if (text.startsWith(DIVIDER + DIVIDER)) return this.readDestinations(text.slice(1))
    const [blocs, rest] = splitBlocs(text)
    const marks = this.mark(rest, destinations)
    let inside = blocs
    for (let at = marks.indexOf(1); at >= 0; at = marks.indexOf(1, at + 1)) inside += this.codes[at]
    return inside
  }

  readDestinations(text: string): string {
    if (!text.startsWith(DIVIDER)) return text
    let column = -1
    const codes = Array.from(text.slice(1), distance => {
      column += DISTANCES[distance.charCodeAt(0)]!
      return this.columns[column]
    })
    return codes.sort().join("")
  }
}

// A shortened list begins with a distance or the divider, and may have a comma.
function splitBlocs(text: string): readonly [blocs: string, rest: string] {
  const [blocs] = /^(?:@[\w-]+,?)*/.exec(text) as unknown as [string]
  return [blocs, text.slice(blocs.length)]
}

const writeDistances = (places: readonly number[]) =>
  writeByteText(Uint8Array.from(places, (place, at) => place - (places[at - 1] ?? -1)))

/** Shortens a list, for the build only; it stays unchanged if that is shorter. */
export function shortenCodes(pairs: ListedPairs, text: string, destinations: string): string {
  const lists = new CodeLists(pairs)
  const [blocs, codes] = splitBlocs(text)
  const { places } = lists
  const inside = new Set(splitCodes(codes))
  const isInside = (row: number) => inside.has(lists.codes[places[row]!]!)
  const answers = [...lists.answersAt(destinations)]
  const rowsOf = (answer: string) =>
    [...places.keys()].filter(row => answers[row] === answer && lists.codes[places[row]!] !== destinations.slice(0, 3))
  const named = [...new Set(answers)].filter(answer => {
    const rows = rowsOf(answer)
    return rows.filter(isInside).length * 2 > rows.length
  })
  const guess = DIVIDER + named.sort().join("")
  const guessed = lists.mark(guess, destinations)
  const short =
    writeDistances([...places.keys()].filter(row => (guessed[places[row]!] === 1) !== isInside(row))) + guess
  if (short.length < codes.length && lists.read(short, destinations) === codes) return blocs + short
  // A list may name what has no row of pairs.
  return blocs === "" ? writeElsewhere(pairs, text) : text
}

// By the places of destinations, after a second divider: no answer has its character.
function writeElsewhere(pairs: ListedPairs, text: string): string {
  const placed = shortenDestinations(pairs, text)
  return placed.length + 1 < text.length ? DIVIDER + placed : text
}

/** Shortens a list of destinations in the order of the alphabet, for the build only. */
export function shortenDestinations(pairs: ListedPairs, codes: string): string {
  const lists = new CodeLists(pairs)
  const places = splitCodes(codes).map(code => lists.columns.indexOf(code))
  const text = DIVIDER + writeDistances(places.sort((a, b) => a - b))
  return !places.includes(-1) && lists.readDestinations(text) === codes ? text : codes
}

// ---- Columns

/** A place in a list, null for none; or several. */
type Places = number | null | readonly Places[]

// Turns places into distances from the next new place, which are 0 in most rows, or distances into places: one is the next new place less the
// other.
function turn(values: readonly unknown[], areDistances: boolean): readonly Places[] {
  let next = 0
  const step = (value: Places): Places => {
    if (value === null) return null
    if (typeof value !== "number") return value.map(step)
    const other = next - value
    next = Math.max(next, (areDistances ? other : value) + 1)
    return other
  }
  return values.map(value => step(value as Places))
}

// A column behind the first ends where its last value only repeats.
function cutColumn(column: readonly unknown[], at: number): readonly unknown[] {
  const text = column.map(value => JSON.stringify(value))
  let length = column.length
  while (at > 0 && length > 1 && text[length - 1] === text[length - 2]) length--
  return column.slice(0, length)
}

// The characters of no number and of 0: the small numbers are digits and letters.
const NONE = " ".charCodeAt(0)
const ZERO = "0".charCodeAt(0)

const isShort = (value: unknown) =>
  value === null || (Number.isInteger(value) && Number(value) > NONE - ZERO && Number(value) < 0xd800 - ZERO)

// A column of numbers is a text, because a character takes fewer bits than digits and a comma.
const writeNumbers = (column: readonly unknown[]): string =>
  column.map(value => String.fromCharCode(value === null ? NONE : ZERO + Number(value))).join("")

const isLine = (value: unknown) => value === null || (typeof value === "string" && /^.+$/.test(value))

// A line takes fewer bits than a text with its quotes and its comma.
const writeValues = (values: readonly unknown[]): Column =>
  values.every(isLine) ? { lines: values.map(value => value ?? "").join("\n") } : values

// Values that repeat are written once, where that is much shorter; gzip does better with a few repetitions.
function writeColumn(column: readonly unknown[], at: number): Column {
  const cut = cutColumn(column, at)
  if (column.every(isShort)) return writeNumbers(cut)
  const texts = column.map(value => JSON.stringify(value))
  const distinct = [...new Set(texts)]
  const places = cutColumn(
    texts.map(value => distinct.indexOf(value)),
    at,
  )
  const short = { of: writeValues(distinct.map(value => JSON.parse(value))), at: writeNumbers(places) }
  const whole = writeValues(cut)
  return JSON.stringify(short).length * 2 < JSON.stringify(whole).length ? short : whole
}

// A loop, because a process that has compiled nothing yet calls functions slowly.
function readNumbers(text: string): readonly (number | null)[] {
  const numbers: (number | null)[] = []
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    numbers.push(unit === NONE ? null : unit - ZERO)
  }
  return numbers
}

/** Reads the values of a column; `destinations`: their codes in order. */
export function readColumn(column: Column, destinations: readonly string[]): readonly unknown[] {
  if (typeof column === "string") return readNumbers(column)
  if ("codes" in column) {
    return turn(readColumn(column.codes, destinations), true).map(place => destinations[place as number])
  }
  if ("lines" in column) return column.lines.split("\n").map(line => line || null)
  if (!("of" in column)) return column
  const values = readColumn(column.of, destinations)
  return readNumbers(column.at).map(place => values[place as number])
}

// ---- Documents

/** Whether it is a permit, its issuers run together, and its other terms if it has any. */
type ShortDocument = readonly [isPermit: 0 | 1, issuers: string, terms?: object]

const DOCUMENT_FIELDS: readonly string[] = ["held", "waivedFor"]

function shortenDocument({ kind, issuers, ...terms }: DocumentTerms): ShortDocument {
  const blocs = issuers.filter(each => each.startsWith("@"))
  const codes = issuers.filter(each => !each.startsWith("@")).join("")
  const short = [kind === "visa" ? 0 : 1, [...blocs, ...(codes === "" ? [] : [codes])].join(",")] as const
  return Object.keys(terms).length === 0 ? short : [...short, terms]
}

const readDocuments = (documents: readonly ShortDocument[]) =>
  documents.map(([isPermit, issuers, terms]) => ({
    kind: isPermit ? "residence_permit" : "visa",
    issuers: readCodes(issuers),
    ...terms,
  }))

// ---- Lists

/** Lays lists out by columns, and takes the remarks out, for the build only. */
export function writeLists(
  lists: Readonly<Record<string, ListRows>>,
  pairs: ListedPairs,
): { readonly rules: EmbeddedLists; readonly remarks: EmbeddedRemarks } {
  const { sorted } = new CodeLists(pairs)
  const names = Object.keys(lists)
  const forms = (name: string) => lists[name]!.fields.split(" ").map(field => field.split(":") as [string, string?])
  const valuesAt = (name: string, at: number) => lists[name]!.rows.map(row => row[at])
  const remarks = names.flatMap(name =>
    forms(name).flatMap(([field], at) => (isRemark(field) ? valuesAt(name, at).filter(text => text !== null) : [])),
  )
  // Sorted, because addresses of one site compress well next to each other.
  const texts = [...new Set(remarks as string[])].sort()
  const layOut = (name: string) => {
    const { fields, rows } = lists[name]!
    const own = forms(name).findIndex(([field]) => field === "destinations")
    const columns = forms(name).map(([field, form], at) => {
      const values = valuesAt(name, at)
      if (isRemark(field))
        return writeColumn(
          values.map(() => null),
          at,
        )
      if (form === "places") return writeColumn(turn(values, false), at)
      if (DOCUMENT_FIELDS.includes(field))
        return writeColumn(
          (values as readonly (readonly DocumentTerms[])[]).map(documents => documents.map(shortenDocument)),
          at,
        )
      if (form !== "codes" && form !== "scopecodes") return writeColumn(values, at)
      const places = values.map(code => sorted.indexOf(code as string))
      if (at === own && !places.includes(-1)) return { codes: writeColumn(turn(places, false), 0) }
      const shorten = (cell: string, row: number) =>
        at === own ? shortenDestinations(pairs, cell) : shortenCodes(pairs, cell, rows[row]![own] as string)
      return writeColumn(
        values.map((cell, row) => (cell === null ? null : shorten(cell as string, row))),
        at,
      )
    })
    return [name, { fields, columns }] as const
  }
  const hasPlaces = names.filter(name => forms(name).some(([field]) => isRemark(field)))
  return {
    rules: Object.fromEntries(names.filter(name => name !== "notes").map(layOut)),
    remarks: {
      texts,
      places: Object.fromEntries(
        hasPlaces.map(name => [
          name,
          forms(name).flatMap(([field], at) =>
            isRemark(field)
              ? [
                  writeColumn(
                    valuesAt(name, at).map(text => texts.indexOf(text as string) + 1),
                    1,
                  ),
                ]
              : [],
          ),
        ]),
      ),
      lists: Object.fromEntries(names.filter(name => name === "notes").map(layOut)),
    },
  }
}

/** Reads the lists back that {@link writeLists} has laid out, each when it is asked for; without the remarks where they are null. */
export function makeListReader(
  rules: EmbeddedLists,
  remarks: EmbeddedRemarks | null,
  pairs: ListedPairs,
): (name: string) => ListRows {
  const lists = new CodeLists(pairs)
  return name => {
    const { fields, columns } = (rules[name] ?? remarks?.lists[name])!
    const whole = columns.map(column => readColumn(column, lists.sorted))
    const length = whole[0]!.length
    const at = (column: readonly unknown[], row: number) => column[Math.min(row, column.length - 1)]
    const places = remarks?.places[name]?.map(column => readColumn(column, lists.sorted)) ?? []
    const names = fields.split(" ")
    let next = 0
    const readers = names.map((field, place): ((row: number, destinations: string) => unknown) => {
      const [own = "", form] = field.split(":")
      const column = whole[place]!
      if (isRemark(own)) {
        const numbers = places[next++]
        return row => (numbers === undefined ? null : (remarks!.texts[(at(numbers, row) as number) - 1] ?? null))
      }
      if (form === "places") {
        const turned = turn(
          Array.from({ length }, (_, row) => at(column, row)),
          true,
        )
        return row => turned[row]
      }
      if (own === "destinations") return (_, destinations) => destinations
      if (DOCUMENT_FIELDS.includes(own)) return row => readDocuments(at(column, row) as readonly ShortDocument[])
      if (form !== "codes" && form !== "scopecodes") return row => at(column, row)
      return (row, destinations) => {
        const cell = at(column, row)
        return cell === null ? null : lists.read(cell as string, destinations)
      }
    })
    const own = names.indexOf("destinations:codes")
    const rows = Array.from({ length }, (_, row) => {
      const destinations = own < 0 ? "" : lists.readDestinations(at(whole[own]!, row) as string)
      return readers.map(read => read(row, destinations))
    })
    return { fields, rows }
  }
}

// ---- Slots

// How is a dataset split and stored briefly in the package's own bundle, so that an app loads only what it uses?
//
// Its pairs as in a file, with one printable character a pair. The answers of all destinations are two texts: one of their contents, another one of the
// same length without its dividers of their origins.

/** The part of an embedded dataset that a lookup needs. */
export interface EmbeddedPairs {
  readonly header: Omit<PairsHeader, "answers">
  readonly columns: EmbeddedColumns
}

/** The columns of pairs, each for a destination. */
export interface EmbeddedColumns {
  /** By pair, one character: the number of its answer among those of the destination. */
  readonly pairs: string
  /** The contents of the answers of each destination. */
  readonly contents: string
  /** By answer of a destination: its origin. */
  readonly origins: string
}

/** Further data for groups and scores: the members of each zone, run together. */
export interface EmbeddedPlaces extends PlacesHeader {
  readonly zones: readonly string[]
}

/** Between the answers of two destinations: no byte has this character. */
const ANSWER_DIVIDER = "·"

/** The character of the number 0. */
export const FIRST = 0x22

/** Writes pairs as texts, for the build only. */
export function writePairs({ answers, ...header }: PairsHeader, pairs: Uint8Array): EmbeddedPairs {
  const write = (list: readonly number[], isOrigin: 0 | 1) =>
    writeByteText(Uint8Array.from(list.filter((_, at) => at % 2 === isOrigin)))
  return {
    header,
    columns: {
      contents: answers.map(list => write(list, 0)).join(ANSWER_DIVIDER),
      origins: write(answers.flat(), 1),
      pairs: String.fromCharCode(...pairs.map(number => FIRST + number)),
    },
  }
}

/** Reads the header back of pairs that {@link writePairs} has written. */
export function readHeader({ header, columns: { contents, origins } }: EmbeddedPairs): PairsHeader {
  const byteOf = readCharacters()
  const answers: number[][] = [[]]
  // A loop, because a process that has compiled nothing yet calls functions slowly.
  for (let at = 0, next = 0; at < contents.length; at++) {
    if (contents.charAt(at) === ANSWER_DIVIDER) answers.push([])
    else answers[answers.length - 1]!.push(byteOf[contents.charCodeAt(at)]!, byteOf[origins.charCodeAt(next++)]!)
  }
  return { ...header, answers }
}

/**
 * Splits a dataset into what a lookup needs, what groups and scores need besides, what decisions need besides, and remarks.
 *
 * @example
 * ```ts
 * Object.keys(splitEmbedded(parts)) // => ["pairs", "places", "retrievedDays", "rules", "remarks"]
 * ```
 */
export function splitEmbedded({ header, pairs, terms = NO_TERMS }: DatasetParts): {
  readonly pairs: EmbeddedPairs
  readonly places: EmbeddedPlaces
  readonly rules: EmbeddedLists
  readonly retrievedDays: readonly (number | null)[]
  readonly remarks: EmbeddedRemarks
} {
  const { regions, regionOf, gdpUsdMillions, ...asked } = header
  const asking = writePairs(asked, pairs)
  const { fields = "", rows = [] } = terms.lists.zones ?? {}
  const members = fields.split(" ").indexOf("members:members")
  return {
    pairs: asking,
    places: {
      regions,
      regionOf,
      gdpUsdMillions,
      zones: rows.map(row => (row[members] as MembersCell).map(([codes]) => codes).join("")),
    },
    retrievedDays: terms.retrievedDays,
    ...writeLists({ ...terms.lists, sources: { fields: "id title url kind", rows: terms.sources } }, asking),
  }
}
