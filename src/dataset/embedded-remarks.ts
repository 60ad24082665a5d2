/**
 * What of a dataset do people alone read, and how is it kept apart in a bundle?
 *
 * Addresses of pages and notes: no rule is judged by them, and they are a fifth of the bytes. In a file of its own, because nothing but opening the
 * whole dataset needs it.
 */
import type { EmbeddedRules } from "./embedded-form.ts"
import type { TermsSection } from "./terms-section.ts"

/** What people alone read of it: addresses of pages, and notes. */
export interface EmbeddedRemarks {
  /** Each text once. */
  readonly texts: readonly string[]
  /** For each place where a remark may stand, in the order of {@link mapRemarks}: the place of its text from 1 on, 0 for none. */
  readonly places: readonly number[]
  readonly policyNotes: TermsSection["policyNotes"]
}

/** By list of rows, where remarks stand in a row; from its end where negative. */
const HEADER_REMARKS = { zones: [-2], validity: [-2], transit: [-2] } as const
const TERM_REMARKS = {
  conditions: [2],
  details: [1, 2],
  waivers: [4, -2],
  stays: [9, -2],
  borders: [2, -2],
  kinds: [6, -2],
  changes: [-2],
  checks: [5],
} as const

type Rows = readonly (readonly unknown[])[]

/** Copies rules with another value at each place where a remark may stand. */
function mapRemarks(rules: EmbeddedRules, change: (remark: string | null) => string | null): EmbeddedRules {
  const mapRows = (rows: Rows, places: readonly number[]) =>
    rows.map(row =>
      row.map((value, at) =>
        places.includes(at) || places.includes(at - row.length) ? change(value as string | null) : value,
      ),
    )
  const mapLists = <Lists extends object>(
    lists: Lists,
    remarks: Readonly<Record<string, readonly number[]>>,
  ): Lists => {
    const mapped = Object.entries(remarks).map(([name, places]) => {
      const rows = (lists as Readonly<Record<string, Rows | undefined>>)[name]
      return [name, rows === undefined ? undefined : mapRows(rows, places)] as const
    })
    return { ...lists, ...Object.fromEntries(mapped) }
  }
  return {
    sources: rules.sources,
    header: mapLists(rules.header, HEADER_REMARKS),
    ...(rules.terms === undefined ? {} : { terms: mapLists(rules.terms, TERM_REMARKS) }),
  }
}

/** Takes the remarks out of rules. */
export function takeRemarks(whole: EmbeddedRules): {
  readonly rules: EmbeddedRules
  readonly remarks: EmbeddedRemarks
} {
  const found: (string | null)[] = []
  const bare = mapRemarks(whole, remark => {
    found.push(remark)
    return null
  })
  // In order, because addresses of one site are small beside one another.
  const texts = [...new Set(found)].filter(text => text !== null).sort()
  const placeOf = new Map(texts.map((text, at) => [text, at + 1]))
  return {
    rules: bare.terms === undefined ? bare : { ...bare, terms: { ...bare.terms, policyNotes: [] } },
    remarks: {
      texts,
      places: found.map(text => (text === null ? 0 : (placeOf.get(text) as number))),
      policyNotes: whole.terms?.policyNotes ?? [],
    },
  }
}

/** Puts remarks back into the rules that they were taken out of. */
export function putRemarks(rules: EmbeddedRules, { texts, places, policyNotes }: EmbeddedRemarks): EmbeddedRules {
  let next = 0
  const whole = mapRemarks(rules, () => texts[(places[next++] as number) - 1] ?? null)
  return whole.terms === undefined ? whole : { ...whole, terms: { ...whole.terms, policyNotes } }
}
