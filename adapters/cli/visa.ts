/** `landfall visa FRA JPN --lang ja`: everything that is known of one pair, in one of fifteen languages. */
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { lookupRequirement } from "../../src/index.ts"
import { countryArgument, readCountry } from "./countries.ts"
import {
  CalledWrongly,
  CommandFailed,
  datasetFlag,
  jsonFlag,
  onFlag,
  openDatasetFile,
  orWellFormed,
  printJson,
} from "./outcome.ts"

const USAGE = "landfall visa PASSPORT DESTINATION [--lang LANG] [--on DATE] [--json | --markdown]"

export const visa = Command.make(
  "visa",
  {
    passport: countryArgument("passport", "FRA"),
    destination: countryArgument("destination", "JPN"),
    lang: Flag.String("lang").pipe(
      Flag.withMetavar("LANG"),
      Flag.withDescription("fr, en, es, pt, de, it, ja, ko, zh, ru, ar, hi, th, vi or tl; en when absent"),
      Flag.withDefault("en"),
    ),
    on: onFlag,
    dataset: datasetFlag,
    json: jsonFlag,
    markdown: Flag.Boolean("markdown").pipe(
      Flag.withDescription("Print a page of Markdown, as without --json"),
      Flag.withDefault(false),
    ),
  },
  Effect.fnUntraced(function* ({ lang, on, dataset: file, json, markdown, ...given }) {
    // Loaded here, because every other command starts faster without it.
    const full = yield* Effect.promise(() => import("../../src/full.ts"))
    if (!full.isLanguage(lang)) {
      const message = `--lang: "${lang}" is none of ${full.LANGUAGES.join(", ")}.`
      return yield* new CalledWrongly({ message, usage: USAGE })
    }
    if (json && markdown) {
      return yield* new CalledWrongly({ message: "--json and --markdown exclude each other.", usage: USAGE })
    }
    const passport = yield* readCountry(given.passport, USAGE)
    const destination = yield* readCountry(given.destination, USAGE)
    const dataset = yield* openDatasetFile(file)
    const options = { on: Option.getOrUndefined(on) }
    const looked = lookupRequirement(dataset, passport, destination, options)
    const answer = yield* orWellFormed(looked, { passport, destination, on }, USAGE)
    const facts = full.readDatasetFacts(dataset)
    if (!facts.ok) return yield* new CommandFailed({ message: facts.error.message })
    const book = yield* Effect.promise(() => full.loadRecordBook(dataset, lang))
    const record = full.assembleFullRecord(book, passport, destination, options)
    if (record === null || answer.kind === "no_record") {
      const reason = answer.kind === "no_record" ? answer.message : "No record."
      return yield* new CommandFailed({ message: `${passport} to ${destination}: ${reason}` })
    }
    yield* json ? printJson(record) : Console.log(full.renderMarkdown(record, book.locale).trimEnd())
  }),
).pipe(Command.withDescription("Everything that is known of a pair, in one of fifteen languages"))
