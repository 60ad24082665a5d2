/**
 * What do commands read: files, datasets, countries, days and languages?
 *
 * What cannot be read ends the command: with 1 where the file is at fault, with 2 where the call is. A question is a command whose countries are codes
 * or names, read by one dataset that is embedded or a file, and whose answer is written in the language that is asked for.
 */
import { readFileSync, realpathSync, statSync } from "node:fs"
import type { Result as EffectResult } from "effect"
import type { Language, Locale } from "../../src/full.ts"
import {
  type Dataset,
  datasetOn,
  embeddedDataset,
  formatCivilDate,
  type InputError,
  isCode,
  isRequirement,
  type Malformed,
  type NoRecord,
  openDataset,
  parseCivilDate,
  type Requirement,
  type Result,
} from "../../src/index.ts"
import { nameInEnglish } from "../answers/english-names.ts"
import type { Outcome } from "../answers/visa-answers.ts"
import { refuseLargeFile } from "../files/dataset-size.ts"
import { describeFileError, describeJsonError } from "../files/file-errors.ts"
import {
  argument,
  type Given,
  makeCommand,
  type Returns,
  type Running,
  type Takes,
  text,
  type Words,
} from "./command.ts"
import { failed, readRefusal, refuseWord, wrong } from "./failure.ts"
import { findCode } from "./find-code.ts"
import type { Answer, Wording } from "./print.ts"

type Reading = Pick<Running, "readInput">

/** A number as people read it. */
export const count = (number: number): string => number.toLocaleString("en")

/**
 * A number with its noun.
 *
 * @example
 * ```ts
 * nameCount(1, "pair") // => "1 pair"
 * nameCount(1200, "pair differs", "pairs differ") // => "1,200 pairs differ"
 * ```
 */
export const nameCount = (number: number, one: string, many = `${one}s`): string =>
  `${count(number)} ${number === 1 ? one : many}`

/** Loads full records' words, because most commands start faster without them. */
export const loadFull = () => import("../../src/full.ts")

/** Means the standard input where a file is expected, and the standard output. */
export const PIPE = "-"

export const nameFile = (path: string): string => (path === PIPE ? "standard input" : path || '""')

/** Does something with a file, and says what the system says where it cannot be done. */
export function onFile<Value>(path: string, work: () => Value): Value {
  try {
    return work()
  } catch (cause) {
    throw failed(`${path || '""'}: ${describeFileError(cause)}`)
  }
}

/** Ends with 2 if the output would replace the input, whatever names the two have. */
export function refuseSameFile(input: string, output: string): void {
  const isThere = () => statSync(output, { throwIfNoEntry: false }) !== undefined
  if (onFile(input, () => isThere() && realpathSync(output) === realpathSync(input)))
    throw wrong(`${output} is the input: the output would replace it.`)
}

/** Reads a file whole, or the standard input where `-` is given. */
export const readBytes = (path: string, { readInput }: Reading): Uint8Array =>
  onFile(nameFile(path), () => new Uint8Array(path === PIPE ? readInput() : readFileSync(path)))

export const readText = (path: string, at: Reading): string => new TextDecoder().decode(readBytes(path, at))

/** Reads a file of JSON; other text ends with 2 and the usage line, as JSON of another shape does. */
export function readJsonFile(path: string, at: Reading): unknown {
  const text = readText(path, at)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw wrong(`${nameFile(path)}: ${describeJsonError(text, cause)}`)
  }
}

/** `--encoding NAME`, of files of text: an encoding that the runtime has. */
export const encodingOf = (what: string) =>
  text("NAME", `The encoding of ${what}, such as windows-1252; UTF-8 when absent`, (label, called) => {
    try {
      new TextDecoder(label)
      return label
    } catch {
      const expected = "such as windows-1252, shift_jis or utf-16le is expected"
      throw wrong(`${called}: ${JSON.stringify(label)} is not an encoding; ${expected}.`)
    }
  })

/** Reads a dataset file; a file that is too large to be one is not read. */
export function readDatasetBytes(path: string, at: Reading): Uint8Array {
  const isTooLarge = path === PIPE ? null : refuseLargeFile(path)
  if (isTooLarge !== null) throw failed(`${nameFile(path)}: ${isTooLarge}`)
  return readBytes(path, at)
}

/** Opens a dataset file, or the embedded dataset where no file is named. */
export function openDatasetFile(path: string | undefined, at: Reading): Dataset {
  if (path === undefined) return embeddedDataset()
  const opened = openDataset(readDatasetBytes(path, at))
  if (opened.ok) return opened.value
  throw failed(`${path}: ${opened.error.message}`)
}

/** Opens a dataset as of a day; its own day where none is given. */
export function openDatasetOn(file: string | undefined, on: string | undefined, at: Reading): Dataset {
  const dataset = openDatasetFile(file, at)
  return on === undefined ? dataset : orUsage(datasetOn(dataset, on))
}

/** Takes the value of an engine's answer; bad input ends with 2 and the usage line. */
export function orUsage<Value>(result: Result<Value, InputError>): Value {
  if (result.ok) return result.value
  const { message, ...details } = readRefusal(result.error)
  throw wrong(message, details)
}

/** Returns the value that was read or made; without one the command ends with 1. */
export function orFail<Value>(result: EffectResult.Result<Value, { readonly message: string }>): Value {
  if (result._tag === "Failure") throw failed(result.failure.message)
  return result.success
}

/** Takes an answer that has a record; without one the command ends with 1. */
export function orNoRecord<Found extends { readonly kind: string }>(
  answer: Found | NoRecord,
): Exclude<Found, NoRecord> {
  if (answer.kind === "no_record") throw failed((answer as NoRecord).message, { code: "no_record" })
  return answer as Exclude<Found, NoRecord>
}

/** The same for a pair, which the message names. `sinceDay` is the dataset's first day, for a message that names it. */
export function orRecord<Found extends { readonly kind: string }>(
  answer: Found | Malformed | NoRecord,
  { passport, destination }: { readonly passport: string; readonly destination: string },
  sinceDay?: number,
): Exclude<Found, Malformed | NoRecord> {
  if (answer.kind === "no_record") {
    const { reason, message } = answer as NoRecord
    const isBefore = reason === "before_dataset" && sinceDay !== undefined
    const why = isBefore ? message.replace(/\.$/, `, ${formatCivilDate(sinceDay)}.`) : message
    throw failed(`${passport} to ${destination}: ${why}`, { code: "no_record", given: { passport, destination } })
  }
  // Codes and days were read before.
  return answer as Exclude<Found, Malformed | NoRecord>
}

/** Takes the record that the HTTP service sends, so that machines read the same names here and there; without one the command ends with 1. */
export function orData<Data>(outcome: Outcome<{ readonly data: Data }>): Data {
  if (outcome.kind === "found") return outcome.body.data
  throw failed(outcome.message, { code: outcome.kind === "refused" ? "failed" : "no_record" })
}

/** Today in UTC, by the clock. */
export const today = (): string => new Date().toISOString().slice(0, 10)

/** Reads a day, or ends with 2. */
export function readDay(given: string, field: string): string {
  if (parseCivilDate(given) !== null) return given
  const expected = "a calendar date YYYY-MM-DD from 1900 to 2199"
  throw wrong(`${field}: ${expected} is expected, not ${JSON.stringify(given)}.`, { field, given, expected })
}

/** `--dataset FILE`: answer from a dataset file instead of the embedded dataset. */
export const datasetFile = text("FILE", "The dataset file to use; the embedded dataset when absent")

/** `--on DATE`. */
export const day = text("DATE", "The day of the answer, YYYY-MM-DD; the dataset's own day when absent", readDay)

/** `--lang LANG`. */
export const lang = text(
  "LANG",
  "Names and requirements in fr, en, es, pt, de, it, ja, ko, zh, ru, ar, hi, th, vi or tl; English names and the engine's own words when absent",
)

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

/** Reads a code or a name as a code; a word that may mean several countries, or none, ends with 2 and names those that may be meant. */
export async function readCountry(dataset: Dataset, text: string, field: string): Promise<string> {
  const read = await findCode(dataset, text, field)
  if (read.ok) return read.code
  const { message, ...details } = read.refusal
  throw wrong(message, details)
}

/** Reads a list of codes or names, separated by commas. */
export async function readCountries(dataset: Dataset, list: string, field: string): Promise<readonly string[]> {
  const codes: string[] = []
  for (const [at, text] of list.split(",").entries()) codes.push(await readCountry(dataset, text, `${field}[${at}]`))
  return codes
}

/** The words that a command prints. */
export interface LocalWords {
  /** Null where no language was asked for. */
  readonly locale: Locale | null
  readonly country: (code: string) => string
  readonly requirement: (requirement: Requirement) => string
  /** A requirement and its days. */
  readonly answer: (answer: { readonly requirement: Requirement; readonly days: number | null } | null) => string
  /** Two countries, with their codes. */
  readonly pair: (passport: string, destination: string) => string
}

/** Reads the language that is asked for; an unknown one ends with 2. */
export async function readLanguage(lang: string): Promise<Language> {
  const { isLanguage, LANGUAGES } = await loadFull()
  const [primary = ""] = lang.toLowerCase().split(/[-_]/)
  const asked = primary === "fil" ? "tl" : primary
  if (isLanguage(asked)) return asked
  throw refuseWord("--lang", lang, LANGUAGES)
}

/** Loads the words that a command prints. */
export async function loadWords(lang: string | undefined): Promise<LocalWords> {
  if (lang === undefined) return makeWords(null, nameInEnglish, requirement => requirement)
  const language = await readLanguage(lang)
  const locale = await (await loadFull()).loadLocale(language)
  return makeWords(locale, locale.nameCountry, requirement => locale.say({ key: `requirement.${requirement}` }))
}

const makeWords = (
  locale: Locale | null,
  country: LocalWords["country"],
  requirement: LocalWords["requirement"],
): LocalWords => ({
  locale,
  country,
  requirement,
  answer: answer => {
    if (answer === null) return "no record"
    const { days } = answer
    const stay = days === null ? "" : locale === null ? ` ${days}` : `, ${locale.formatValue({ days })}`
    return requirement(answer.requirement) + stay
  },
  pair: (passport, destination) => `${country(passport)} (${passport}) → ${country(destination)} (${destination})`,
})

/** Says requirements in the words of a language, and adds the names of countries to their codes. */
export const makeWording =
  (words: LocalWords): Wording =>
  (text, field) => {
    if (isRequirement(text)) return words.requirement(text)
    return /^(?:passport|destination)$/.test(field) && isCode(text) ? `${text} ${words.country(text)}` : text
  }

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

/** Makes a question; `--lang` and `--dataset` follow what it takes itself. */
export const makeQuestion = <const Taken extends Takes>(
  path: string,
  {
    opens = openDatasetOn,
    ...question
  }: Words & {
    readonly takes: Taken
    /** Opens the dataset, which is that of a day unless something else is said. */
    readonly opens?: (file: string | undefined, on: string | undefined, at: Reading) => Returns<Dataset>
    run(asked: Asked<Taken>, at: Running): Returns<Answer | undefined>
  },
) =>
  makeCommand(path, {
    ...question,
    takes: { ...question.takes, lang, dataset: datasetFile },
    // Asserted: the compiler does not see which of the fields are its own.
    async run(given, at) {
      const { dataset: file, ...asked } = given as Readonly<Record<string, string | undefined>>
      const dataset = await opens(file, asked.on, at)
      const codes: Record<string, string | readonly string[]> = {}
      for (const [field, kind] of Object.entries(question.takes)) {
        if (!("reads" in kind)) continue
        const read = kind.reads === "country" ? readCountry : readCountries
        codes[field] = await read(dataset, asked[field] ?? "", field)
      }
      const words = await loadWords(asked.lang)
      const answer = await question.run({ ...asked, ...codes, dataset, words } as never, at)
      return answer && { say: makeWording(words), ...answer }
    },
  })

/** Opens the dataset whole, for an answer that is itself of the day. */
export const openDatasetWhole = (file: string | undefined, _on: string | undefined, at: Reading): Dataset =>
  openDatasetFile(file, at)
