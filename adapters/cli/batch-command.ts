/** `landfall batch IN -o OUT`: judges itineraries by the million, a line each, on all cores. */
import { statSync } from "node:fs"
import { availableParallelism } from "node:os"
import { Clock, Console, Effect } from "effect"
import { BRITISH_CLASSES } from "../../src/engine.ts"
import { type Dataset, embeddedDataset } from "../../src/index.ts"
import { DECISION_VIEWS } from "../answers/decision.ts"
import type { FileFormat } from "../batch/files/sources.ts"
import type { AnswerShape } from "../batch/lines/line-answer.ts"
import { DATE_FORMS, HeaderRefused, type ReadCountryCell } from "../batch/lines/request-row.ts"
import { describeFileError } from "../files/file-errors.ts"
import { count, countLines, describeBatch, startBar } from "./batch-report.ts"
import { argument, choice, type Given, isSet, makeCommand, or, output, text, whole } from "./command.ts"
import { encodingOf, onFile, openDatasetFile, readBytes, readEncoding, refuseSameFile } from "./command-outcome.ts"
import { datasetFile } from "./dataset-question.ts"
import { type CalledWrongly, CommandFailed, failed, wrong } from "./failure.ts"
import { openCountryReader } from "./find-code.ts"

const PIPE = "-"
const MOST_THREADS = 256
/** Far below the largest exact number, so that counting on stays exact. */
const MOST_LINE = 1_000_000_000_000

const formatOf = (what: string) =>
  choice(["ndjson", "csv", "parquet"], `The format of the ${what}; by the end of its name when absent, else NDJSON`)

const takes = {
  file: argument(
    "Requests, one a line, as for `landfall itinerary`, with an id; or CSV or Parquet with these columns, destination, from and to for one stop, destination_2, from_2, to_2 for the next; other columns are repeated in the answers; - for the standard input",
  ),
  output: or(output("The file for the answers, in the order of the lines; the standard output when absent"), PIPE),
  fields: text("NAMES", "Only these fields of each decision, separated by commas, such as verdict,blockers"),
  summary: isSet(
    "Only each line's verdict, in tables also in words, with the codes of its blockers and conditions and the number of unknowns",
  ),
  answers: choice(
    DECISION_VIEWS,
    "How much of a decision a line of NDJSON has: compact, each fact once, when absent; full, the body of the service's answer",
  ),
  strict: isSet("Refuse a table with a column that is not a field of a request"),
  dates: choice(DATE_FORMS, "The order of day, month and year in a table's dates that are not YYYY-MM-DD"),
  encoding: encodingOf("CSV"),
  resume: isSet("Continue an existing output after its last complete line; a new output gets its own name at once"),
  stage: isSet(
    "Judge one partition of a larger batch: one answer for each line, without line numbers; the counts as one line of JSON on stderr; exit code 0 even if lines failed",
  ),
  firstLine: whole("N", "With --stage: the number of the partition's first line in the whole batch, from 1"),
  flush: isSet("Answer lines as soon as they are read, for a program that waits for each answer"),
  lenient: isSet("Exit code 0 even if lines failed"),
  threads: whole("N", "The number of threads; one for each core when absent"),
  from: formatOf("input"),
  to: formatOf("output"),
  dataset: datasetFile,
}
type GivenFlags = Given<typeof takes> & { readonly json: boolean }

export const batch = makeCommand("batch", {
  about: "Judge itineraries by the million: NDJSON, CSV or Parquet in and out",
  examples: {
    "landfall batch trips.ndjson -o out.ndjson --summary": "A verdict for each line",
    "landfall batch trips.ndjson -o part.ndjson --stage": "A partition of a larger batch",
  },
  takes,
  *run(given) {
    const { file, output, resume, stage } = given
    // Loaded here, because every other command starts faster without it.
    const [{ runBatch }, sources, sinks, { readProgress, NO_PROGRESS }, answers] = yield* Effect.promise(() =>
      Promise.all([
        import("../batch/files/run-batch.ts"),
        import("../batch/files/sources.ts"),
        import("../batch/files/sinks.ts"),
        import("../batch/files/resume.ts"),
        import("../batch/lines/line-answer.ts"),
      ]),
    )
    const threads = yield* readThreads(given.threads)
    const firstLine = yield* readFirstLine(given)
    const partition = stage ? { isNumbered: firstLine !== undefined } : undefined
    const readFormat = (path: string, named: FileFormat | undefined, flag: string) => {
      const format = named ?? sources.guessFormat(path)
      return format === null
        ? wrong(`${path}: its ending says no format: ${sources.listEndings()} is expected, or --${flag}.`)
        : Effect.succeed(format)
    }
    const from = yield* readFormat(file, given.from, "from")
    const to = yield* readFormat(output, given.to, "to")
    const shape = yield* readShape(given, answers.listFields, to)
    yield* checkPlaces(file, output, to, resume)
    const reading = yield* readTableFlags(given, from)
    const dataset = yield* openDatasetFile(given.dataset)
    const bytes = given.dataset === undefined ? null : yield* readBytes(given.dataset)

    const name = (path: string) => (path === PIPE ? "standard input" : path)
    const attempt = <Value>(path: string, run: () => Promise<Value>) =>
      Effect.tryPromise({
        try: run,
        catch: cause =>
          cause instanceof HeaderRefused
            ? wrong(cause.message.replace(/^/gm, `${path}: `))
            : failed(explain(path, cause, sources.SourceError)),
      })
    // A country that a dataset file leaves out has no record; it is not an unknown name.
    const codes = new Set(
      [dataset.destinations, dataset.passports, embeddedDataset().destinations, BRITISH_CLASSES].flat(),
    )
    const { read, ...opened } = yield* attempt(name(file), () =>
      sources.openSource(file, from, {
        ...reading,
        isFlushed: given.flush,
        isKnown: code => codes.has(code),
        openCountries: () => openCountries(dataset),
      }),
    )
    const columns = to === "ndjson" ? [] : answers.listColumns(shape, { ...partition, given: opened.given })
    const progress = resume
      ? yield* attempt(output, () =>
          readProgress(output, { format: to, columns, isWhole: shape.kind === "whole" || shape.kind === "compact" }),
        )
      : NO_PROGRESS
    if ("problem" in progress) return yield* failed(`${output} cannot be resumed: ${progress.problem}`)
    const source = { ...opened, pieces: read(progress.afterLine) }
    const openSink = attempt(output, async () => {
      if (output === PIPE) return sinks.openPipe(process.stdout)
      if (to === "parquet") return sinks.openParquetFile(output, columns, answers.listNumberColumns(shape))
      return resume ? sinks.openTextFile(output, progress.bytes, progress.last) : sinks.openNewFile(output)
    })
    const sink = yield* Effect.acquireRelease(openSink, opened => Effect.promise(opened.close), { interruptible: true })
    if (to === "csv" && progress.bytes === 0) {
      yield* attempt(output, () => sink.write({ ...sinks.EMPTY_BLOCK, bytes: sinks.writeHead(columns) }))
    }

    const clock = yield* Clock.Clock
    const startedAt = clock.currentTimeMillisUnsafe()
    const seconds = () => (clock.currentTimeMillisUnsafe() - startedAt) / 1_000
    let answered = 0
    const bar = startBar(source, output === PIPE, seconds)
    let running: Promise<unknown> = Promise.resolve()
    const tally = yield* Effect.tryPromise({
      try: signal => {
        const batch = runBatch(
          {
            source,
            sink,
            shape,
            answers: to === "ndjson" ? "json" : to === "csv" ? "csv" : "columns",
            partition,
            firstLine,
            isFlushed: given.flush,
            threads,
            dataset,
            datasetFile: bytes,
            onProgress: tally => {
              answered = tally.lines
              bar.update(tally)
            },
          },
          signal,
        )
        running = batch.catch(() => {})
        return batch
      },
      catch: cause => {
        if (cause instanceof sinks.OtherAnswer) return failed(`${output} cannot be resumed: ${cause.message}`)
        const message =
          cause instanceof sinks.PipeClosed
            ? `the reader of the answers closed the pipe after ${countLines(answered)}; the others were not answered.`
            : explain(
                cause instanceof sources.SourceError ? name(file) : `${name(file)} or ${output}`,
                cause,
                sources.SourceError,
              )
        return new CommandFailed({ message, hasAnswered: output === PIPE || stage })
      },
    }).pipe(
      Effect.ensuring(Effect.sync(bar.stop)),
      Effect.onInterrupt(() =>
        // An incomplete line is removed first.
        Effect.andThen(
          Effect.promise(() => running),
          Console.error(`Ended by a signal after ${countLines(answered)}.${describeRemains(output, resume)}`),
        ),
      ),
    )

    const report = describeBatch(tally, progress, seconds())
    const text = stage
      ? JSON.stringify(report.record)
      : given.json
        ? JSON.stringify(report.record, null, 2)
        : report.text
    yield* output === PIPE || stage ? Console.error(text) : Console.log(text)
    const failures = tally.failed + progress.failed
    if (failures > 0 && !given.lenient && !stage) {
      return yield* new CommandFailed({
        message: `${count(failures)} of ${count(tally.lines + progress.lines)} lines failed; each says why in its \`error\`. With --lenient the exit code is 0.`,
        hasAnswered: true,
      })
    }
  },
})

function readTableFlags({ strict, dates, encoding, flush }: GivenFlags, from: FileFormat) {
  if (flush && from !== "ndjson")
    return wrong("--flush: lines of NDJSON are expected; a row of a table ends where the next one begins.")
  if (from === "ndjson") {
    const flag = strict ? "--strict" : dates !== undefined ? "--dates" : null
    if (flag !== null) return wrong(`${flag}: a table is expected; NDJSON has the dates and fields of the service.`)
  }
  if (encoding !== undefined && from !== "csv")
    return wrong("--encoding: CSV is expected; the other formats are UTF-8.")
  return Effect.map(readEncoding(encoding), label => ({
    isStrict: strict,
    dates,
    encoding: label,
  }))
}

/** Loads the reader of countries' names for tables, which keeps what it found. */
async function openCountries(dataset: Dataset): Promise<ReadCountryCell> {
  const read = await openCountryReader(dataset)
  const known = new Map<string, ReturnType<ReadCountryCell>>()
  return (text, field) => {
    const name = `${field} ${text}`
    let found = known.get(name)
    if (found === undefined) {
      const answer = read(text, field)
      found = answer.ok ? { code: answer.code } : { message: answer.refusal.message }
      if (known.size < MOST_NAMES) known.set(name, found)
    }
    return found
  }
}

/** Names that are kept once they were found. */
const MOST_NAMES = 10_000

function readShape(
  { fields, summary, answers: view }: GivenFlags,
  listFields: () => readonly string[],
  to: FileFormat,
): Effect.Effect<AnswerShape, CalledWrongly> {
  const isPicked = fields !== undefined
  if (isPicked && summary) return wrong("--fields and --summary: give one of them.")
  if (view !== undefined && (isPicked || summary))
    return wrong(`--answers and --${isPicked ? "fields" : "summary"}: give one of them.`)
  if (view === "compact" && to !== "ndjson")
    return wrong("--answers compact: NDJSON is expected; in a table --fields and --summary choose the columns.")
  if (fields === undefined) {
    if (summary) return Effect.succeed({ kind: "summary" })
    return Effect.succeed({ kind: to === "ndjson" && view !== "full" ? "compact" : "whole" })
  }
  const names = fields.split(",").map(name => name.trim())
  const known = listFields()
  const stranger = names.find(name => !known.includes(name))
  if (stranger !== undefined) return wrong(`--fields: one of ${known.join(", ")} is expected, not "${stranger}".`)
  const twin = names.find((name, at) => names.indexOf(name) !== at)
  return twin === undefined ? Effect.succeed({ kind: "fields", names }) : wrong(`--fields: ${twin} is given twice.`)
}

function describeRemains(output: string, resume: boolean): string {
  if (output === PIPE) return ""
  return resume ? ` --resume goes on with ${output}.` : ` ${output} was not written.`
}

function readFirstLine({
  stage,
  resume,
  json,
  lenient,
  firstLine: first,
}: GivenFlags): Effect.Effect<number | undefined, CalledWrongly> {
  if (stage && resume) return wrong("--stage and --resume: give one of them; a partition that failed is judged again.")
  if (stage && (json || lenient)) return wrong(`--${json ? "json" : "lenient"}: --stage says that already.`)
  if (first === undefined) return Effect.succeed(first)
  if (!stage) return wrong("--first-line: it needs --stage.")
  return first >= 1 && first <= MOST_LINE
    ? Effect.succeed(first)
    : wrong(`--first-line: a whole number from 1 to ${MOST_LINE} is expected, not ${first}.`)
}

function readThreads(asked = Math.min(availableParallelism(), MOST_THREADS)): Effect.Effect<number, CalledWrongly> {
  return asked >= 1 && asked <= MOST_THREADS
    ? Effect.succeed(asked)
    : wrong(`--threads: a whole number from 1 to ${MOST_THREADS} is expected, not ${asked}.`)
}

// Calls that would lose data or fail at the end are refused at the start.
function checkPlaces(
  file: string,
  output: string,
  to: FileFormat,
  resume: boolean,
): Effect.Effect<void, CalledWrongly | CommandFailed> {
  if (resume && output === PIPE) return wrong("--resume: the output has to be a file, named with -o.")
  if (to === "parquet" && output === PIPE) return wrong("--to parquet: the output has to be a file, named with -o.")
  if (file === PIPE) return Effect.void
  return onFile(file, () => {
    if (statSync(file).isDirectory()) throw Object.assign(new Error(), { code: "EISDIR" })
  }).pipe(Effect.andThen(output === PIPE ? Effect.void : refuseSameFile(file, output)))
}

function explain(path: string, cause: unknown, SourceError: new () => Error): string {
  if (cause instanceof SourceError) return `${path}: ${cause.message}`
  const isOfFiles = typeof (cause as NodeJS.ErrnoException).code === "string"
  return isOfFiles ? `${path}: ${describeFileError(cause)}` : `${path}: ${(cause as Error).message}`
}
