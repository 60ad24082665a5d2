/**
 * What did tables show on past days? It is loaded on the first question about one.
 *
 * A dataset that the host offers uses its own history, if it has one, and otherwise that of the page.
 */
import { type Dataset, parseCivilDate, REQUIREMENTS, type Requirement } from "landfall"
import {
  compareRanks,
  countAs,
  datasetWithPast,
  embeddedHistory,
  type History,
  listTableDays as listDaysOf,
  listPast,
  lookupPast,
  type PastAnswer,
  type PastPeriod,
  pastDataset,
  type RankMove,
  readDatasetHistory,
} from "landfall/history"
import { answerPastDays } from "../answers.ts"
import { wholeDataset } from "../whole-dataset.ts"

function historyOf(dataset: Dataset): History {
  const own = readDatasetHistory(dataset)
  return (own.ok ? own.value : null) ?? embeddedHistory()
}

answerPastDays(on => {
  const view = pastDataset(historyOf(wholeDataset()), wholeDataset(), on)
  return view.ok ? view.value : null
})

/** Returns the dataset with its past, for journeys. */
export const datasetForTrips = (): Dataset => datasetWithPast(historyOf(wholeDataset()), wholeDataset())

/** Says what was needed on a past day. */
export const lookUp = (passport: string, destination: string, on: string): PastAnswer =>
  lookupPast(historyOf(wholeDataset()), passport, destination, on)

/** Lists what was needed, period by period. */
export const listPeriods = (passport: string, destination: string): readonly PastPeriod[] =>
  listPast(historyOf(wholeDataset()), passport, destination)

/** The days of the tables, the oldest first. */
export const listTableDays = (): readonly string[] => listDaysOf(historyOf(wholeDataset()))

/** The requirements of a passport's holder in the world on the day of a table. */
export interface Reach {
  readonly on: string
  /** Destinations other than home, by requirement. */
  readonly detail: Readonly<Record<Requirement, number>>
  readonly total: number
}

/** Counts what each table shows for a passport. */
export function listReach(passport: string): readonly Reach[] {
  const dataset = wholeDataset()
  const history = historyOf(dataset)
  return listTableDays().map(on => {
    const detail = Object.fromEntries(REQUIREMENTS.map(each => [each, 0])) as Record<Requirement, number>
    let total = 0
    for (const destination of dataset.destinations) {
      const answer = lookupPast(history, passport, destination, parseCivilDate(on) as number)
      const requirement = answer.kind === "found" ? countAs(answer) : null
      if (requirement === null) continue
      detail[requirement]++
      total++
    }
    return { on, detail, total }
  })
}

/**
 * Compares the first table with the last, those that gained most ranks first. Scores alone would show no losses, because the first table
 * has the bans of the pandemic.
 */
export function listGains(): readonly RankMove[] {
  const days = listTableDays()
  const [before = "", after = ""] = [days[0], days.at(-1)]
  return compareRanks(historyOf(wholeDataset()), wholeDataset(), { before, after })
}
