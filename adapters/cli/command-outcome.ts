/**
 * What do the commands share: datasets and other files, and what ends a command?
 *
 * Everything but the answer goes to stderr; `failure.ts` says how a command fails, `print.ts` how an answer is printed.
 */

import { readFileSync, realpathSync, statSync } from "node:fs"
import { Context, Effect, Result as EffectResult } from "effect"
import {
  type Dataset,
  datasetOn,
  embeddedDataset,
  formatCivilDate,
  type InputError,
  type Malformed,
  type NoRecord,
  openDataset,
  type Result,
} from "../../src/index.ts"
import type { Outcome } from "../answers/answer-outcome.ts"
import { refuseLargeFile } from "../files/dataset-size.ts"
import { describeFileError, describeJsonError } from "../files/file-errors.ts"
import { text } from "./command.ts"
import { CalledWrongly, CommandFailed, type FailureDetails, failed, readRefusal, wrong } from "./failure.ts"

/**
 * A number with its noun.
 *
 * @example
 * ```ts
 * nameCount(1, "pair") // => "1 pair"
 * nameCount(1200, "pair differs", "pairs differ") // => "1,200 pairs differ"
 * ```
 */
export const nameCount = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`

/** `--encoding NAME`, of files of text. */
export const encodingOf = (what: string) =>
  text("NAME", `The encoding of ${what}, such as windows-1252; UTF-8 when absent`)

/** Takes the name of an encoding that the runtime has. */
export const readEncoding = (label: string | undefined): Effect.Effect<string | undefined, CalledWrongly> => {
  try {
    if (label !== undefined) new TextDecoder(label)
    return Effect.succeed(label)
  } catch {
    const message = `--encoding: ${JSON.stringify(label)} is not an encoding; such as windows-1252, shift_jis or utf-16le is expected.`
    return wrong(message)
  }
}

/** Opens a dataset file, or the embedded dataset where no file is named. */
export const openDatasetFile = (path: string | undefined): Effect.Effect<Dataset, CommandFailed> =>
  Effect.gen(function* () {
    if (path === undefined) return embeddedDataset()
    const opened = openDataset(yield* readDatasetBytes(path))
    return opened.ok ? opened.value : yield* failed(`${path}: ${opened.error.message}`)
  })

/** Opens a dataset as of a day; its own day where none is given. */
export const openDatasetOn = (file: string | undefined, on: string | undefined) =>
  Effect.gen(function* () {
    const dataset = yield* openDatasetFile(file)
    return on === undefined ? dataset : yield* orUsage(datasetOn(dataset, on))
  })

/** Takes the value of an engine's answer; bad input ends with 2 and the usage line. */
export const orUsage = <Value>(result: Result<Value, InputError>): Effect.Effect<Value, CalledWrongly> =>
  result.ok ? Effect.succeed(result.value) : Effect.fail(new CalledWrongly({ ...readRefusal(result.error) }))

/** Returns the value that was read or made; without one the command ends with 1. */
export const orFail = <Value>(
  result: EffectResult.Result<Value, { readonly message: string }>,
): Effect.Effect<Value, CommandFailed> =>
  Effect.fromResult(EffectResult.mapError(result, ({ message }) => failed(message)))

/** Ends with 2 where a lookup was given something malformed, and names it, because the engine's answer does not. */
export const orWellFormed = <Given extends { readonly kind: string }>(
  answer: Given | Malformed,
  given: { readonly passport: string; readonly destination: string; readonly on: string | undefined },
): Effect.Effect<Exclude<Given, Malformed>, CalledWrongly> => {
  if (answer.kind !== "malformed") return Effect.succeed(answer as Exclude<Given, Malformed>)
  const { field, message } = answer as Malformed
  // The command line makes the options itself, so nothing else in them can be wrong.
  const isDay = field === "on" || field === "options"
  const refused = isDay ? (given.on ?? "") : given[field]
  const issue = {
    path: isDay ? "on" : field,
    message: `${message.replace(/^\w+: /, "").slice(0, -1)}, not ${JSON.stringify(refused)}.`,
  }
  return Effect.fail(new CalledWrongly({ ...readRefusal({ tag: "InputRefused", message, issues: [issue] }) }))
}

/** Takes an answer that has a record; without one the command ends with 1. */
export const orNoRecord = <Given extends { readonly kind: string }>(
  answer: Given | NoRecord,
  describe: (none: NoRecord) => { readonly message: string } & FailureDetails = ({ message }) => ({ message }),
): Effect.Effect<Exclude<Given, NoRecord>, CommandFailed> =>
  answer.kind === "no_record"
    ? Effect.fail(new CommandFailed({ code: "no_record", ...describe(answer as NoRecord) }))
    : Effect.succeed(answer as Exclude<Given, NoRecord>)

/** The same for a pair, which the message names; `sinceDay` is the dataset's first day, for a message that names it. */
export const orRecord = <Given extends { readonly kind: string }>(
  answer: Given | NoRecord,
  asked: { readonly passport: string; readonly destination: string; readonly sinceDay?: number },
) =>
  orNoRecord(answer, ({ reason, message }) => {
    const { passport, destination, sinceDay } = asked
    const isBefore = reason === "before_dataset" && sinceDay !== undefined
    const why = isBefore ? message.replace(/\.$/, `, ${formatCivilDate(sinceDay)}.`) : message
    return { message: `${passport} to ${destination}: ${why}`, given: { passport, destination } }
  })

/** Means the standard input where a file is expected. */
const STANDARD_INPUT = "-"

const nameFile = (path: string): string => (path === STANDARD_INPUT ? "standard input" : path || '""')

/** Does something with a file, and says what the system says where it cannot be done. */
export const onFile = <Value>(path: string, work: () => Value): Effect.Effect<Value, CommandFailed> =>
  Effect.try({
    try: work,
    catch: cause => failed(`${path || '""'}: ${describeFileError(cause)}`),
  })

/** Ends with 2 if the output would replace the input, whatever names the two have. */
export const refuseSameFile = (input: string, output: string): Effect.Effect<void, CommandFailed | CalledWrongly> =>
  onFile(
    input,
    () => statSync(output, { throwIfNoEntry: false }) !== undefined && realpathSync(output) === realpathSync(input),
  ).pipe(
    Effect.flatMap(isSame =>
      isSame ? Effect.fail(wrong(`${output} is the input: the output would replace it.`)) : Effect.void,
    ),
  )

/** Reads the whole standard input by its descriptor, because a stream would read a folder as an empty file. */
export const StandardInput = Context.Reference<() => Uint8Array>("landfall/cli/StandardInput", {
  defaultValue: () => () => readFileSync(process.stdin.fd),
})

/** Reads a file whole, or the standard input where `-` is given; or says why it cannot be read. */
export const readBytes = (path: string): Effect.Effect<Uint8Array, CommandFailed> =>
  Effect.flatMap(StandardInput, readStandardInput =>
    Effect.try({
      try: () => new Uint8Array(path === STANDARD_INPUT ? readStandardInput() : readFileSync(path)),
      catch: cause => failed(`${nameFile(path)}: ${describeFileError(cause)}`),
    }),
  )

/** Reads a dataset file; a file that is too large to be one is not read. */
export const readDatasetBytes = (path: string): Effect.Effect<Uint8Array, CommandFailed> =>
  Effect.suspend(() => {
    const isTooLarge = path === STANDARD_INPUT ? null : refuseLargeFile(path)
    return isTooLarge === null ? readBytes(path) : Effect.fail(failed(`${nameFile(path)}: ${isTooLarge}`))
  })

export const readText = (path: string): Effect.Effect<string, CommandFailed> =>
  Effect.map(readBytes(path), bytes => new TextDecoder().decode(bytes))

/** Reads a file of JSON; other text ends with 2 and the usage line, as JSON of another shape does. */
export const readJsonFile = (path: string): Effect.Effect<unknown, CommandFailed | CalledWrongly> =>
  readText(path).pipe(
    Effect.flatMap(text =>
      Effect.try({
        try: () => JSON.parse(text) as unknown,
        catch: cause => wrong(`${nameFile(path)}: ${describeJsonError(text, cause)}`),
      }),
    ),
  )

/** Takes the record that the HTTP service sends, so that machines read the same names here and there; without one the command ends with 1. */
export const orData = <Data>(outcome: Outcome<{ readonly data: Data }>): Effect.Effect<Data, CommandFailed> =>
  outcome.kind === "found"
    ? Effect.succeed(outcome.body.data)
    : Effect.fail(
        new CommandFailed({ message: outcome.message, code: outcome.kind === "refused" ? "failed" : "no_record" }),
      )
