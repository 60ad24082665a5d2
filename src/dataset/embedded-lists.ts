/**
 * How are the lists of passports in rules stored briefly in a bundle?
 *
 * The scope of a rule mostly follows from the requirement: all passports that need a visa, or all that need none. So a list has a value for
 * each answer in the table of pairs, and then the exceptions, each as its distance from the previous one: a quarter of the bytes of the
 * codes. The codes are restored before anything reads the rules.
 */

import { splitCodes } from "../codes.ts"
import { readCharacters, writeByteText } from "./byte-text.ts"
import type { EmbeddedPairs, Rows } from "./embedded-form.ts"
import { SAYS_NOTHING, SAYS_THE_SAME } from "./terms-section.ts"

/** Before each group of exceptions: the character of byte 0, which no code and no distance has. */
const DIVIDER = " "

/** A list of codes is one character for each passport too. */
const OUTSIDE = SAYS_NOTHING
const INSIDE = SAYS_THE_SAME

/** The passports and destinations of pairs, and what tells answers at one destination apart. */
interface ListedPairs {
  readonly header: Pick<EmbeddedPairs["header"], "passports" | "destinations">
  readonly columns: Pick<EmbeddedPairs["columns"], "pairs">
}

/** Changes of the lists in rules for destinations. */
interface Change {
  readonly codes: (codes: string, destinations: string) => string
  /** One character for each passport, in the order of codes. */
  readonly marks: (marks: string, destination: string) => string
  /** Codes of destinations, in the order of the alphabet. */
  readonly destinations: (codes: string) => string
}

/** The holders of passports at a destination. */
interface Holders {
  /** Their codes in order, and the place of each row of the pairs in it. */
  readonly codes: readonly string[]
  readonly places: Uint8Array
  /** Destinations in the order of the pairs. */
  readonly columns: readonly string[]
  /** One character for each row: the answers at the first of some destinations. */
  readonly answersAt: (destinations: string) => string
}

function findHolders({ header, columns: { pairs } }: ListedPairs): Holders {
  const passports = splitCodes(header.passports)
  const columns = splitCodes(header.destinations)
  const codes = [...passports].sort()
  return {
    codes,
    places: Uint8Array.from(passports, code => codes.indexOf(code)),
    columns,
    answersAt: destinations => {
      const at = columns.indexOf(destinations.slice(0, 3)) * codes.length
      return at < 0 ? "" : pairs.slice(at, at + codes.length)
    },
  }
}

// Restores the code of each passport's mark. Citizens at home have no mark, unless they are exceptions. It only visits marks, because most
// passports have the usual one, and writes bytes, because a process that has compiled nothing yet joins and fills them ten times faster than
// strings.
function restoreMarks({ codes, places, answersAt }: Holders, text: string, destinations: string, usual: string) {
  const marks = new Uint8Array(codes.length).fill(usual.charCodeAt(0))
  const divider = text.lastIndexOf(DIVIDER)
  const answers = answersAt(destinations)
  for (let at = divider + 1; at < text.length; at += 2) {
    const answer = text.charAt(at)
    const mark = text.charCodeAt(at + 1)
    for (let row = answers.indexOf(answer); row >= 0; row = answers.indexOf(answer, row + 1)) {
      marks[places[row] as number] = mark
    }
  }
  // At -1 nothing is stored.
  marks[codes.indexOf(destinations.slice(0, 3))] = SAYS_NOTHING.charCodeAt(0)
  let row = -1
  let mark = 0
  for (let at = 0; at < divider; at++) {
    if (text.charAt(at) === DIVIDER) {
      row = -1
      mark = text.charCodeAt(++at)
    } else {
      row += distanceOf(text.charAt(at))
      marks[places[row] as number] = mark
    }
  }
  return marks
}

const DISTANCES = /* @__PURE__ */ readCharacters()
const distanceOf = (character: string): number => DISTANCES[character.charCodeAt(0)] as number
const INSIDE_MARK = /* @__PURE__ */ INSIDE.charCodeAt(0)

const writeMarks = (marks: Uint8Array): string => String.fromCharCode.apply(null, marks as unknown as number[])

/** Restores lists that {@link makeListWriter} has shortened. */
export function makeListReader(pairs: ListedPairs): Change {
  const holders = findHolders(pairs)
  return {
    codes: (text, destinations) => {
      if (!text.includes(DIVIDER)) return text
      const marks = restoreMarks(holders, text, destinations, OUTSIDE)
      let inside = ""
      for (let at = marks.indexOf(INSIDE_MARK); at >= 0; at = marks.indexOf(INSIDE_MARK, at + 1)) {
        inside += holders.codes[at]
      }
      return inside
    },
    marks: (text, destination) => writeMarks(restoreMarks(holders, text, destination, SAYS_THE_SAME)),
    destinations: text => {
      if (!text.includes(DIVIDER)) return text
      let column = -1
      const codes = Array.from(text.slice(1), distance => {
        column += distanceOf(distance)
        return holders.columns[column]
      })
      return codes.sort().join("")
    },
  }
}

const writeDistances = (places: readonly number[]) =>
  writeByteText(Uint8Array.from(places, (place, at) => place - (places[at - 1] ?? -1)))

// `marks` are in the order of codes; exceptions are named by their rows, where passports that are treated alike are neighbours.
function shortenMarks(holders: Holders, marks: string, destinations: string, usual: string): string {
  const { codes, places, answersAt } = holders
  const counts = new Map<string, Map<string, number>>()
  const answers = [...answersAt(destinations)]
  const rows = [...places.keys()]
  const markOf = (row: number) => marks.charAt(places[row] as number)
  answers.forEach((answer, row) => {
    if (codes[places[row] as number] === destinations.slice(0, 3)) return
    const ofAnswer = counts.get(answer) ?? new Map<string, number>()
    counts.set(answer, ofAnswer.set(markOf(row), (ofAnswer.get(markOf(row)) ?? 0) + 1))
  })
  const most = [...counts].map(([answer, ofAnswer]) => {
    const [mark] = [...ofAnswer].reduce((first, next) => (next[1] > first[1] ? next : first))
    return mark === usual || answer === DIVIDER ? "" : answer + mark
  })
  const text = DIVIDER + most.sort().join("")
  const guessed = writeMarks(restoreMarks(holders, text, destinations, usual))
  const exceptions = rows.filter(row => guessed[places[row] as number] !== markOf(row))
  const groups = [...new Set(exceptions.map(markOf))].sort().map(mark => {
    return DIVIDER + mark + writeDistances(exceptions.filter(row => markOf(row) === mark))
  })
  return groups.join("") + text
}

/** Shortens lists, for the build only; a list of codes stays unchanged if that is shorter. */
export function makeListWriter(pairs: ListedPairs): Change {
  const holders = findHolders(pairs)
  const { columns } = holders
  const read = makeListReader(pairs)
  return {
    // The destinations of a rule may be short already.
    codes: (codes, destinations) => {
      const inside = new Set(splitCodes(codes))
      const marks = holders.codes.map(code => (inside.has(code) ? INSIDE : OUTSIDE)).join("")
      const text = shortenMarks(holders, marks, read.destinations(destinations), OUTSIDE)
      // A list may name what has no row of pairs.
      const isShorter = text.length < codes.length && read.codes(text, read.destinations(destinations)) === codes
      return isShorter ? text : codes
    },
    marks: (marks, destination) => shortenMarks(holders, marks, destination, SAYS_THE_SAME),
    destinations: codes => {
      const places = splitCodes(codes).map(code => columns.indexOf(code))
      const text = DIVIDER + writeDistances(places.sort((a, b) => a - b))
      return !places.includes(-1) && read.destinations(text) === codes ? text : codes
    },
  }
}

const CONDITION_FIELDS = "condition ranks destinations:codes passports:codes except:codes from until"

/** Copies a list of rows with other lists in them; `fields` are those of a kind of provision. */
export function mapList(name: string, rows: Rows, change: Change, fields: string | undefined): Rows {
  const { codes, marks } = change
  if (name === "policyConditions") return mapList("", rows, change, CONDITION_FIELDS)
  if (fields !== undefined) return rows.map(row => mapProvision(fields.split(" "), row, change))
  if (name !== "rules" && name !== "checks") return rows
  const map = name === "rules" ? codes : marks
  return rows.map(row => row.map((cell, at) => (at === 3 ? map(cell as string, row[0] as string) : cell)))
}

// The other lists of a provision are shortened by the answers at its first destination.
function mapProvision(
  fields: readonly string[],
  row: readonly unknown[],
  { codes, destinations }: Change,
): readonly unknown[] {
  const own = fields.indexOf("destinations:codes")
  const places = destinations(row[own] as string)
  return row.map((cell, at) => {
    const field = fields[at] as string
    if (at === own) return places
    if (typeof cell !== "string") return cell
    if (!field.endsWith("codes")) return cell
    // A shortened list begins with the divider, and may have a comma.
    const [blocs] = /^(?:@[\w-]+,?)*/.exec(cell) as unknown as [string]
    return blocs + codes(cell.slice(blocs.length), places)
  })
}
