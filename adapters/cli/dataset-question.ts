/**
 * What is a question to a dataset?
 *
 * A command whose countries are codes or names, read by one dataset that is embedded or a file, and whose answer is written in the language that is asked for.
 */
import { Effect } from "effect"
import type { Dataset } from "../../src/index.ts"
import { argument, type Given, makeCommand, type Takes, text, type Words } from "./command.ts"
import { openDatasetOn } from "./command-outcome.ts"
import { CalledWrongly, type CommandFailed } from "./failure.ts"
import { findCode } from "./find-code.ts"
import { type Words as LocalWords, lang, loadWords } from "./language.ts"
import type { Answer } from "./print.ts"

/** `--dataset FILE`: answer from a dataset file instead of the embedded dataset. */
export const datasetFile = text("FILE", "The dataset file to use; the embedded dataset when absent")

/** `--on DATE`. */
export const day = text("DATE", "The day of the answer, YYYY-MM-DD; the dataset's own day when absent")

/** An argument that is a code, or a country's name; a question reads it as a code. */
export const country = (example: string) => ({
  ...argument(
    `ISO 3166-1 alpha-3 code, such as ${example}, or a name of the country or of its people in any of fifteen languages`,
  ),
  reads: "country" as const,
})

/** An argument that is a list of these; a question reads it as codes. */
export const countries = {
  ...argument("Alpha-3 codes or countries' names separated by commas, such as FRA,IND"),
  reads: "countries" as const,
}

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

/** Reads a list of codes or names, separated by commas. */
export const readCountries = (
  dataset: Dataset,
  list: string,
  { field }: Place,
): Effect.Effect<readonly string[], CalledWrongly> =>
  Effect.forEach(list.split(","), (text, at) => readCountry(dataset, text, { field: `${field}[${at}]` }))

/** What was asked: countries as codes, the rest as it was given. */
type Asked<Taken extends Takes> = {
  readonly [Name in keyof Taken]: Taken[Name] extends { readonly reads: "countries" }
    ? readonly string[]
    : Given<Taken>[Name]
} & {
  readonly dataset: Dataset
  /** The language that was asked for, as it was given, and its words. */
  readonly lang: string | undefined
  readonly words: LocalWords
  readonly json: boolean
}

type Opens = (file: string | undefined, on: string | undefined) => Effect.Effect<Dataset, CalledWrongly | CommandFailed>

/** Makes a question; `--lang` and `--dataset` follow what it takes itself. */
export const makeQuestion = <const Taken extends Takes, Step extends Effect.Effect<unknown, unknown, unknown>>(
  path: string,
  {
    opens = openDatasetOn,
    ...question
  }: Words & {
    readonly takes: Taken
    /** Opens the dataset, which is that of a day unless something else is said. */
    readonly opens?: Opens
    run(asked: Asked<Taken>): Generator<Step, Answer | undefined, never>
  },
) =>
  makeCommand(path, {
    ...question,
    takes: { ...question.takes, lang, dataset: datasetFile },
    // Asserted: the compiler does not see which of the fields are its own.
    *run(given): Generator<Step | Effect.Effect<unknown, CalledWrongly | CommandFailed>, Answer | undefined, never> {
      const { dataset: file, ...asked } = given as Readonly<Record<string, string | undefined>>
      const dataset: Dataset = yield* opens(file, asked.on)
      const codes: Record<string, string | readonly string[]> = {}
      for (const [field, kind] of Object.entries(question.takes)) {
        if (!("reads" in kind)) continue
        const read = kind.reads === "country" ? readCountry : readCountries
        codes[field] = yield* read(dataset, asked[field] ?? "", { field })
      }
      const words: LocalWords = yield* loadWords(asked.lang)
      return yield* question.run({ ...asked, ...codes, dataset, words } as never)
    },
  })
