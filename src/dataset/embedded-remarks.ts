/**
 * Which parts of a dataset are only for people, and how are they separated in a bundle?
 *
 * Addresses of pages, notes and the texts of logs: no rule depends on them, and they are a fifth of the bytes. They are in a separate file,
 * because only opening the whole dataset needs them.
 */
import type { EmbeddedRules } from "./embedded-form.ts"
import type { DetailRow, RuleRow, SaidRow, TermsSection } from "./terms-section.ts"

/** The parts that are only for people: addresses of pages, notes and the texts of logs. */
export interface EmbeddedRemarks {
  /** Each text once. */
  readonly texts: readonly string[]
  /**
   * For each place of a header that can have a remark, then of terms, in the order of {@link mapRemarks}: the index of its text from 1 on,
   * 0 for none.
   */
  readonly places: readonly [header: readonly number[], terms: readonly number[]]
  readonly policyNotes: TermsSection["policyNotes"]
  /** The indices of the details that have more than remarks. */
  readonly details: readonly number[]
  /** The rules that have only remarks, each with its place among all. */
  readonly rules: readonly (readonly [place: number, row: RuleRow])[]
}

/** By list of rows: the places of remarks in a row; from its end if negative. */
type RemarkPlaces = Readonly<Record<string, readonly number[]>>
const HEADER_REMARKS: RemarkPlaces = { zones: [-2], validity: [-2], transit: [-2] }
/** Those that the description of a pair shows and a decision does not. */
const PAIR_REMARKS: RemarkPlaces = { details: [1, 2], changes: [2, -2], checks: [2, 5] }
const TERM_REMARKS: RemarkPlaces = {
  ...PAIR_REMARKS,
  conditions: [2],
  waivers: [4, -2],
  stays: [9, -2],
  borders: [2, -2],
  kinds: [6, -2],
}

type Rows = readonly (readonly unknown[])[]

type ChangeRemark = (remark: string | null) => string | null

/** Copies rules with another value in each place that can have a remark. */
function mapRemarks(
  rules: EmbeddedRules,
  [changeHeader, changeTerms]: readonly [ChangeRemark, ChangeRemark],
  { header, terms } = { header: HEADER_REMARKS, terms: TERM_REMARKS },
): EmbeddedRules {
  // The reason why our answer stands against a second source is a remark; the reason why nothing decides is part of the answer.
  const changeSaid = (said: readonly SaidRow[], change: ChangeRemark) =>
    said.map(row => (row.length === 4 && row[3] === 0 ? [row[0], row[1], change(row[2]), 0] : row))
  // Place by place, because remarks of one kind compress well next to each other.
  const mapRows = (rows: Rows, places: readonly number[], change: ChangeRemark) =>
    places.reduce(
      (rows, place) =>
        rows.map(row => {
          const copy = row.slice()
          const at = place < 0 ? row.length + place : place
          const value = row[at]
          copy[at] = Array.isArray(value) ? changeSaid(value, change) : change(value as string | null)
          return copy
        }),
      rows,
    )
  const mapLists = <Lists extends object>(lists: Lists, remarks: RemarkPlaces, change: ChangeRemark): Lists => {
    const mapped = Object.entries(remarks).map(([name, places]) => {
      const rows = (lists as Readonly<Record<string, Rows | undefined>>)[name]
      return [name, rows === undefined ? undefined : mapRows(rows, places, change)] as const
    })
    return { ...lists, ...Object.fromEntries(mapped) }
  }
  return {
    sources: rules.sources,
    header: mapLists(rules.header, header, changeHeader),
    ...(rules.terms === undefined ? {} : { terms: mapLists(rules.terms, terms, changeTerms) }),
  }
}

const withPolicyNotes = (rules: EmbeddedRules, policyNotes: TermsSection["policyNotes"]): EmbeddedRules =>
  rules.terms === undefined ? rules : { ...rules, terms: { ...rules.terms, policyNotes } }

/** Takes the remarks out of rules. */
export function takeRemarks(whole: EmbeddedRules): {
  readonly rules: EmbeddedRules
  readonly remarks: EmbeddedRemarks
} {
  const found: readonly [(string | null)[], (string | null)[]] = [[], []]
  const take = (list: (string | null)[]) => (remark: string | null) => {
    list.push(remark)
    return null
  }
  const { terms, ...bare } = mapRemarks(whole, [take(found[0]), take(found[1])])
  // Sorted, because addresses of one site compress well next to each other.
  const texts = [...new Set(found.flat())].filter(text => text !== null).sort()
  const placeOf = new Map(texts.map((text, at) => [text, at + 1]))
  const place = (text: string | null) => (text === null ? 0 : (placeOf.get(text) as number))
  const remarks = {
    texts,
    places: [found[0].map(place), found[1].map(place)] as const,
    policyNotes: whole.terms?.policyNotes ?? [],
  }
  if (terms === undefined) return { rules: bare, remarks: { ...remarks, details: [], rules: [] } }
  const isJudged = ([, detail, ...rest]: RuleRow) => {
    const [ended, , ...days] = rest
    const [conditions, ...dated] = terms.details[detail ?? -1] ?? NO_DETAIL
    return conditions.length > 0 || [ended, ...days, ...dated].some(value => value !== null)
  }
  const judged = terms.rules.filter(isJudged)
  const details = [...new Set(judged.map(([, detail]) => detail))].filter(detail => detail !== null)
  details.sort((a, b) => a - b)
  return {
    rules: {
      ...bare,
      terms: {
        ...terms,
        policyNotes: [],
        details: details.map(place => terms.details[place] ?? NO_DETAIL),
        rules: judged.map(([code, detail, ...rest]) => [
          code,
          detail === null ? null : details.indexOf(detail),
          ...rest,
        ]),
      },
    },
    remarks: { ...remarks, details, rules: [...terms.rules.entries()].filter(([, row]) => !isJudged(row)) },
  }
}

const NO_DETAIL: DetailRow = [[], null, null, null, null]

/** Puts remarks back into the rules that they were taken out of. */
export function putRemarks(rules: EmbeddedRules, remarks: EmbeddedRemarks): EmbeddedRules {
  const { texts, places, policyNotes } = remarks
  const putNext = (list: readonly number[]) => {
    let next = 0
    return () => texts[(list[next++] as number) - 1] ?? null
  }
  const putTexts = (bare: EmbeddedRules) => mapRemarks(bare, [putNext(places[0]), putNext(places[1])])
  const { terms } = rules
  if (terms === undefined) return putTexts(rules)
  // Each detail is of some rule.
  const all = terms.rules.map(
    ([code, detail, ...rest]): RuleRow => [code, detail === null ? null : (remarks.details[detail] as number), ...rest],
  )
  for (const [place, row] of remarks.rules) all.splice(place, 0, row)
  const details = new Array<DetailRow>(1 + Math.max(-1, ...all.map(([, detail]) => detail ?? -1))).fill(NO_DETAIL)
  remarks.details.forEach((place, at) => {
    details[place] = terms.details[at] as DetailRow
  })
  return putTexts({ ...rules, terms: { ...terms, policyNotes, details, rules: all } })
}

const leave = () => null

/** Leaves out the remarks that no decision shows, for a program that describes no pair. */
export const leavePairRemarks = (whole: EmbeddedRules): EmbeddedRules =>
  withPolicyNotes(mapRemarks(whole, [leave, leave], { header: {}, terms: PAIR_REMARKS }), [])
