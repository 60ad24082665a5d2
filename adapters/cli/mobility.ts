/** `landfall score JPN`, `landfall compare JPN IND`, `landfall rank`: how far passports reach. */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { comparePassports, REQUIREMENTS, rankPassports, scorePassport } from "../../src/index.ts"
import { describeComparison, describeScore } from "../answers/score.ts"
import { countryArgument, readCountry } from "./countries.ts"
import {
  datasetFlag,
  formatTable,
  jsonFlag,
  onFlag,
  openDatasetOn,
  orNoRecord,
  orUsage,
  printOutcome,
  printWire,
} from "./outcome.ts"

const SCORE_USAGE = "landfall score PASSPORT [--on DATE] [--json]"
const COMPARE_USAGE = "landfall compare PASSPORT1 PASSPORT2 [--on DATE] [--json]"
const RANK_USAGE = "landfall rank [--on DATE] [--json]"

const passportArgument = (name: string) => countryArgument(name, "JPN")

const flags = { on: onFlag, dataset: datasetFlag, json: jsonFlag }

export const score = Command.make(
  "score",
  { passport: passportArgument("passport"), ...flags },
  Effect.fnUntraced(function* ({ on, dataset: file, json, ...given }) {
    const passport = yield* readCountry(given.passport, SCORE_USAGE)
    const dataset = yield* openDatasetOn(file, on, SCORE_USAGE)
    const answer = yield* orUsage(scorePassport(dataset, passport), SCORE_USAGE).pipe(Effect.flatMap(orNoRecord))
    if (json) return yield* printOutcome(describeScore(dataset, passport))
    const { access, diversity, economy } = answer.breakdown
    yield* Console.log(
      `${passport}: ${answer.score.toFixed(1)} of 1000, rank ${answer.rank} of ${answer.totalRanked} (ahead of ${answer.percentile} %)\n`,
    )
    yield* Console.log(
      formatTable(
        ["part", "score", "made of"],
        [
          ["access", access.score, REQUIREMENTS.map(name => `${access.detail[name]} ${name}`).join(", ")],
          [
            "diversity",
            diversity.score,
            `${diversity.regions.filter(region => region.unlocked > 0).length} of ${diversity.regions.length} regions`,
          ],
          ["economy", economy.score, `${(economy.gdpShare * 100).toFixed(1)} % of the world's GDP`],
        ],
      ),
    )
  }),
).pipe(Command.withDescription("How far a passport reaches, and its rank among all"))

export const compare = Command.make(
  "compare",
  { passport1: passportArgument("passport1"), passport2: passportArgument("passport2"), ...flags },
  Effect.fnUntraced(function* ({ on, dataset: file, json, ...given }) {
    const passport1 = yield* readCountry(given.passport1, COMPARE_USAGE)
    const passport2 = yield* readCountry(given.passport2, COMPARE_USAGE)
    const dataset = yield* openDatasetOn(file, on, COMPARE_USAGE)
    const answer = yield* orUsage(comparePassports(dataset, { passport1, passport2 }), COMPARE_USAGE).pipe(
      Effect.flatMap(orNoRecord),
    )
    if (json) return yield* printOutcome(describeComparison(dataset, { passport1, passport2 }))
    yield* Console.log(
      formatTable(
        ["passport", "score", "rank", "opens alone"],
        [
          [passport1, answer.passport1.score.toFixed(1), answer.passport1.rank, answer.combined.onlyPassport1Count],
          [passport2, answer.passport2.score.toFixed(1), answer.passport2.rank, answer.combined.onlyPassport2Count],
          ["both", answer.combined.score.toFixed(1), "", answer.combined.bothCount],
        ],
      ),
    )
    for (const [passport, only] of [
      [passport1, answer.onlyPassport1],
      [passport2, answer.onlyPassport2],
    ] as const) {
      if (only.length > 0) yield* Console.log(`\nonly ${passport}: ${only.join(" ")}`)
    }
  }),
).pipe(Command.withDescription("Two passports side by side"))

export const rank = Command.make(
  "rank",
  flags,
  Effect.fnUntraced(function* ({ on, dataset: file, json }) {
    const dataset = yield* openDatasetOn(file, on, RANK_USAGE)
    const ranking = yield* orUsage(rankPassports(dataset), RANK_USAGE)
    if (json) return yield* printWire(ranking)
    yield* Console.log(
      formatTable(
        ["rank", "passport", "score"],
        ranking.passports.map(row => [row.rank, row.passport, row.score.toFixed(1)]),
      ),
    )
  }),
).pipe(Command.withDescription("All passports by how far they reach"))
