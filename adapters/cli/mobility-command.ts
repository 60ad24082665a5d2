/** `landfall score JPN`, `landfall compare JPN IND`, `landfall rank`: how far passports reach. */
import { Effect } from "effect"
import { comparePassports, REQUIREMENTS, rankPassports, scorePassport } from "../../src/index.ts"
import { describeComparison, describeScore } from "../answers/score-answer.ts"
import { toWire } from "../answers/wire-names.ts"
import { orData, orNoRecord, orUsage } from "./command-outcome.ts"
import { country, day, makeQuestion } from "./dataset-question.ts"
import { openDatasetOnAnyDay } from "./past-days.ts"
import { points, table } from "./print.ts"

export const score = makeQuestion("score", {
  about: "The mobility score of a passport, and its rank among all",
  examples: { "landfall score JPN": "The score and its parts" },
  takes: { passport: country("JPN"), on: day },
  opens: openDatasetOnAnyDay,
  *run({ passport, dataset, words }) {
    yield* Effect.flatMap(orUsage(scorePassport(dataset, passport)), orNoRecord)
    const answer = yield* orData(describeScore(dataset, passport))
    const { access, diversity, economy } = answer.breakdown
    const opened = REQUIREMENTS.map(name => `${access.detail[name]} ${words.requirement(name)}`).join(", ")
    const regions = `${diversity.regions.filter(region => region.unlocked > 0).length} of ${diversity.regions.length} regions`
    return {
      json: answer,
      text: [
        `${words.country(passport)} (${passport}): ${answer.score.toFixed(1)} of 1000, rank ${answer.rank} of ${answer.total_ranked} (ahead of ${answer.percentile} %)\n`,
        table(
          ["part", "score", "made of"],
          [
            ["access", access.score, opened],
            ["diversity", diversity.score, regions],
            ["economy", economy.score, `${(economy.gdp_share * 100).toFixed(1)} % of the world's GDP`],
          ],
        ),
      ],
    }
  },
})

export const compare = makeQuestion("compare", {
  about: "Two passports side by side",
  examples: { "landfall compare JPN IND": "The destinations that each opens alone, and the score of both together" },
  takes: { passport1: country("JPN"), passport2: country("JPN"), on: day },
  opens: openDatasetOnAnyDay,
  *run({ passport1, passport2, dataset, words }) {
    yield* Effect.flatMap(orUsage(comparePassports(dataset, { passport1, passport2 })), orNoRecord)
    const answer = yield* orData(describeComparison(dataset, { passport1, passport2 }))
    const { combined } = answer
    const rowOf = ({ score, rank }: typeof answer.passport1, code: string, alone: number) => [
      `${code} ${words.country(code)}`,
      score.toFixed(1),
      rank,
      alone,
    ]
    const listAlone = (code: string, only: readonly string[]) =>
      only.length === 0 ? [] : [points(`\nonly ${code}: ${only.join(" ")}`)]
    return {
      json: answer,
      text: [
        table(
          ["passport", "score", "rank", "opens alone"],
          [
            rowOf(answer.passport1, passport1, combined.only_passport1_count),
            rowOf(answer.passport2, passport2, combined.only_passport2_count),
            ["both", combined.score.toFixed(1), "", combined.both_count],
          ],
        ),
        ...listAlone(passport1, answer.only_passport1),
        ...listAlone(passport2, answer.only_passport2),
      ],
    }
  },
})

export const rank = makeQuestion("rank", {
  about: "All passports by mobility score",
  examples: {
    "landfall rank --lang fr": "With names in French",
    "landfall rank --on 2022-03-06": "On a past day",
  },
  takes: { on: day },
  opens: openDatasetOnAnyDay,
  *run({ dataset, words }) {
    const ranking = yield* orUsage(rankPassports(dataset))
    const rows = ranking.passports.map(({ rank, passport, score }) => [
      rank,
      passport,
      words.country(passport),
      score.toFixed(1),
    ])
    return { json: toWire(ranking), text: [table(["rank", "passport", "issued by", "score"], rows)] }
  },
})
