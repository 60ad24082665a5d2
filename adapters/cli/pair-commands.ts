/** `landfall check FRA JPN`, `visa FRA JPN --lang ja` and `find guinea`: what is known of one pair, and the codes of countries by their names. */

import { Clock, Effect } from "effect"
import { lookupRequirement } from "../../src/index.ts"
import { toWire } from "../answers/wire-names.ts"
import { findPair, layOutCheck, writeCheck } from "./check-pair.ts"
import { argument } from "./command.ts"
import { openDatasetFile, orRecord, orWellFormed } from "./command-outcome.ts"
import { country, day, makeQuestion } from "./dataset-question.ts"
import { CommandFailed, failed } from "./failure.ts"
import { openFinder, tableOfCountries } from "./find-code.ts"
import { loadFull, readLanguage } from "./language.ts"
import { measureColumns, points, Stdout, table } from "./print.ts"

export const check = makeQuestion("check", {
  about: "Show the requirement of a passport at a destination",
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
      const { answerPast } = yield* Effect.promise(() => import("./past-days.ts"))
      return yield* answerPast(dataset, { passport, destination, on }, words)
    }
    const pair = yield* orRecord(yield* orWellFormed(looked, { passport, destination, on }), asked)
    const screen = yield* Stdout
    // One of the two is made, because its words take longer to load than the answer to find.
    return yield* Effect.promise(async () =>
      json
        ? { json: await writeCheck(dataset, pair, asked), text: [] }
        : { json: null, text: [await layOutCheck(dataset, pair, asked, screen, measureColumns)] },
    )
  },
})

export const visa = makeQuestion("visa", {
  about: "Show everything known about a pair, in one of fifteen languages",
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
    const { sinceDay } = dataset
    yield* orRecord(yield* orWellFormed(looked, { passport, destination, on }), { passport, destination, sinceDay })
    const facts = full.readDatasetFacts(dataset)
    if (!facts.ok) return yield* failed(facts.error.message)
    const localised = yield* Effect.promise(() => full.loadLocalisedFacts(dataset, language))
    const record = full.assembleFullRecord(localised, passport, destination, { on })
    if (record === null) {
      return yield* new CommandFailed({ message: `${passport} to ${destination}: No record.`, code: "no_record" })
    }
    const page = full.renderMarkdown(record, localised.locale).trimEnd()
    return { json: record, text: [points(page)] }
  },
})

export const find = makeQuestion("find", {
  about: "The codes of countries, by their names and those of their people in any of fifteen languages",
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
      return yield* new CommandFailed({ message, code: "not_found", field: "text", given: text })
    }
    const countries = lang === undefined ? found : found.map(one => ({ ...one, name: words.country(one.code) }))
    return { json: toWire({ countries }), text: [table(...tableOfCountries(countries))] }
  },
})
