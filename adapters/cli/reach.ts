/** `landfall score JPN --since 2020` and `landfall rank --since 2020`: how far passports reached over the years. */
import { Effect } from "effect"
import type { Dataset } from "../../src/index.ts"
import { printJson, printTable, printText, switchFlag, textFlag } from "./command-outcome.ts"
import { CommandFailed } from "./failure.ts"
import type { Words } from "./language.ts"
import { loadHistoryEntry, loadPast, openHistoryOf, printCsv, readSince } from "./past-days.ts"

export const sinceFlag = textFlag("since", "YEAR", "Over the tables of the past since a year or a day, YYYY-MM-DD")

export const csvFlag = switchFlag("csv", "With --since, print CSV")

interface Shown {
  readonly since: string
  readonly words: Words
  readonly json: boolean
  readonly csv: boolean
}

const NOTE =
  "On the days of the tables, over the destinations that they have; today's score counts territories too. In the pandemic a ban counts as no admission."

const nothingSince = (on: string) => new CommandFailed({ message: `No table is of ${on} or later.`, code: "no_record" })

/** Prints the score of a passport on the day of each table, as a plot. */
export const printReach = (dataset: Dataset, passport: string, { since, words, json, csv }: Shown) =>
  Effect.gen(function* () {
    const sinceOn = yield* readSince(since)
    const history = yield* openHistoryOf(dataset)
    const { listReach } = yield* loadPast
    const points = listReach(history, dataset, passport, sinceOn)
    if (points.length === 0) return yield* nothingSince(sinceOn)
    if (json) return yield* printJson({ passport, points })
    if (csv) {
      const head = ["on", "score", "rank", "total_ranked", "visa_free_count"] as const
      return yield* printCsv(
        head,
        points.map(point => head.map(name => point[name])),
      )
    }
    yield* printText(`${words.country(passport)} (${passport}), of 1000:\n`)
    yield* printTable(
      ["on", "score", "rank", "visa_free", ""],
      points.map(({ on, score, rank, visa_free_count }) => [
        on,
        score.toFixed(1),
        rank,
        visa_free_count,
        drawBar(score),
      ]),
    )
    yield* printText(`\n${NOTE}`)
  })

// A block for each 25 of 1000.
const drawBar = (score: number): string => "█".repeat(Math.round(score / 25))

/** Prints how every passport's rank has changed, those that gained most ranks first. */
export const printRankChanges = (dataset: Dataset, { since, words, json, csv }: Shown) =>
  Effect.gen(function* () {
    const sinceOn = yield* readSince(since)
    const history = yield* openHistoryOf(dataset)
    const { listTableDays } = yield* loadHistoryEntry
    const { listRankChanges } = yield* loadPast
    const days = listTableDays(history, sinceOn)
    const [before, after] = [days[0], days.at(-1)]
    if (before === undefined || after === undefined) return yield* nothingSince(sinceOn)
    const rows = listRankChanges(history, dataset, { before, after })
    if (json) return yield* printJson({ before, after, passports: rows })
    if (csv) {
      const head = ["passport", "rank_before", "rank", "score_before", "score", "gain"] as const
      return yield* printCsv(
        head,
        rows.map(row => head.map(name => row[name])),
      )
    }
    yield* printText(`From ${before} to ${after}:\n`)
    yield* printTable(
      ["passport", "issued by", "rank before", "rank", "score before", "score", "gain"],
      rows.map(row => [
        row.passport,
        words.country(row.passport),
        row.rank_before,
        row.rank,
        row.score_before.toFixed(1),
        row.score.toFixed(1),
        `${row.gain > 0 ? "+" : ""}${row.gain.toFixed(1)}`,
      ]),
    )
    yield* printText(`\n${NOTE}`)
  })
