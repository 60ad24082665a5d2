/**
 * May somebody change in a country? The slow way: the rows of data/transit.json as they stand, and what an entry asks.
 *
 * Knows passports and documents that say nothing but their kind and issuer, and one day of travel at home.
 */

/** A row of data/transit.json. */
export interface TransitRow {
  readonly area: "airside" | "landside"
  readonly demand: "visa" | "no_visa"
  readonly condition?: string
  readonly complete?: boolean
  readonly destinations: readonly string[]
  readonly passports?: readonly string[]
  readonly waived_for?: readonly {
    readonly kind: string
    readonly issuers: readonly string[]
    readonly [term: string]: unknown
  }[]
}

/** What an entry asks of a passport's holder; `open` where nobody knows for certain. */
export type EntryAsked = "nothing" | "visa" | "open"

interface Document {
  readonly kind: string
  readonly issuer: string
}

interface Question {
  readonly rows: readonly TransitRow[]
  readonly country: string
  readonly passport: string
  readonly area: "airside" | "landside" | null
  readonly entry: EntryAsked
  readonly documents: readonly Document[]
  /** The states that a selector such as `@schengen` stands for. */
  readonly expand: (selector: string) => readonly string[]
}

type Answer = "yes" | "no" | "unknown"

const worst = (answers: readonly Answer[]): Answer =>
  answers.includes("no") ? "no" : answers.includes("unknown") ? "unknown" : "yes"

export function judgeTransitByHand(question: Question): Answer {
  const { area } = question
  const landside = judgeLandside(question)
  if (area === "landside") return landside
  const airside = question.entry === "nothing" ? "yes" : judgeInside(question)
  if (area === "airside") return airside
  if (airside === landside) return airside
  return "unknown"
}

function rowsOf({ rows, country, passport }: Question, area: string, demand: string): readonly TransitRow[] {
  return rows.filter(
    row =>
      row.area === area &&
      row.demand === demand &&
      row.destinations.includes(country) &&
      (row.passports === undefined || row.passports.includes(passport)),
  )
}

function judgeInside(question: Question): Answer {
  const demands = rowsOf(question, "airside", "visa")
  if (demands.length > 0) return worst(demands.map(row => judgeRow(question, row)))
  const isIncomplete = question.rows.some(
    row =>
      row.area === "airside" &&
      row.demand === "visa" &&
      row.destinations.includes(question.country) &&
      row.complete === false,
  )
  const free = rowsOf(question, "airside", "no_visa")
  return free.some(row => row.passports !== undefined || !isIncomplete) ? "yes" : "unknown"
}

function judgeLandside(question: Question): Answer {
  const { entry } = question
  if (entry === "nothing") return "yes"
  if (rowsOf(question, "landside", "no_visa").length > 0) return "yes"
  const demands = rowsOf(question, "landside", "visa")
  const byRule = demands.length === 0 ? "no" : worst(demands.map(row => judgeRow(question, row)))
  if (byRule === "yes") return "yes"
  return entry === "open" || byRule === "unknown" ? "unknown" : "no"
}

function judgeRow({ documents, country, expand }: Question, row: TransitRow): Answer {
  const answers = documents.flatMap(({ kind, issuer }): readonly Answer[] => {
    if (issuer === country) return ["yes"]
    return (row.waived_for ?? [])
      .filter(terms => terms.kind === kind && terms.issuers.some(each => expand(each).includes(issuer)))
      .map(terms => (Object.keys(terms).length === 2 ? "yes" : "unknown"))
  })
  if (answers.includes("yes")) return "yes"
  return answers.includes("unknown") || row.condition !== undefined ? "unknown" : "no"
}
