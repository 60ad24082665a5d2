/** `landfall check FRA JPN`: what a passport's holder needs to enter a destination, on what else it depends, and how we know. */
import { Clock, Console, Effect, Option } from "effect"
import { Command } from "effect/cli"
import { findPair, layOutCheck, writeCheck } from "./check-pair.ts"
import { countryArgument, readCountry } from "./countries.ts"
import { langFlag, loadWords, readLanguage } from "./language.ts"
import { datasetFlag, jsonFlag, onFlag, openDatasetFile, orRecord, orWellFormed, printJson, Stdout } from "./outcome.ts"
import { measureColumns } from "./table.ts"

const USAGE = "landfall check PASSPORT DESTINATION [--on YYYY-MM-DD] [--lang LANG] [--dataset FILE] [--json]"

export const check = Command.make(
  "check",
  {
    passport: countryArgument("passport", "FRA"),
    destination: countryArgument("destination", "JPN"),
    on: onFlag,
    lang: langFlag,
    dataset: datasetFlag,
    json: jsonFlag,
  },
  Effect.fnUntraced(function* ({ on, lang, dataset: file, json, ...given }) {
    const dataset = yield* openDatasetFile(file)
    const passport = yield* readCountry(dataset, given.passport, { field: "passport", usage: USAGE })
    const destination = yield* readCountry(dataset, given.destination, { field: "destination", usage: USAGE })
    const language = Option.isNone(lang) ? null : yield* readLanguage(lang.value, USAGE)
    const nowMs = yield* Clock.currentTimeMillis
    const asked = { passport, destination, options: { on: Option.getOrUndefined(on) }, language, nowMs }
    const looked = findPair(dataset, asked)
    if (looked.kind === "no_record" && looked.reason === "before_dataset" && Option.isSome(on)) {
      const { printPast } = yield* Effect.promise(() => import("./past.ts"))
      const words = yield* loadWords(lang, USAGE)
      return yield* printPast(dataset, { passport, destination, on: on.value }, { words, json })
    }
    const pair = yield* orRecord(yield* orWellFormed(looked, { passport, destination, on }, USAGE), asked)
    if (json) return yield* printJson(yield* Effect.promise(() => writeCheck(dataset, pair, asked)))
    const screen = yield* Stdout
    yield* Console.log(yield* Effect.promise(() => layOutCheck(dataset, pair, asked, screen, measureColumns)))
  }),
).pipe(
  Command.withDescription("What a passport's holder needs to enter a destination"),
  Command.withExamples([
    { command: "landfall check FRA JPN --on 2026-12-24", description: "A French passport to Japan on a day" },
    { command: "landfall check FRA CHN --on 2023-06-01", description: "What tables showed on a past day" },
    { command: "landfall check french japan", description: "The same by words, in any of fifteen languages" },
    { command: "landfall check IND DEU --lang hi", description: "The answer in Hindi" },
    { command: "landfall check FRA JPN --json", description: "For programs" },
  ]),
)
