/** `landfall find guinea`: the codes of countries, by their names in any of fifteen languages; and how other commands read such names. */
import { Effect, Option } from "effect"
import { Argument } from "effect/cli"
import type { Dataset } from "../../src/index.ts"
import { makeCommand } from "./command.ts"
import { CommandFailed, datasetFlag, openDatasetFile, printTable, printWire } from "./command-outcome.ts"
import { CalledWrongly } from "./failure.ts"
import { findCode, openFinder, tableOfCountries } from "./find-code.ts"
import { langFlag, loadWords } from "./language.ts"

/** An argument that is a code, or a country's name. */
export const countryArgument = (name: string, example: string) =>
  Argument.String(name).pipe(
    Argument.withDescription(
      `ISO 3166-1 alpha-3 code, such as ${example}, or a name of the country or of its people in any of fifteen languages`,
    ),
  )

/** The argument or flag that a country was given for. */
interface Place {
  readonly field: string
}

/** Reads a code or a name as a code; a word that may mean several countries, or none, ends with 2 and names those that may be meant. */
export const readCountry = (dataset: Dataset, text: string, { field }: Place): Effect.Effect<string, CalledWrongly> =>
  Effect.flatMap(
    Effect.promise(() => findCode(dataset, text, field)),
    read => (read.ok ? Effect.succeed(read.code) : Effect.fail(new CalledWrongly({ ...read.refusal }))),
  )

/** Reads the two countries of a pair. */
export const readPair = (
  dataset: Dataset,
  { passport, destination }: { readonly passport: string; readonly destination: string },
) =>
  Effect.all({
    passport: readCountry(dataset, passport, { field: "passport" }),
    destination: readCountry(dataset, destination, { field: "destination" }),
  })

/** Reads a list of codes or names, separated by commas. */
export const readCountries = (
  dataset: Dataset,
  list: string,
  { field }: Place,
): Effect.Effect<readonly string[], CalledWrongly> =>
  Effect.forEach(list.split(","), (text, at) => readCountry(dataset, text, { field: `${field}[${at}]` }))

export const find = makeCommand("find", {
  about: "The codes of countries, by their names and those of their people in any of fifteen languages",
  usage: "landfall find TEXT [--lang LANG] [--dataset FILE] [--json]",
  examples: {
    "landfall find guinea": "Every country with that word in its name",
    "landfall find dominican --json": "The people of two countries, for programs",
    "landfall find guinea --lang ja": "The names in Japanese",
  },
  takes: {
    text: Argument.String("text").pipe(
      Argument.withDescription("The name of a country or of its people, a part of a name, or a code"),
    ),
    lang: langFlag,
    dataset: datasetFlag,
  },
  *run({ text, lang, dataset: file, json }) {
    const dataset = yield* openDatasetFile(file)
    const words = yield* loadWords(lang)
    const { search } = yield* Effect.promise(() => openFinder(dataset))
    const found = search(text)
    if (found.length === 0) {
      const message = `no country is called ${JSON.stringify(text.slice(0, 100))}`
      return yield* new CommandFailed({ message, code: "not_found", field: "text", given: text })
    }
    const countries = Option.isNone(lang) ? found : found.map(one => ({ ...one, name: words.country(one.code) }))
    if (json) return yield* printWire({ countries })
    yield* printTable(...tableOfCountries(countries))
  },
})
