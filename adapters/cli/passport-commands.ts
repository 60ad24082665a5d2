/** `landfall group FRA,IND`, `best`, `entrants JPN`, `score JPN`, `compare JPN IND` and `rank`: several passports together, and all of them. */

import { Effect } from "effect"
import {
  chooseBestPassports,
  comparePassports,
  intersectGroup,
  listEntrants,
  REQUIREMENTS,
  type Requirement,
  rankPassports,
  scorePassport,
} from "../../src/index.ts"
import { describeGroup } from "../answers/group.ts"
import { describeComparison, describeScore } from "../answers/score-answer.ts"
import { toWire } from "../answers/wire-names.ts"
import { text } from "./command.ts"
import { orData, orNoRecord, orUsage } from "./command-outcome.ts"
import { countries, country, day, makeQuestion } from "./dataset-question.ts"
import { openDatasetOnAnyDay } from "./past-days.ts"
import { points, table } from "./print.ts"

const describeStay = (kind: string, days: number | null) => (kind === "days" ? String(days) : kind.replaceAll("_", " "))

export const group = makeQuestion("group", {
  about: "Where a group can go, easiest first",
  examples: {
    "landfall group FRA,IND": "Where both can go",
    "landfall group france,india --allow visa_free,eta --json": "Without a visa, for programs",
  },
  takes: {
    passports: countries,
    allow: text("LIST", "Requirements that qualify, by commas; visa_free,eta,visa_on_arrival,e_visa when absent"),
    on: day,
  },
  *run({ passports, allow, dataset, words }) {
    const wanted = allow?.split(",") as Requirement[] | undefined
    const answer = yield* Effect.flatMap(orUsage(intersectGroup(dataset, passports, { allow: wanted })), orNoRecord)
    const rows = answer.destinations.map(entry => [
      entry.destination,
      words.country(entry.destination),
      words.requirement(entry.worstRequirement),
      describeStay(entry.groupStay, entry.groupVisaFreeDays),
      entry.passports
        .map(member => `${member.passport} ${member.home ? "home" : words.requirement(member.requirement)}`)
        .join(", "),
    ])
    return {
      json: yield* orData(describeGroup(dataset, { passports: answer.passports, allow: answer.allow })),
      text: [
        table(["code", "destination", "at worst", "days", "each"], rows),
        `\n${answer.count} destinations for ${passports.join(",")} on ${answer.on}. Dataset ${answer.datasetVersion}.`,
      ],
    }
  },
})

export const best = makeQuestion("best", {
  about: "Which of one traveller's passports to use, for every destination",
  examples: { "landfall best USA,DEU": "An American and a German passport" },
  takes: { passports: countries, on: day },
  *run({ passports, dataset, words }) {
    const answer = yield* Effect.flatMap(orUsage(chooseBestPassports(dataset, passports)), orNoRecord)
    const rows = answer.destinations.flatMap(({ destination, best: chosen, stay }) => {
      if (chosen === null) return []
      const requirement = chosen.home ? "home" : words.requirement(chosen.requirement)
      const days = describeStay(stay, chosen.days)
      return [[destination, words.country(destination), chosen.passport, requirement, days]]
    })
    return {
      json: toWire(answer),
      text: [
        table(["code", "destination", "passport", "requirement", "days"], rows),
        `\n${answer.unlockedCount} destinations open, ${answer.unknownCount} without a record, on ${answer.on}.`,
      ],
    }
  },
})

export const entrants = makeQuestion("entrants", {
  about: "List the passports that may enter a destination, by requirement",
  examples: { "landfall entrants JPN": "Every passport, by requirement" },
  takes: { destination: country("JPN"), on: day },
  *run({ destination, dataset, words }) {
    const answer = yield* Effect.flatMap(orUsage(listEntrants(dataset, destination)), orNoRecord)
    const list = (title: string, passports: readonly string[]) =>
      passports.length === 0 ? [] : [points(`${title} (${passports.length}): ${passports.join(", ")}`)]
    const known = REQUIREMENTS.flatMap(requirement =>
      list(
        words.requirement(requirement),
        answer.byRequirement[requirement].map(({ passport, days }) =>
          days === null ? passport : `${passport} ${days}`,
        ),
      ),
    )
    return { json: toWire(answer), text: [...known, ...list("no record", answer.unknown)] }
  },
})

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
