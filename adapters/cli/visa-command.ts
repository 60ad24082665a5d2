/** `landfall visa FRA JPN --lang ja`: everything that is known of one pair, in one of fifteen languages. */
import { Console, Effect, Option } from "effect"
import { lookupRequirement } from "../../src/index.ts"
import { makeCommand } from "./command.ts"
import {
  CalledWrongly,
  CommandFailed,
  datasetFlag,
  onFlag,
  openDatasetFile,
  orRecord,
  orWellFormed,
  printJson,
  printText,
  switchFlag,
} from "./command-outcome.ts"
import { countryArgument, readPair } from "./find-command.ts"
import { langFlag, loadFull, readLanguage } from "./language.ts"

export const visa = makeCommand("visa", {
  about: "Show everything known about a pair, in one of fifteen languages",
  usage: "landfall visa PASSPORT DESTINATION [--lang LANG] [--on DATE] [--dataset FILE] [--json | --markdown]",
  examples: {
    "landfall visa IND DEU --lang hi": "A page in Hindi",
    "landfall visa FRA JPN --json": "The full record, for programs",
  },
  takes: {
    passport: countryArgument("passport", "FRA"),
    destination: countryArgument("destination", "JPN"),
    lang: langFlag,
    on: onFlag,
    dataset: datasetFlag,
    markdown: switchFlag("markdown", "Print the page as Markdown, its lines unbroken"),
  },
  *run({ lang, on, dataset: file, json, markdown, ...given }) {
    const full = yield* loadFull
    const language = yield* readLanguage(Option.getOrElse(lang, () => "en"))
    if (json && markdown) {
      return yield* new CalledWrongly({ message: "--json and --markdown exclude each other." })
    }
    const dataset = yield* openDatasetFile(file)
    const { passport, destination } = yield* readPair(dataset, given)
    const options = { on: Option.getOrUndefined(on) }
    const looked = lookupRequirement(dataset, passport, destination, options)
    const { sinceDay } = dataset
    yield* orRecord(yield* orWellFormed(looked, { passport, destination, on }), {
      passport,
      destination,
      sinceDay,
    })
    const facts = full.readDatasetFacts(dataset)
    if (!facts.ok) return yield* new CommandFailed({ message: facts.error.message })
    const localised = yield* Effect.promise(() => full.loadLocalisedFacts(dataset, language))
    const record = full.assembleFullRecord(localised, passport, destination, options)
    if (record === null) {
      return yield* new CommandFailed({ message: `${passport} to ${destination}: No record.`, code: "no_record" })
    }
    if (json) return yield* printJson(record)
    const page = full.renderMarkdown(record, localised.locale).trimEnd()
    yield* markdown ? Console.log(page) : printText(page, "  ")
  },
})
