/** `landfall visa FRA JPN --lang ja`: everything that is known of one pair, in one of fifteen languages. */
import { Effect } from "effect"
import { lookupRequirement } from "../../src/index.ts"
import { isSet } from "./command.ts"
import { openDatasetFile, orRecord, orWellFormed } from "./command-outcome.ts"
import { country, day, makeQuestion } from "./dataset-question.ts"
import { CalledWrongly, CommandFailed } from "./failure.ts"
import { loadFull, readLanguage } from "./language.ts"
import { points, unbroken } from "./print.ts"

export const visa = makeQuestion("visa", {
  about: "Show everything known about a pair, in one of fifteen languages",
  examples: {
    "landfall visa IND DEU --lang hi": "A page in Hindi",
    "landfall visa FRA JPN --json": "The full record, for programs",
  },
  takes: {
    passport: country("FRA"),
    destination: country("JPN"),
    on: day,
    markdown: isSet("Print the page as Markdown, its lines unbroken"),
  },
  opens: openDatasetFile,
  *run({ passport, destination, on, lang, dataset, json, markdown }) {
    const full = yield* loadFull
    const language = yield* readLanguage(lang ?? "en")
    if (json && markdown) {
      return yield* new CalledWrongly({ message: "--json and --markdown exclude each other." })
    }
    const looked = lookupRequirement(dataset, passport, destination, { on })
    const { sinceDay } = dataset
    yield* orRecord(yield* orWellFormed(looked, { passport, destination, on }), { passport, destination, sinceDay })
    const facts = full.readDatasetFacts(dataset)
    if (!facts.ok) return yield* new CommandFailed({ message: facts.error.message })
    const localised = yield* Effect.promise(() => full.loadLocalisedFacts(dataset, language))
    const record = full.assembleFullRecord(localised, passport, destination, { on })
    if (record === null) {
      return yield* new CommandFailed({ message: `${passport} to ${destination}: No record.`, code: "no_record" })
    }
    const page = full.renderMarkdown(record, localised.locale).trimEnd()
    return { json: record, text: [markdown ? unbroken(page) : points(page)] }
  },
})
