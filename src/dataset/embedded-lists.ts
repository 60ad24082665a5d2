/**
 * How are the lists of passports in rules stored briefly in a bundle?
 *
 * The scope of a rule mostly follows from the requirement: all passports that need a visa, or all that need none. So a list has a value for
 * each answer in the table of pairs, and then the exceptions, each as its distance from the previous one: a quarter of the bytes of the
 * codes. The codes are restored before anything reads the rules.
 */
import { readCharacters, writeByteText } from "./byte-text.ts"
import type { EmbeddedPairs, EmbeddedRules } from "./embedded-form.ts"
import { splitCodes } from "./pair-table.ts"
import { type CheckRow, type RuleRow, SAYS_NOTHING, SAYS_THE_SAME, type ScopeRow } from "./terms-section.ts"

/** Before each group of exceptions: the character of byte 0, which no code and no distance has. */
const DIVIDER = " "

/** A list of codes is one character for each passport too. */
const OUTSIDE = SAYS_NOTHING
const INSIDE = SAYS_THE_SAME

/** `isSorted`: the codes are in alphabetical order, not in that of the pairs. */
type ChangeCodes = <Codes extends string | null>(codes: Codes, destinations: string, isSorted?: boolean) => Codes

/** The passports and destinations of pairs, and what tells answers at one destination apart. */
interface ListedPairs {
  readonly header: Pick<EmbeddedPairs["header"], "passports" | "destinations">
  readonly columns: Pick<EmbeddedPairs["columns"], "pairs">
}

/** Changes of the lists in rules for destinations. */
interface Change {
  readonly codes: ChangeCodes
  /** One character for each passport, in the order of codes. */
  readonly marks: (marks: string, destination: string) => string
  /** Codes of destinations, in the order of the alphabet. */
  readonly destinations: (codes: string) => string
}

/** The holders of passports at a destination, in the order of the pairs. */
interface Holders {
  readonly passports: readonly string[]
  readonly rowOf: ReadonlyMap<string, number>
  /** The rows, and by row its place in the order of codes. */
  readonly rows: Uint8Array
  readonly places: Uint8Array
  /** Destinations in the order of the pairs. */
  readonly columns: readonly string[]
  /** One character for each passport: the answers at the first of some destinations. */
  readonly answersAt: (destinations: string) => string
}

function findHolders({ header, columns: { pairs } }: ListedPairs): Holders {
  const passports = splitCodes(header.passports)
  const columns = splitCodes(header.destinations)
  const answers = new Map(
    columns.map((code, at) => [code, pairs.slice(at * passports.length, (at + 1) * passports.length)]),
  )
  const sorted = [...passports].sort()
  return {
    passports,
    rowOf: new Map(passports.map((code, row) => [code, row])),
    rows: Uint8Array.from(passports, (_, row) => row),
    places: Uint8Array.from(passports, code => sorted.indexOf(code)),
    columns,
    answersAt: destinations => answers.get(destinations.slice(0, 3)) ?? "",
  }
}

// Restores the code of each row's mark, in the places of `order`. Citizens at home have no mark, unless they are exceptions. It only visits
// marks, because most passports have the usual one, and writes bytes, because a process that has compiled nothing yet joins and fills them
// ten times faster than strings.
function restoreMarks(
  { passports, rowOf, answersAt }: Holders,
  text: string,
  destinations: string,
  { order, usual }: { readonly order: Uint8Array; readonly usual: string },
): Uint8Array {
  const marks = new Uint8Array(passports.length).fill(usual.charCodeAt(0))
  const divider = text.lastIndexOf(DIVIDER)
  const answers = answersAt(destinations)
  for (let at = divider + 1; at < text.length; at += 2) {
    const answer = text.charAt(at)
    const mark = text.charCodeAt(at + 1)
    for (let row = answers.indexOf(answer); row >= 0; row = answers.indexOf(answer, row + 1)) {
      marks[order[row] as number] = mark
    }
  }
  const home = rowOf.get(destinations.slice(0, 3))
  if (home !== undefined) marks[order[home] as number] = SAYS_NOTHING.charCodeAt(0)
  let row = -1
  let mark = 0
  for (let at = 0; at < divider; at++) {
    if (text.charAt(at) === DIVIDER) {
      row = -1
      mark = text.charCodeAt(++at)
    } else {
      row += distanceOf(text.charAt(at))
      marks[order[row] as number] = mark
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
  const { passports, rows, places, columns } = holders
  const restoreCodes = (text: string, destinations: string, isSorted?: boolean) => {
    const marks = restoreMarks(holders, text, destinations, { order: rows, usual: OUTSIDE })
    const inside: string[] = []
    for (let row = marks.indexOf(INSIDE_MARK); row >= 0; row = marks.indexOf(INSIDE_MARK, row + 1)) {
      inside.push(passports[row] as string)
    }
    return (isSorted ? inside.sort() : inside).join("")
  }
  return {
    codes: ((text, destinations, isSorted) =>
      text?.includes(DIVIDER) ? restoreCodes(text, destinations, isSorted) : text) as ChangeCodes,
    marks: (text, destination) =>
      writeMarks(restoreMarks(holders, text, destination, { order: places, usual: SAYS_THE_SAME })),
    destinations: text => {
      if (!text.includes(DIVIDER)) return text
      let column = -1
      const codes = Array.from(text.slice(1), distance => {
        column += distanceOf(distance)
        return columns[column]
      })
      return codes.sort().join("")
    },
  }
}

const writeDistances = (places: readonly number[]) =>
  writeByteText(Uint8Array.from(places, (place, at) => place - (places[at - 1] ?? -1)))

function shortenMarks(holders: Holders, marks: readonly string[], destinations: string, usual: string): string {
  const { passports, rows, answersAt } = holders
  const counts = new Map<string, Map<string, number>>()
  const answers = [...answersAt(destinations)]
  answers.forEach((answer, row) => {
    if (passports[row] === destinations.slice(0, 3)) return
    const mark = marks[row] as string
    const ofAnswer = counts.get(answer) ?? new Map<string, number>()
    counts.set(answer, ofAnswer.set(mark, (ofAnswer.get(mark) ?? 0) + 1))
  })
  const most = [...counts].map(([answer, ofAnswer]) => {
    const [mark] = [...ofAnswer].reduce((first, next) => (next[1] > first[1] ? next : first))
    return mark === usual || answer === DIVIDER ? "" : answer + mark
  })
  const text = DIVIDER + most.sort().join("")
  const guessed = writeMarks(restoreMarks(holders, text, destinations, { order: rows, usual }))
  const exceptions = [...rows].filter(row => guessed[row] !== marks[row])
  const groups = [...new Set(exceptions.map(row => marks[row] as string))].sort().map(mark => {
    return DIVIDER + mark + writeDistances(exceptions.filter(row => marks[row] === mark))
  })
  return groups.join("") + text
}

/** Shortens lists, for the build only; a list of codes stays unchanged if that is shorter. */
export function makeListWriter(pairs: ListedPairs): Change {
  const holders = findHolders(pairs)
  const { passports, places, columns } = holders
  const read = makeListReader(pairs)
  const writeCodes = (codes: string, destinations: string, isSorted?: boolean) => {
    const inside = new Set(splitCodes(codes))
    const marks = passports.map(passport => (inside.has(passport) ? INSIDE : OUTSIDE))
    const text = shortenMarks(holders, marks, destinations, OUTSIDE)
    // A list may name what has no row of pairs.
    return text.length < codes.length && read.codes(text, destinations, isSorted) === codes ? text : codes
  }
  return {
    // The destinations of a rule may be short already.
    codes: ((codes, destinations, isSorted) =>
      codes && writeCodes(codes, read.destinations(destinations), isSorted)) as ChangeCodes,
    marks: (marks, destination) =>
      shortenMarks(
        holders,
        [...places].map(place => marks.charAt(place)),
        destination,
        SAYS_THE_SAME,
      ),
    destinations: codes => {
      const places = splitCodes(codes).map(code => columns.indexOf(code))
      const text = DIVIDER + writeDistances(places.sort((a, b) => a - b))
      return !places.includes(-1) && read.destinations(text) === codes ? text : codes
    },
  }
}

/** Copies rows with another value at a place. */
const mapPlace = <Row extends readonly unknown[]>(
  rows: readonly Row[],
  place: number,
  change: (value: never, row: never) => unknown,
): readonly Row[] =>
  rows.map(row => {
    const copy = row.slice()
    copy[place] = change(row[place] as never, row as never)
    return copy as unknown as Row
  })

/** Copies rules with other lists. */
export function mapLists(
  { sources, header, terms }: EmbeddedRules,
  { codes, marks, destinations }: Change,
): EmbeddedRules {
  // Scopes follow their destinations.
  const mapScoped = <Row extends readonly unknown[]>(rows: readonly Row[], place: number) =>
    mapPlace(rows, place, (scopes: readonly ScopeRow[], row: readonly string[]) =>
      scopes.map(([rank, passports, except, ...days]) => {
        const at = row[place - 1] as string
        return [rank, codes(passports, at), codes(except, at), ...days]
      }),
    )
  return {
    sources,
    header: {
      ...header,
      validity: header.validity && mapPlace(header.validity, 5, destinations),
      // Passports precede destinations.
      transit:
        header.transit &&
        mapPlace(mapPlace(header.transit, 7, destinations), 6, (text: string | null, row: readonly string[]) =>
          codes(text, row[7] as string, true),
        ),
    },
    terms: terms && {
      ...terms,
      rules: mapPlace(terms.rules, 3, (text: string, [destination]: RuleRow) => codes(text, destination)),
      waivers: mapScoped(terms.waivers, 8),
      stays: mapScoped(terms.stays, 12),
      checks: mapPlace(terms.checks, 3, (text: string, [destination]: CheckRow) => marks(text, destination)),
    },
  }
}
