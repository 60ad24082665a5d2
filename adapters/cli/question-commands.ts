/**
 * `landfall check FRA JPN`, `visa FRA JPN --lang ja` and `find guinea`: what is known of one pair, and the codes of countries by their names.
 * `group FRA,IND`, `best`, `entrants JPN`, `score JPN`, `compare JPN IND` and `rank`: several passports together, and all of them. Days before
 * the dataset's first are answered from its history, which is loaded only then.
 */
import type { PastFound, PastPeriod, PastValue } from "../../src/history.ts"
import {
  chooseBestPassports,
  type Dataset,
  datasetOn,
  intersectGroup,
  listEntrants,
  lookupRequirement,
  parseCivilDate,
  REQUIREMENTS,
  type Requirement,
  rankPassports,
} from "../../src/index.ts"
import type { PastQuestion } from "../answers/past-pair.ts"
import { describeComparison, describeGroup, describeScore } from "../answers/visa-answers.ts"
import { toWire } from "../answers/wire-names.ts"
import { type Running, text } from "./command.ts"
import { failed } from "./failure.ts"
import {
  countries,
  country,
  day,
  type LocalWords,
  loadFull,
  makeQuestion,
  makeWording,
  openDatasetFile,
  openDatasetWhole,
  orData,
  orNoRecord,
  orRecord,
  orUsage,
  readLanguage,
} from "./inputs.ts"
import { type Answer, points, records, table } from "./print.ts"

export const visa = makeQuestion("visa", {
  examples: {
    "landfall visa IND DEU --lang hi": "A page in Hindi",
    "landfall visa FRA JPN --json": "The full record, for programs",
  },
  takes: { passport: country("FRA"), destination: country("JPN"), on: day },
  opens: openDatasetWhole,
  async run({ passport, destination, on, lang, dataset }) {
    const full = await loadFull()
    const language = await readLanguage(lang ?? "en")
    const looked = lookupRequirement(dataset, passport, destination, { on })
    orRecord(looked, { passport, destination }, dataset.sinceDay)
    const facts = full.readDatasetFacts(dataset)
    if (!facts.ok) throw failed(facts.error.message)
    const localised = await full.loadLocalisedFacts(dataset, language)
    // There is a record, because the lookup found one.
    const record = full.assembleFullRecord(localised, passport, destination, { on })!
    const page = full.renderMarkdown(record, localised.locale).trimEnd()
    return { json: record, text: [points(page)] }
  },
})

/** Loads the history of a dataset, and what answers from it. */
async function loadPast(dataset: Dataset) {
  const [{ historyOf }, { describePast }, entry] = await Promise.all([
    import("../answers/with-past.ts"),
    import("../answers/past-pair.ts"),
    import("../../src/history.ts"),
  ])
  const history = historyOf(dataset)
  if (!history.ok) throw failed(history.error.message)
  return { history: history.value, describePast, ...entry }
}

/** Opens a dataset as of a day; for a day before its first, the view of its history. */
async function openDatasetOnAnyDay(file: string | undefined, on: string | undefined, at: Pick<Running, "readInput">) {
  const dataset = openDatasetFile(file, at)
  if (on === undefined) return dataset
  const day = parseCivilDate(on)
  if (day === null || day >= dataset.sinceDay) return orUsage(datasetOn(dataset, on))
  const { history, pastDataset } = await loadPast(dataset)
  return orUsage(pastDataset(history, dataset, on))
}

/** Answers for a pair on a past day; without a record the command ends with 1. */
export async function answerPast(dataset: Dataset, question: PastQuestion, words: LocalWords): Promise<Answer> {
  const { passport, destination, on } = question
  const { history, lookupPast, describePast } = await loadPast(dataset)
  const answer = lookupPast(history, passport, destination, on)
  if (answer.kind === "found") {
    return { json: describePast(question, answer), text: [points(sayPast(question, answer, words))] }
  }
  const message = `${passport} to ${destination}: ${answer.message}`
  throw failed(message, { code: "no_record", given: { passport, destination } })
}

/** Names a past requirement; some words of tables are not requirements of today. */
function sayValue({ word, requirement, days }: PastValue, words: LocalWords): string {
  if (word === "covid_ban") return `${words.requirement("no_admission")} (ban of the pandemic)`
  if (word === "e_visa_or_eta") return `${words.requirement("e_visa")} or ${words.requirement("eta")}`
  if (requirement === null) return "Hayya entry permit"
  return `${words.requirement(requirement)}${days === null ? "" : `, up to ${days} days`}`
}

function sayPast({ passport, destination, on }: PastQuestion, answer: PastFound, words: LocalWords): string {
  const { value, or, source, status } = answer
  const pair = words.pair(passport, destination)
  const said = or === null ? sayValue(value, words) : `${sayValue(value, words)}; or ${sayValue(or.value, words)}`
  return [
    `${pair} on ${on}: ${said}`,
    ...(or === null
      ? [sayWhen(answer)]
      : [
          `last seen on ${answer.lastSeen}: ${sayValue(value, words)}`,
          `first seen on ${or.firstSeen.by}: ${sayValue(or.value, words)}. The days between are not recorded.`,
        ]),
    ...(answer.laterCalled === null ? [] : [`later called: ${words.requirement(answer.laterCalled)}`]),
    `source: ${source.name}, ${status === "published" ? "published by the authority" : "imported"}, not verified for this pair`,
    "Data, not legal advice.",
  ].join("\n")
}

/** Says since when and until when a value was there. */
function sayWhen({ firstSeen, lastSeen, status }: PastPeriod): string {
  const { after, by } = firstSeen
  const verb = status === "published" ? "published" : "seen"
  if (after === null) return `${verb}: ${by} (the first list) to ${lastSeen}`
  return status === "published"
    ? `published: ${by} to ${lastSeen}`
    : `first seen: between ${after} and ${by}; last seen on ${lastSeen}`
}

export const group = makeQuestion("group", {
  examples: {
    "landfall group FRA,IND": "Where both can go",
    "landfall group france,india --allow visa_free,eta --json": "Without a visa, for programs",
  },
  takes: {
    passports: countries,
    allow: text("LIST", "Requirements that qualify, by commas; visa_free,eta,visa_on_arrival,e_visa when absent"),
    on: day,
  },
  async run({ passports, allow, dataset }) {
    const wanted = allow?.split(",") as Requirement[] | undefined
    const answer = orNoRecord(orUsage(intersectGroup(dataset, passports, { allow: wanted })))
    return {
      json: orData(describeGroup(dataset, { passports: answer.passports, allow: answer.allow })),
      columns: { destinations: "destination worst_requirement group_visa_free_days group_stay passports" },
    }
  },
})

export const best = makeQuestion("best", {
  examples: { "landfall best USA,DEU": "An American and a German passport" },
  takes: { passports: countries, on: day },
  async run({ passports, dataset }) {
    const answer = orNoRecord(orUsage(chooseBestPassports(dataset, passports)))
    return {
      json: toWire(answer),
      columns: { destinations: "destination best.passport best.requirement best.days stay" },
    }
  },
})

export const entrants = makeQuestion("entrants", {
  examples: { "landfall entrants JPN": "Every passport, by requirement" },
  takes: { destination: country("JPN"), on: day },
  async run({ destination, dataset, words }) {
    const answer = orNoRecord(orUsage(listEntrants(dataset, destination)))
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
  examples: { "landfall score JPN": "The score and its parts" },
  takes: { passport: country("JPN"), on: day },
  opens: openDatasetOnAnyDay,
  async run({ passport, dataset, words }) {
    const answer = orData(describeScore(dataset, passport))
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
  examples: { "landfall compare JPN IND": "The destinations that each opens alone, and the score of both together" },
  takes: { passport1: country("JPN"), passport2: country("JPN"), on: day },
  opens: openDatasetOnAnyDay,
  async run({ passport1, passport2, dataset, words }) {
    const answer = orData(describeComparison(dataset, { passport1, passport2 }))
    const { score, only_passport1_count, only_passport2_count, both_count } = answer.combined
    const compared = [
      { passport: passport1, ...answer.passport1, opens_alone: only_passport1_count },
      { passport: passport2, ...answer.passport2, opens_alone: only_passport2_count },
      { passport: "both", score, opens_alone: both_count },
    ]
    const listAlone = (code: string, only: readonly string[]) =>
      only.length === 0 ? [] : [points(`\nonly ${code}: ${only.join(" ")}`)]
    return {
      json: answer,
      text: [
        records(compared, "passport score rank opens_alone", makeWording(words)),
        ...listAlone(passport1, answer.only_passport1),
        ...listAlone(passport2, answer.only_passport2),
      ],
    }
  },
})

export const rank = makeQuestion("rank", {
  examples: {
    "landfall rank --lang fr": "With names in French",
    "landfall rank --on 2022-03-06": "On a past day",
  },
  takes: { on: day },
  opens: openDatasetOnAnyDay,
  async run({ dataset }) {
    return { json: toWire(orUsage(rankPassports(dataset))), columns: { passports: "rank passport score" } }
  },
})
