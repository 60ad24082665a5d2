/**
 * May somebody change in a country? The slow way: the rows of data/transit.json as they stand, and what an entry asks.
 *
 * Knows passports and documents that say nothing but their kind and issuer, and one day of travel at home.
 */

/** A row of data/transit.json. */
export interface TransitRow {
  readonly area: "airside" | "landside"
  readonly demand: "visa" | "eta" | "no_visa" | "entry"
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

/** What is obtained before an entry or at the border, from the easiest on. */
const OBTAINED = ["visa_on_arrival", "eta", "e_visa"] as const
type Obtained = (typeof OBTAINED)[number]

/** What an entry asks of a passport's holder, and nothing else; `open` where nobody knows for certain. */
export type EntryAsked = "nothing" | "visa" | "open" | Obtained

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
  /** Whether the country admits no holders of the passport at all. */
  readonly isRefused: boolean
  readonly documents: readonly Document[]
  /** The states that a selector such as `@schengen` stands for. */
  readonly expand: (selector: string) => readonly string[]
}

/** Whether a transit is possible, or with what. */
type Answer = "yes" | "no" | "unknown" | Obtained

const FROM_WORST: readonly Answer[] = ["no", "unknown", ...[...OBTAINED].reverse(), "yes"]
const worst = (answers: readonly Answer[]): Answer => FROM_WORST.find(each => answers.includes(each)) ?? "yes"
const best = (answers: readonly Answer[]): Answer => FROM_WORST.findLast(each => answers.includes(each))!
const isObtained = (answer: string): answer is Obtained => OBTAINED.some(each => each === answer)

export function judgeTransitByHand(question: Question): Answer {
  const { area } = question
  const landside = judgeLandside(question)
  if (area === "landside" || landside === "yes") return landside
  const airside = judgeInside(question)
  // Who may enter with it, may also stay inside.
  if (airside === "no" && isObtained(landside)) return landside
  if (area === "airside") return airside
  if (airside === landside) return airside
  return isObtained(airside) && isObtained(landside) ? worst([airside, landside]) : "unknown"
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
  const { rows, country, entry } = question
  const byRows = judgeRows(question)
  if (!rows.some(({ demand, destinations }) => demand === "entry" && destinations.includes(country))) {
    return byRows ?? "unknown"
  }
  const asEntry = entry === "nothing" ? "yes" : entry === "visa" ? "no" : entry === "open" ? "unknown" : entry
  return byRows === null ? asEntry : best([byRows, asEntry])
}

// Null if no row is about the passport.
function judgeRows(question: Question): Answer | null {
  const demands = [
    ...rowsOf(question, "airside", "visa").map(row => judgeRow(question, row)),
    ...rowsOf(question, "airside", "eta").map(() => "eta" as const),
  ]
  if (demands.length > 0) return worst(demands)
  const isIncomplete = question.rows.some(
    row =>
      row.area === "airside" &&
      row.demand === "visa" &&
      row.destinations.includes(question.country) &&
      row.complete === false,
  )
  const free = rowsOf(question, "airside", "no_visa")
  // Whoever is never admitted is not everybody.
  return free.some(row => row.passports !== undefined || !(isIncomplete || question.isRefused)) ? "yes" : null
}

function judgeLandside(question: Question): Answer {
  const { entry } = question
  if (entry === "nothing") return "yes"
  if (rowsOf(question, "landside", "no_visa").length > 0) return "yes"
  const demands = rowsOf(question, "landside", "visa")
  const byRule = demands.length === 0 ? "no" : worst(demands.map(row => judgeRow(question, row)))
  if (byRule === "yes") return "yes"
  if (isObtained(entry)) return entry
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
