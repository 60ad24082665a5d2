/**
 * `landfall check FRA JPN`, `visa FRA JPN --lang ja` and `find guinea`: what is known of one pair, and the codes of countries by their names.
 * `group FRA,IND`, `best`, `entrants JPN`, `score JPN`, `compare JPN IND` and `rank`: several passports together, and all of them. Days before
 * the dataset's first are answered from its history, which is loaded only then.
 */
import { Clock, Effect } from "effect"
import type { PastFound, PastPeriod, PastValue } from "../../src/history.ts"
import {
  chooseBestPassports,
  comparePassports,
  type Dataset,
  datasetOn,
  intersectGroup,
  listEntrants,
  lookupRequirement,
  parseCivilDate,
  REQUIREMENTS,
  type Requirement,
  rankPassports,
  scorePassport,
} from "../../src/index.ts"
import type { PastQuestion } from "../answers/past-pair.ts"
import { describeComparison, describeGroup, describeScore } from "../answers/visa-answers.ts"
import { toWire } from "../answers/wire-names.ts"
import { findPair, layOutCheck, writeCheck } from "./check-pair.ts"
import { argument, Stdout, text } from "./command.ts"
import { failed } from "./failure.ts"
import { openFinder, tableOfCountries } from "./find-code.ts"
import {
  countries,
  country,
  day,
  type LocalWords,
  loadFull,
  makeQuestion,
  openDatasetFile,
  orData,
  orNoRecord,
  orRecord,
  orUsage,
  readLanguage,
} from "./inputs.ts"
import { points, table } from "./print.ts"

export const check = makeQuestion("check", {
  examples: {
    "landfall check FRA JPN --on 2026-12-24": "A French passport to Japan on a day",
    "landfall check FRA CHN --on 2023-06-01": "What tables showed on a past day",
    "landfall check french japan": "The same by words, in any of fifteen languages",
    "landfall check IND DEU --lang hi": "The answer in Hindi",
    "landfall check FRA JPN --json": "For programs",
  },
  takes: { passport: country("FRA"), destination: country("JPN"), on: day },
  opens: openDatasetFile,
  *run({ passport, destination, on, lang, dataset, words, json }) {
    const language = lang === undefined ? null : yield* readLanguage(lang)
    const nowMs = yield* Clock.currentTimeMillis
    const asked = { passport, destination, options: { on }, language, nowMs }
    const looked = findPair(dataset, asked)
    if (looked.kind === "no_record" && looked.reason === "before_dataset" && on !== undefined) {
      return yield* answerPast(dataset, { passport, destination, on }, words)
    }
    const pair = orRecord(looked, { passport, destination, on })
    const screen = yield* Stdout
    // One of the two is made, because its words take longer to load than the answer to find.
    return yield* Effect.promise(async () =>
      json
        ? { json: await writeCheck(dataset, pair, asked), text: [] }
        : { json: null, text: [await layOutCheck(dataset, pair, asked, screen)] },
    )
  },
})

export const visa = makeQuestion("visa", {
  examples: {
    "landfall visa IND DEU --lang hi": "A page in Hindi",
    "landfall visa FRA JPN --json": "The full record, for programs",
  },
  takes: { passport: country("FRA"), destination: country("JPN"), on: day },
  opens: openDatasetFile,
  *run({ passport, destination, on, lang, dataset }) {
    const full = yield* loadFull
    const language = yield* readLanguage(lang ?? "en")
    const looked = lookupRequirement(dataset, passport, destination, { on })
    orRecord(looked, { passport, destination, on }, dataset.sinceDay)
    const facts = full.readDatasetFacts(dataset)
    if (!facts.ok) throw failed(facts.error.message)
    const localised = yield* Effect.promise(() => full.loadLocalisedFacts(dataset, language))
    // There is a record, because the lookup found one.
    const record = full.assembleFullRecord(localised, passport, destination, { on })!
    const page = full.renderMarkdown(record, localised.locale).trimEnd()
    return { json: record, text: [points(page)] }
  },
})

export const find = makeQuestion("find", {
  examples: {
    "landfall find guinea": "Every country with that word in its name",
    "landfall find dominican --json": "The people of two countries, for programs",
    "landfall find guinea --lang ja": "The names in Japanese",
  },
  takes: { text: argument("The name of a country or of its people, a part of a name, or a code") },
  *run({ text, lang, dataset, words }) {
    const { search } = yield* Effect.promise(() => openFinder(dataset))
    const found = search(text)
    if (found.length === 0) {
      const message = `no country is called ${JSON.stringify(text.slice(0, 100))}`
      throw failed(message, { code: "not_found", field: "text", given: text })
    }
    const countries = lang === undefined ? found : found.map(one => ({ ...one, name: words.country(one.code) }))
    return { json: toWire({ countries }), text: [table(...tableOfCountries(countries))] }
  },
})

/** Loads the history of a dataset, and what answers from it. */
const loadPast = Effect.fnUntraced(function* (dataset: Dataset) {
  const [{ historyOf }, { describePast }, entry] = yield* Effect.promise(() =>
    Promise.all([import("../answers/with-past.ts"), import("../answers/past-pair.ts"), import("../../src/history.ts")]),
  )
  const history = historyOf(dataset)
  if (!history.ok) throw failed(history.error.message)
  return { history: history.value, describePast, ...entry }
})

/** Opens a dataset as of a day; for a day before its first, the view of its history. */
const openDatasetOnAnyDay = Effect.fnUntraced(function* (file: string | undefined, on: string | undefined) {
  const dataset = yield* openDatasetFile(file)
  if (on === undefined) return dataset
  const day = parseCivilDate(on)
  if (day === null || day >= dataset.sinceDay) return orUsage(datasetOn(dataset, on))
  const { history, pastDataset } = yield* loadPast(dataset)
  return orUsage(pastDataset(history, dataset, on))
})

/** Answers for a pair on a past day; without a record the command ends with 1. */
const answerPast = Effect.fnUntraced(function* (dataset: Dataset, question: PastQuestion, words: LocalWords) {
  const { passport, destination, on } = question
  const { history, lookupPast, describePast } = yield* loadPast(dataset)
  const answer = lookupPast(history, passport, destination, on)
  if (answer.kind === "found") {
    return { json: describePast(question, answer), text: [points(sayPast(question, answer, words))] }
  }
  const message = `${passport} to ${destination}: ${answer.message}`
  throw failed(message, { code: "no_record", given: { passport, destination } })
})

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

const describeStay = (kind: string, days: number | null) => (kind === "days" ? String(days) : kind.replaceAll("_", " "))

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
  *run({ passports, allow, dataset, words }) {
    const wanted = allow?.split(",") as Requirement[] | undefined
    const answer = orNoRecord(orUsage(intersectGroup(dataset, passports, { allow: wanted })))
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
      json: orData(describeGroup(dataset, { passports: answer.passports, allow: answer.allow })),
      text: [
        table(["code", "destination", "at worst", "days", "each"], rows),
        `\n${answer.count} destinations for ${passports.join(",")} on ${answer.on}. Dataset ${answer.datasetVersion}.`,
      ],
    }
  },
})

export const best = makeQuestion("best", {
  examples: { "landfall best USA,DEU": "An American and a German passport" },
  takes: { passports: countries, on: day },
  *run({ passports, dataset, words }) {
    const answer = orNoRecord(orUsage(chooseBestPassports(dataset, passports)))
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
  examples: { "landfall entrants JPN": "Every passport, by requirement" },
  takes: { destination: country("JPN"), on: day },
  *run({ destination, dataset, words }) {
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
  *run({ passport, dataset, words }) {
    orNoRecord(orUsage(scorePassport(dataset, passport)))
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
  *run({ passport1, passport2, dataset, words }) {
    orNoRecord(orUsage(comparePassports(dataset, { passport1, passport2 })))
    const answer = orData(describeComparison(dataset, { passport1, passport2 }))
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
  examples: {
    "landfall rank --lang fr": "With names in French",
    "landfall rank --on 2022-03-06": "On a past day",
  },
  takes: { on: day },
  opens: openDatasetOnAnyDay,
  *run({ dataset, words }) {
    const ranking = orUsage(rankPassports(dataset))
    const rows = ranking.passports.map(({ rank, passport, score }) => [
      rank,
      passport,
      words.country(passport),
      score.toFixed(1),
    ])
    return { json: toWire(ranking), text: [table(["rank", "passport", "issued by", "score"], rows)] }
  },
})
