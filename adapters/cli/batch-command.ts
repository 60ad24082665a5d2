/** `landfall batch IN -o OUT`: judges itineraries by the million, a line each, on all cores. */
import { statSync } from "node:fs"
import { availableParallelism } from "node:os"
import { BRITISH_CLASSES } from "../../src/engine.ts"
import { type Dataset, embeddedDataset } from "../../src/index.ts"
import { DECISION_VIEWS } from "../answers/decision.ts"
import { NO_PROGRESS, type Progress, readProgress } from "../batch/files/resume.ts"
import { runBatch } from "../batch/files/run-batch.ts"
import * as sinks from "../batch/files/sinks.ts"
import { type FileFormat, guessFormat, listEndings, openSource, SourceError } from "../batch/files/sources.ts"
import { listMost, OUTCOME_WORDS, type Tally } from "../batch/lines/batch-tally.ts"
import { type AnswerShape, listColumns, listFields, listNumberColumns } from "../batch/lines/line-answer.ts"
import { DATE_FORMS, HeaderRefused, type ReadCountryCell } from "../batch/lines/request-row.ts"
import { describeFileError } from "../files/file-errors.ts"
import { argument, choice, type Given, isSet, makeCommand, or, output, readWords, text, whole } from "./command.ts"
import { failed, wrong } from "./failure.ts"
import { openCountryReader, remember } from "./find-code.ts"
import {
  count,
  datasetFile,
  encodingOf,
  nameCount,
  nameFile,
  onFile,
  openDatasetFile,
  PIPE,
  readBytes,
  refuseSameFile,
} from "./inputs.ts"
import { NO_SCREEN, tableUnder, writeBlocks } from "./print.ts"
import { countSeconds, startBar } from "./progress-bar.ts"

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
  fields: text(
    "NAMES",
    "Only these fields of each decision, separated by commas, such as verdict,blockers",
    readWords(listFields()),
  ),
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
  firstLine: whole("N", "With --stage: the number of the partition's first line in the whole batch, from 1", [
    1,
    MOST_LINE,
  ]),
  flush: isSet("Answer lines as soon as they are read, for a program that waits for each answer"),
  lenient: isSet("Exit code 0 even if lines failed"),
  threads: whole("N", "The number of threads; one for each core when absent", [1, MOST_THREADS]),
  from: formatOf("input"),
  to: formatOf("output"),
  dataset: datasetFile,
}
type GivenFlags = Given<typeof takes> & { readonly json: boolean }

const countLines = (lines: number): string => nameCount(lines, "line")

export const batch = makeCommand("batch", {
  examples: {
    "landfall batch trips.ndjson -o out.ndjson --summary": "A verdict for each line",
    "landfall batch trips.ndjson -o part.ndjson --stage": "A partition of a larger batch",
  },
  takes,
  async run(given, at) {
    const { file, output, resume, stage, firstLine } = given
    const threads = given.threads ?? Math.min(availableParallelism(), MOST_THREADS)
    const partition = stage ? { isNumbered: firstLine !== undefined } : undefined
    const from = given.from ?? guessByName(file, "from")
    const to = given.to ?? guessByName(output, "to")
    const mistake = listMistakes(given, { from, to }).find(([isMade]) => isMade)
    if (mistake !== undefined) throw wrong(mistake[1])
    const shape = readShape(given, to)
    if (file !== PIPE) {
      onFile(file, () => {
        if (statSync(file).isDirectory()) throw Object.assign(new Error(), { code: "EISDIR" })
      })
      if (output !== PIPE) refuseSameFile(file, output)
    }
    const dataset = openDatasetFile(given.dataset, at)
    const bytes = given.dataset === undefined ? null : readBytes(given.dataset, at)

    const attempt = async <Value>(path: string, run: () => Promise<Value>): Promise<Value> => {
      try {
        return await run()
      } catch (cause) {
        throw cause instanceof HeaderRefused
          ? wrong(cause.message.replace(/^/gm, `${path}: `))
          : failed(explain(path, cause))
      }
    }
    // A country that a dataset file leaves out has no record; it is not an unknown name.
    const codes = new Set(
      [dataset.destinations, dataset.passports, embeddedDataset().destinations, BRITISH_CLASSES].flat(),
    )
    const { read, ...opened } = await attempt(nameFile(file), () =>
      openSource(file, from, {
        isStrict: given.strict,
        dates: given.dates,
        encoding: given.encoding,
        isFlushed: given.flush,
        isKnown: code => codes.has(code),
        openCountries: () => openCountries(dataset),
      }),
    )
    const columns = to === "ndjson" ? [] : listColumns(shape, { ...partition, given: opened.given })
    const isWhole = shape.kind === "whole" || shape.kind === "compact"
    const progress = resume
      ? await attempt(output, () => readProgress(output, { format: to, columns, isWhole }))
      : NO_PROGRESS
    if ("problem" in progress) throw failed(`${output} cannot be resumed: ${progress.problem}`)
    const source = { ...opened, pieces: read(progress.afterLine) }
    const sink = await attempt<sinks.Sink>(output, async () => {
      if (output === PIPE) return sinks.openPipe(process.stdout)
      if (to === "parquet") return sinks.openParquetFile(output, columns, listNumberColumns(shape))
      return resume ? sinks.openTextFile(output, progress.bytes, progress.last) : sinks.openNewFile(output)
    })
    at.onEnd(sink.close)
    if (to === "csv" && progress.bytes === 0) {
      await attempt(output, () => sink.write({ ...sinks.EMPTY_BLOCK, bytes: sinks.writeHead(columns) }))
    }

    const seconds = countSeconds()
    const remains = resume ? ` --resume goes on with ${output}.` : output === PIPE ? "" : ` ${output} was not written.`
    let answered = 0
    const bar = startBar(source, output === PIPE, seconds)
    const running = runBatch(
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
      at.signal,
    ).finally(bar.stop)
    at.onEnd(async () => {
      // An incomplete line is removed first.
      await running.catch(() => {})
      if (at.signal.aborted) at.console.error(`Ended by a signal after ${countLines(answered)}.${remains}`)
    })
    const tally = await running.catch(cause => {
      if (cause instanceof sinks.OtherAnswer) throw failed(`${output} cannot be resumed: ${cause.message}`)
      const place = cause instanceof SourceError ? nameFile(file) : `${nameFile(file)} or ${output}`
      const message =
        cause instanceof sinks.PipeClosed
          ? `the reader of the answers closed the pipe after ${countLines(answered)}; the others were not answered.`
          : explain(place, cause)
      throw failed(message, { hasAnswered: output === PIPE || stage })
    })

    const report = describeBatch(tally, progress, seconds())
    const text = stage || given.json ? JSON.stringify(report.record, null, stage ? 0 : 2) : report.text
    at.console[output === PIPE || stage ? "error" : "log"](text)
    const failures = tally.failed + progress.failed
    if (failures > 0 && !given.lenient && !stage) {
      const lines = `${count(failures)} of ${count(tally.lines + progress.lines)} lines`
      const message = `${lines} failed; each says why in its \`error\`. With --lenient the exit code is 0.`
      throw failed(message, { hasAnswered: true })
    }
    return undefined
  },
})

function guessByName(path: string, flag: string): FileFormat {
  const format = guessFormat(path)
  if (format !== null) return format
  throw wrong(`${path}: its ending says no format: ${listEndings()} is expected, or --${flag}.`)
}

/** What would lose data, fail at the end or say nothing is refused at the start. */
function listMistakes(
  {
    stage,
    resume,
    json,
    lenient,
    firstLine,
    fields,
    summary,
    answers,
    output,
    flush,
    strict,
    dates,
    encoding,
  }: GivenFlags,
  { from, to }: { readonly from: FileFormat; readonly to: FileFormat },
): readonly (readonly [isMade: boolean, message: string])[] {
  const isPicked = fields !== undefined
  return [
    [stage && resume, "--stage and --resume: give one of them; a partition that failed is judged again."],
    [stage && (json || lenient), `--${json ? "json" : "lenient"}: --stage says that already.`],
    [firstLine !== undefined && !stage, "--first-line: it needs --stage."],
    [isPicked && summary, "--fields and --summary: give one of them."],
    [
      answers !== undefined && (isPicked || summary),
      `--answers and --${isPicked ? "fields" : "summary"}: give one of them.`,
    ],
    [
      answers === "compact" && to !== "ndjson",
      "--answers compact: NDJSON is expected; in a table --fields and --summary choose the columns.",
    ],
    [resume && output === PIPE, "--resume: the output has to be a file, named with -o."],
    [to === "parquet" && output === PIPE, "--to parquet: the output has to be a file, named with -o."],
    [
      flush && from !== "ndjson",
      "--flush: lines of NDJSON are expected; a row of a table ends where the next one begins.",
    ],
    [
      from === "ndjson" && (strict || dates !== undefined),
      `${strict ? "--strict" : "--dates"}: a table is expected; NDJSON has the dates and fields of the service.`,
    ],
    [encoding !== undefined && from !== "csv", "--encoding: CSV is expected; the other formats are UTF-8."],
  ]
}

function readShape({ fields, summary, answers }: GivenFlags, to: FileFormat): AnswerShape {
  if (summary) return { kind: "summary" }
  if (fields === undefined) return { kind: to === "ndjson" && answers !== "full" ? "compact" : "whole" }
  const twin = fields.find((name, at) => fields.indexOf(name) !== at)
  if (twin !== undefined) throw wrong(`--fields: ${twin} is given twice.`)
  return { kind: "fields", names: fields }
}

/** Loads the reader of countries' names for tables, which keeps what it found. */
async function openCountries(dataset: Dataset): Promise<ReadCountryCell> {
  const read = await openCountryReader(dataset)
  return remember((text: string, field: string) => {
    const answer = read(text, field)
    return answer.ok ? { code: answer.code } : { message: answer.refusal.message }
  })
}

function explain(path: string, cause: unknown): string {
  const isOfFiles = !(cause instanceof SourceError) && typeof (cause as NodeJS.ErrnoException).code === "string"
  return `${path}: ${isOfFiles ? describeFileError(cause) : (cause as Error).message}`
}

/** How many of the most frequent gaps are named. */
const MOST_UNKNOWNS = 8

/** The counts of a batch, as a record and as text. */
function describeBatch(tally: Tally, resumed: Progress, seconds: number) {
  const rate = Math.round(tally.lines / Math.max(seconds, 0.001))
  const unknowns = listMost(tally.unknowns, MOST_UNKNOWNS)
  const blockers = listMost(tally.blockers, tally.blockers.size)
  const record = {
    lines: tally.lines,
    failed: tally.failed,
    outcomes: Object.fromEntries([...tally.outcomes].sort()),
    verdicts: Object.fromEntries([...tally.verdicts].sort()),
    blockers: Object.fromEntries(blockers),
    unknowns: unknowns.map(([gap, lines]) => ({ gap, count: lines })),
    seconds: Math.round(seconds * 1_000) / 1_000,
    lines_per_second: rate,
    ...(resumed.lines === 0
      ? {}
      : { resumed: { after_line: resumed.afterLine, lines: resumed.lines, failed: resumed.failed } }),
  }
  const list = (title: string, counts: readonly (readonly [name: string, lines: number, words?: string])[]) =>
    tableUnder(
      `\n${title}`,
      ["", "count", ""],
      counts.map(([name, lines, words = ""]) => [name, count(lines), words]),
    )
  const before = resumed.lines === 0 ? "" : ` after the ${count(resumed.lines)} of the earlier run`
  const text = writeBlocks(NO_SCREEN, [
    `${countLines(tally.lines)}${before} in ${seconds.toFixed(1)} s (${count(rate)} a second), ${count(tally.failed)} of them failed.`,
    ...list(
      "Outcomes",
      [...tally.outcomes].sort().map(([outcome, lines]) => [outcome, lines, OUTCOME_WORDS[outcome]]),
    ),
    ...list("Blockers", blockers),
    ...list("Unknown most often", unknowns),
  ])
  return { record, text }
}
