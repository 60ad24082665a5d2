/**
 * How are the lists of passports in rules written short in a bundle?
 *
 * Whom a rule binds mostly follows from what is asked of them: all who need a visa, all who need none. So a list says what holds for the holders of
 * each answer in the table of pairs, and names the exceptions: a third of the bytes of the codes. The codes are back before anything reads the rules.
 */
import type { EmbeddedPairs, EmbeddedRules } from "./embedded-form.ts"
import { splitCodes } from "./pair-table.ts"
import { SAYS_NOTHING, SAYS_THE_SAME, type ScopeRow } from "./terms-section.ts"

/** Between the exceptions of a short list and its answers: neither codes nor the characters of pairs have it. */
const DIVIDER = "·"

/** A list of codes is one character for each passport too. */
const OUTSIDE = SAYS_NOTHING
const INSIDE = SAYS_THE_SAME

type ChangeCodes = <Codes extends string | null>(codes: Codes, destinations: string) => Codes

/** What becomes of the lists of rules for destinations. */
interface Change {
  readonly codes: ChangeCodes
  /** One character for each passport, in the order of codes. */
  readonly marks: (marks: string, destination: string) => string
}

/** The holders of passports at a destination, in the order of the pairs. */
interface Holders {
  readonly passports: readonly string[]
  readonly rowOf: ReadonlyMap<string, number>
  /** One character for each passport: the answers at the first of some destinations. */
  readonly answersAt: (destinations: string) => string
}

function findHolders({ header, pairs }: EmbeddedPairs): Holders {
  const passports = splitCodes(header.passports)
  const columns = splitCodes(header.destinations)
  const answersAt = (destinations: string) => {
    // A destination without pairs is at -1, and no answers begin before the first.
    const start = columns.indexOf(destinations.slice(0, 3)) * passports.length
    return pairs.slice(start, start + passports.length)
  }
  return { passports, rowOf: new Map(passports.map((code, row) => [code, row])), answersAt }
}

// By row, what `marked` makes of its mark. Of citizens at home nothing is said, unless they are exceptions. Visits marks alone, because most passports have
// the usual one.
function restoreMarks(
  { passports, rowOf, answersAt }: Holders,
  text: string,
  destinations: string,
  usual: string,
  marked = (mark: string, _passport: string) => mark,
): string[] {
  const marks: string[] = new Array(passports.length).fill(usual)
  const put = (row = -1, mark: string) => {
    if (row >= 0) marks[row] = marked(mark, passports[row] as string)
  }
  const divider = text.indexOf(DIVIDER)
  const answers = answersAt(destinations)
  for (let at = divider + 1; at < text.length; at += 2) {
    const answer = text.charAt(at)
    for (let row = answers.indexOf(answer); row >= 0; row = answers.indexOf(answer, row + 1)) {
      put(row, text.charAt(at + 1))
    }
  }
  put(rowOf.get(destinations.slice(0, 3)), SAYS_NOTHING)
  for (let at = 0; at < divider; at += 4) put(rowOf.get(text.slice(at, at + 3)), text.charAt(at + 3))
  return marks
}

const nameInside = (mark: string, passport: string) => (mark === INSIDE ? passport : "")

/** Brings lists back that {@link makeListWriter} has made short. */
export function makeListReader(pairs: EmbeddedPairs): Change {
  const holders = findHolders(pairs)
  const byCode = [...holders.rowOf].sort().map(([, row]) => row)
  return {
    codes: ((text, destinations) =>
      text?.includes(DIVIDER)
        ? restoreMarks(holders, text, destinations, "", nameInside).join("")
        : text) as ChangeCodes,
    marks: (text, destination) => {
      const marks = restoreMarks(holders, text, destination, SAYS_THE_SAME)
      return byCode.map(row => marks[row]).join("")
    },
  }
}

function shortenMarks(holders: Holders, marks: readonly string[], destinations: string, usual: string): string {
  const { passports, answersAt } = holders
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
    return mark === usual ? "" : answer + mark
  })
  const text = DIVIDER + most.sort().join("")
  const guessed = restoreMarks(holders, text, destinations, usual)
  return passports.map((code, row) => (guessed[row] === marks[row] ? "" : code + marks[row])).join("") + text
}

/** Makes lists short, for the build alone; a list of codes stays as it is where that is shorter. */
export function makeListWriter(pairs: EmbeddedPairs): Change {
  const holders = findHolders(pairs)
  const byCode = [...holders.passports].sort()
  const read = makeListReader(pairs)
  const writeCodes = (codes: string, destinations: string) => {
    const inside = new Set(splitCodes(codes))
    const marks = holders.passports.map(passport => (inside.has(passport) ? INSIDE : OUTSIDE))
    const text = shortenMarks(holders, marks, destinations, OUTSIDE)
    // A list may name what has no row of pairs.
    return text.length < codes.length && read.codes(text, destinations) === codes ? text : codes
  }
  return {
    codes: ((codes, destinations) => codes && writeCodes(codes, destinations)) as ChangeCodes,
    marks: (marks, destination) => {
      const byRow = holders.passports.map(code => marks.charAt(byCode.indexOf(code)))
      return shortenMarks(holders, byRow, destination, SAYS_THE_SAME)
    },
  }
}

/** Copies rules with other lists. */
export function mapLists({ sources, header, terms }: EmbeddedRules, { codes, marks }: Change): EmbeddedRules {
  const mapScopes = (scopes: readonly ScopeRow[], destinations: string): readonly ScopeRow[] =>
    scopes.map(([rank, passports, except, ...days]) => [
      rank,
      codes(passports, destinations),
      codes(except, destinations),
      ...days,
    ])
  // Behind scopes stands where a row was read, before them the destinations.
  const mapScoped = <Row extends readonly unknown[]>(rows: readonly Row[]) =>
    rows.map(row => {
      const at = row.length - 4
      return row.map((value, place) =>
        place === at ? mapScopes(value as readonly ScopeRow[], row[at - 1] as string) : value,
      ) as unknown as Row
    })
  return {
    sources,
    header: {
      ...header,
      // Passports stand before destinations.
      transit: header.transit?.map(row =>
        row.map((value, at) => (at === 6 ? codes(value as string | null, row[7] as string) : value)),
      ),
    },
    terms: terms && {
      ...terms,
      rules: terms.rules.map(([destination, detail, ended, passports, ...days]) => [
        destination,
        detail,
        ended,
        codes(passports, destination),
        ...days,
      ]),
      waivers: mapScoped(terms.waivers),
      stays: mapScoped(terms.stays),
      checks: terms.checks.map(([destination, day, said, says, ...read]) => [
        destination,
        day,
        said,
        marks(says, destination),
        ...read,
      ]),
    },
  }
}
