/** `landfall check FRA JPN`: the requirement of a pair, its conditions, and its evidence. */
import { Clock, Console, Effect, Option } from "effect"
import { findPair, layOutCheck, writeCheck } from "./check-pair.ts"
import { makeCommand } from "./command.ts"
import { datasetFlag, onFlag, openDatasetFile, orRecord, orWellFormed, printJson, Stdout } from "./command-outcome.ts"
import { countryArgument, readPair } from "./find-command.ts"
import { langFlag, loadWords, readLanguage } from "./language.ts"
import { measureColumns } from "./print-table.ts"

export const check = makeCommand("check", {
  about: "Show the requirement of a passport at a destination",
  usage: "landfall check PASSPORT DESTINATION [--on YYYY-MM-DD] [--lang LANG] [--dataset FILE] [--json]",
  examples: {
    "landfall check FRA JPN --on 2026-12-24": "A French passport to Japan on a day",
    "landfall check FRA CHN --on 2023-06-01": "What tables showed on a past day",
    "landfall check french japan": "The same by words, in any of fifteen languages",
    "landfall check IND DEU --lang hi": "The answer in Hindi",
    "landfall check FRA JPN --json": "For programs",
  },
  takes: {
    passport: countryArgument("passport", "FRA"),
    destination: countryArgument("destination", "JPN"),
    on: onFlag,
    lang: langFlag,
    dataset: datasetFlag,
  },
  *run({ on, lang, dataset: file, json, ...given }) {
    const dataset = yield* openDatasetFile(file)
    const { passport, destination } = yield* readPair(dataset, given)
    const language = Option.isNone(lang) ? null : yield* readLanguage(lang.value)
    const nowMs = yield* Clock.currentTimeMillis
    const asked = { passport, destination, options: { on: Option.getOrUndefined(on) }, language, nowMs }
    const looked = findPair(dataset, asked)
    if (looked.kind === "no_record" && looked.reason === "before_dataset" && Option.isSome(on)) {
      const { printPast } = yield* Effect.promise(() => import("./past-days.ts"))
      const words = yield* loadWords(lang)
      return yield* printPast(dataset, { passport, destination, on: on.value }, { words, json })
    }
    const pair = yield* orRecord(yield* orWellFormed(looked, { passport, destination, on }), asked)
    if (json) return yield* printJson(yield* Effect.promise(() => writeCheck(dataset, pair, asked)))
    const screen = yield* Stdout
    yield* Console.log(yield* Effect.promise(() => layOutCheck(dataset, pair, asked, screen, measureColumns)))
  },
})
