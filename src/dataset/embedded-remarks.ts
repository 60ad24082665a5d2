/**
 * Which parts of a dataset are only for people, and how are they separated in a bundle?
 *
 * Addresses of pages, notes and the texts of logs: no rule depends on them, and they are a fifth of the bytes. They are in a separate file,
 * because only opening the whole dataset needs them.
 */
import type { EmbeddedLists, Rows } from "./embedded-form.ts"
import type { DetailRow, RuleRow, SaidRow, TermsSection } from "./terms-section.ts"

/** The parts that are only for people: addresses of pages, notes and the texts of logs. */
export interface EmbeddedRemarks {
  /** Each text once. */
  readonly texts: readonly string[]
  /** By list: for each place that can have a remark, the index of its text from 1 on, 0 for none. */
  readonly places: Readonly<Record<string, readonly number[]>>
  readonly policyNotes: TermsSection["policyNotes"]
  /** How many details there are, and the indices of those that have more than remarks. */
  readonly details: readonly [count: number, ...places: number[]]
  /** The rules that have only remarks, each with its place among all. */
  readonly rules: readonly (readonly [place: number, row: RuleRow])[]
}

/** By list of rows: the places of remarks in a row; from its end if negative. */
type RemarkPlaces = Readonly<Record<string, readonly number[]>>
/** Those that the description of a pair shows and a decision does not. */
const PAIR_REMARKS: RemarkPlaces = { details: [1, 2], changes: [2, -2], checks: [2, 5] }
const REMARKS: RemarkPlaces = { ...PAIR_REMARKS, zones: [-2], conditions: [2] }
/** Those of provisions. */
const REMARK_FIELDS = ["note", "sourceUrl"]

type ChangeRemark = (remark: string | null) => string | null

const placesIn = (name: string, fields: string | undefined) =>
  fields === undefined
    ? (REMARKS[name] ?? [])
    : REMARK_FIELDS.map(field => fields.split(" ").indexOf(field)).filter(at => at >= 0)

// Copies rows with another value in each place that can have a remark; place by place, because remarks of one kind compress well next to each
// other.
function mapRemarks(rows: Rows, places: readonly number[], change: ChangeRemark): Rows {
  // The reason why our answer stands against a second source is a remark; the reason why nothing decides is part of the answer.
  const changeSaid = (said: readonly SaidRow[]) =>
    said.map(row => (row.length === 4 && row[3] === 0 ? [row[0], row[1], change(row[2]), 0] : row))
  return places.reduce(
    (all, place) =>
      all.map(row => {
        const copy = row.slice()
        const at = place < 0 ? row.length + place : place
        const value = row[at]
        copy[at] = Array.isArray(value) ? changeSaid(value) : change(value as string | null)
        return copy
      }),
    rows,
  )
}

const NO_DETAIL: DetailRow = [[], null, null, null, null]

/** Takes the remarks out of lists. */
export function takeRemarks({ fields, lists }: EmbeddedLists): {
  readonly rules: EmbeddedLists
  readonly remarks: EmbeddedRemarks
} {
  const found: Record<string, (string | null)[]> = {}
  const bare = Object.entries(lists).map(([name, rows]) => {
    const taken: (string | null)[] = []
    const take = (remark: string | null) => {
      taken.push(remark)
      return null
    }
    const left = mapRemarks(rows, placesIn(name, fields[name]), take)
    if (taken.length > 0) found[name] = taken
    return [name, left] as const
  })
  // Sorted, because addresses of one site compress well next to each other.
  const texts = [...new Set(Object.values(found).flat())].filter(text => text !== null).sort()
  const placeOf = new Map(texts.map((text, at) => [text, at + 1]))
  const numbers = (list: readonly (string | null)[]) =>
    list.map(text => (text === null ? 0 : (placeOf.get(text) as number)))
  const { details = [], rules = [], ...rest } = Object.fromEntries(bare) as Readonly<Record<string, Rows>>
  const all = rules as readonly RuleRow[]
  const isJudged = ([, detail, ...more]: RuleRow) => {
    const [ended, , ...days] = more
    const [conditions, ...dated] = (details[detail ?? -1] ?? NO_DETAIL) as DetailRow
    return conditions.length > 0 || [ended, ...days, ...dated].some(value => value !== null)
  }
  const judged = all.filter(isJudged)
  const kept = [...new Set(judged.map(([, detail]) => detail))].filter(detail => detail !== null)
  kept.sort((a, b) => a - b)
  return {
    rules: {
      fields,
      lists: {
        ...rest,
        policyNotes: [],
        details: kept.map(place => details[place] ?? NO_DETAIL),
        rules: judged.map(([code, detail, ...more]) => [code, detail === null ? null : kept.indexOf(detail), ...more]),
      },
    },
    remarks: {
      texts,
      places: Object.fromEntries(Object.entries(found).map(([name, list]) => [name, numbers(list)])),
      policyNotes: (lists.policyNotes ?? []) as unknown as TermsSection["policyNotes"],
      details: [details.length, ...kept],
      rules: [...all.entries()].filter(([, row]) => !isJudged(row)),
    },
  }
}

/** Puts the remarks of a list back into its rows that they were taken out of. */
export function putRemarks(
  { texts, places, policyNotes, details: [count, ...kept], rules }: EmbeddedRemarks,
  name: string,
  bare: Rows,
  fields: string | undefined,
): Rows {
  if (name === "policyNotes") return policyNotes
  if (name === "rules") {
    const all = bare.map(([code, detail, ...more]) => [code, detail === null ? null : kept[detail as number], ...more])
    for (const [place, row] of rules) all.splice(place, 0, [...row])
    return all
  }
  const rows: (readonly unknown[])[] = name === "details" ? new Array(count).fill(NO_DETAIL) : [...bare]
  if (name === "details") for (const [at, row] of bare.entries()) rows[kept[at] as number] = row
  const list = places[name] ?? []
  let next = 0
  return mapRemarks(rows, placesIn(name, fields), () => texts[(list[next++] as number) - 1] ?? null)
}

/** Leaves the remarks of a list out that no decision shows, for a program that describes no pair. */
export const leavePairRemarks = (name: string, rows: Rows): Rows =>
  name === "policyNotes" ? [] : mapRemarks(rows, PAIR_REMARKS[name] ?? [], () => null)
