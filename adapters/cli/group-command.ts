/** `landfall group FRA,IND`, `landfall best FRA,USA`, `landfall entrants JPN`: several passports, and all of them. */
import { Effect } from "effect"
import { chooseBestPassports, intersectGroup, listEntrants, REQUIREMENTS, type Requirement } from "../../src/index.ts"
import { describeGroup } from "../answers/group.ts"
import { toWire } from "../answers/wire-names.ts"
import { text } from "./command.ts"
import { orData, orNoRecord, orUsage } from "./command-outcome.ts"
import { countries, country, day, makeQuestion } from "./dataset-question.ts"
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
