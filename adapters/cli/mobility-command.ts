/** `landfall score JPN`, `landfall compare JPN IND`, `landfall rank`: how far passports reach. */
import { Effect } from "effect"
import { comparePassports, REQUIREMENTS, rankPassports, scorePassport } from "../../src/index.ts"
import { describeComparison, describeScore } from "../answers/score-answer.ts"
import { makeCommand } from "./command.ts"
import {
  datasetFlag,
  onFlag,
  orNoRecord,
  orUsage,
  printOutcome,
  printTable,
  printText,
  printWire,
} from "./command-outcome.ts"
import { countryArgument, readCountry } from "./find-command.ts"
import { langFlag, loadWords } from "./language.ts"
import { openDatasetOnAnyDay } from "./past-days.ts"

const passportArgument = (name: string) => countryArgument(name, "JPN")

const flags = { on: onFlag, lang: langFlag, dataset: datasetFlag }

export const score = makeCommand("score", {
  about: "The mobility score of a passport, and its rank among all",
  usage: "landfall score PASSPORT [--on DATE] [--lang LANG] [--dataset FILE] [--json]",
  examples: { "landfall score JPN": "The score and its parts" },
  takes: { passport: passportArgument("passport"), ...flags },
  *run({ on, lang, dataset: file, json, ...given }) {
    const dataset = yield* openDatasetOnAnyDay(file, on)
    const passport = yield* readCountry(dataset, given.passport, { field: "passport" })
    const words = yield* loadWords(lang)
    const answer = yield* orUsage(scorePassport(dataset, passport)).pipe(Effect.flatMap(orNoRecord))
    if (json) return yield* printOutcome(describeScore(dataset, passport))
    const { access, diversity, economy } = answer.breakdown
    yield* printText(
      `${words.country(passport)} (${passport}): ${answer.score.toFixed(1)} of 1000, rank ${answer.rank} of ${answer.totalRanked} (ahead of ${answer.percentile} %)\n`,
    )
    yield* printTable(
      ["part", "score", "made of"],
      [
        [
          "access",
          access.score,
          REQUIREMENTS.map(name => `${access.detail[name]} ${words.requirement(name)}`).join(", "),
        ],
        [
          "diversity",
          diversity.score,
          `${diversity.regions.filter(region => region.unlocked > 0).length} of ${diversity.regions.length} regions`,
        ],
        ["economy", economy.score, `${(economy.gdpShare * 100).toFixed(1)} % of the world's GDP`],
      ],
    )
  },
})

export const compare = makeCommand("compare", {
  about: "Two passports side by side",
  usage: "landfall compare PASSPORT1 PASSPORT2 [--on DATE] [--lang LANG] [--dataset FILE] [--json]",
  examples: { "landfall compare JPN IND": "The destinations that each opens alone, and the score of both together" },
  takes: { passport1: passportArgument("passport1"), passport2: passportArgument("passport2"), ...flags },
  *run({ on, lang, dataset: file, json, ...given }) {
    const dataset = yield* openDatasetOnAnyDay(file, on)
    const passport1 = yield* readCountry(dataset, given.passport1, { field: "passport1" })
    const passport2 = yield* readCountry(dataset, given.passport2, { field: "passport2" })
    const words = yield* loadWords(lang)
    const answer = yield* orUsage(comparePassports(dataset, { passport1, passport2 })).pipe(Effect.flatMap(orNoRecord))
    if (json) return yield* printOutcome(describeComparison(dataset, { passport1, passport2 }))
    const named = (passport: string) => `${passport} ${words.country(passport)}`
    const { passport1: first, passport2: second, combined } = answer
    yield* printTable(
      ["passport", "score", "rank", "opens alone"],
      [
        [named(passport1), first.score.toFixed(1), first.rank, combined.onlyPassport1Count],
        [named(passport2), second.score.toFixed(1), second.rank, combined.onlyPassport2Count],
        ["both", combined.score.toFixed(1), "", combined.bothCount],
      ],
    )
    for (const [passport, only] of [
      [passport1, answer.onlyPassport1],
      [passport2, answer.onlyPassport2],
    ] as const) {
      if (only.length > 0) yield* printText(`\nonly ${passport}: ${only.join(" ")}`, "  ")
    }
  },
})

export const rank = makeCommand("rank", {
  about: "All passports by mobility score",
  usage: "landfall rank [--on DATE] [--lang LANG] [--dataset FILE] [--json]",
  examples: {
    "landfall rank --lang fr": "With names in French",
    "landfall rank --on 2022-03-06": "On a past day",
  },
  takes: flags,
  *run({ on, lang, dataset: file, json }) {
    const dataset = yield* openDatasetOnAnyDay(file, on)
    const words = yield* loadWords(lang)
    const ranking = yield* orUsage(rankPassports(dataset))
    if (json) return yield* printWire(ranking)
    yield* printTable(
      ["rank", "passport", "issued by", "score"],
      ranking.passports.map(row => [row.rank, row.passport, words.country(row.passport), row.score.toFixed(1)]),
    )
  },
})
