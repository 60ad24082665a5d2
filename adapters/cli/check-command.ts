/** `landfall check FRA JPN`: the requirement of a pair, its conditions, and its evidence. */
import { Clock, Effect } from "effect"
import { findPair, layOutCheck, writeCheck } from "./check-pair.ts"
import { openDatasetFile, orRecord, orWellFormed } from "./command-outcome.ts"
import { country, day, makeQuestion } from "./dataset-question.ts"
import { readLanguage } from "./language.ts"
import { measureColumns, Stdout } from "./print.ts"

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
