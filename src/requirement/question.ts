/**
 * Is this a valid question about passports, and for which day?
 *
 * Reads input of any type and reports every mistake with its path. Lists are bounded before they are walked, and every
 * value is read once, so that later code meets no getter or proxy. A well-formed code that is not in the dataset is not
 * a mistake: the answer is that there is no record.
 */
import { codeKey, REQUIREMENTS, type Requirement } from "../codes.ts"
import { isPlainObject } from "../collections.ts"
import {
  type Dataset,
  datasetOn,
  type Found,
  MALFORMED_INDEX,
  type NoRecord,
  type PairsDataset,
  takeDataset,
  takePairs,
  UNKNOWN_INDEX,
} from "../dataset/open.ts"
import {
  describe,
  failure,
  type InputError,
  type InputIssue,
  type Result,
  sayNotFields,
  sayRefused,
  success,
  UNREADABLE,
} from "../errors.ts"
import { type LookupOptions, lookupAt } from "./lookup.ts"

/** The most passports in one question. */
export const MAX_PASSPORTS = 10

/** A question while it is read. */
export interface Question<D extends PairsDataset = PairsDataset> {
  /** The dataset for the day in the options; for its own day if there is none or it is refused. */
  readonly dataset: D
  readonly options: Readonly<Record<string, unknown>>
  /** The mistakes. */
  readonly issues: InputIssue[]
  /** Well-formed codes that are not in the dataset. */
  readonly unrecorded: { readonly what: "passport" | "destination"; readonly code: unknown }[]
}

/**
 * Reads a question, then answers it, unless anything in it was refused or is not recorded.
 *
 * `read` reports mistakes and unrecorded codes to the question, and returns the answer as a function. It is called only if there were none:
 * until then the values may be placeholders. Options have only the named fields. `take` is `takeDataset` if pairs alone are not enough.
 */
export function answerQuestion<Value, D extends PairsDataset>(
  dataset: D,
  options: unknown,
  fields: Fields,
  read: (question: Question<D>) => () => Value,
  take: (value: unknown) => D = takePairs as (value: unknown) => D,
): Result<Value | NoRecord, InputError> {
  const unrecorded: Question["unrecorded"] = []
  return answerInput(issues => {
    const known = refuseForeign(dataset, take(dataset), issues)
    const given = readObject(options === undefined ? {} : options, "options", issues)
    refuseOtherFields(given, fields, "", issues)
    const answer = read({ dataset: readView(known, given.on, issues), options: given, issues, unrecorded })
    return () => (unrecorded.length === 0 ? answer() : refuseUnrecorded(unrecorded))
  })
}

/** Reads a dataset; returns an empty one if the value is not a dataset. */
export const readDataset = (given: Dataset, issues: InputIssue[]): Dataset =>
  refuseForeign(given, takeDataset(given), issues)

function refuseForeign<D extends PairsDataset>(given: unknown, taken: D, issues: InputIssue[]): D {
  if (taken !== given) {
    const message =
      takePairs(given) === given
        ? "These are the pairs of a dataset alone; give the whole dataset."
        : `${describe(given)} is not an open dataset.`
    issues.push({ path: "dataset", message })
  }
  return taken
}

/**
 * Reads an input, then answers it, unless anything in it was refused.
 *
 * `read` reports mistakes and returns the answer as a function. It is called only if there were none: until then the
 * values may be placeholders.
 */
export function answerInput<Value>(read: (issues: InputIssue[]) => () => Value): Result<Value, InputError> {
  const issues: InputIssue[] = []
  let answer: (() => Value) | null = null
  try {
    answer = read(issues)
  } catch {
    // Only a getter or proxy of the caller can throw while values are read.
    issues.push({ path: "", message: UNREADABLE })
  }
  return issues.length > 0 || answer === null ? refuseInput(issues) : success(answer())
}

/** Refuses an input. The message has the first mistake, with its path if it has one, and the number of further ones that are named. */
export function refuseInput(issues: readonly InputIssue[]): Result<never, InputError> {
  const [first, ...others] = issues
  const place = first?.path ? `${first.path}: ` : ""
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`
  return failure({ tag: "InputRefused", message: `${place}${first?.message}${more}`, issues })
}

/** Answers a question with codes that are not recorded. */
export function refuseUnrecorded(unrecorded: Question["unrecorded"]): NoRecord {
  const what = unrecorded[0]?.what ?? "passport"
  const codes = unrecorded.map(({ code }) => code).join(" or ")
  return { kind: "no_record", reason: `unknown_${what}`, message: `No ${what} with the code ${codes} is recorded.` }
}

/** Returns the view of a dataset for a day; the dataset itself if there is no day or it is refused. */
export function readView<D extends PairsDataset>(dataset: D, on: unknown, issues: InputIssue[]): D {
  if (on === undefined) return dataset
  const view = datasetOn(dataset, on as string)
  if (view.ok) return view.value
  issues.push(...view.error.issues)
  return dataset
}

/** Reads an object; returns an empty one if it is refused. */
export function readObject(value: unknown, path: string, issues: InputIssue[]): Readonly<Record<string, unknown>> {
  if (isPlainObject(value)) return value
  issues.push({ path, message: value === undefined ? sayRefused(value, "not an object") : sayNotFields(value) })
  return {}
}

/** The field names of an object. */
type Fields = readonly string[]

/** Makes a list of field names. It is not frozen, because V8 reads frozen lists slowly. */
export function fieldsOf(...names: readonly string[]): Fields {
  return names
}

// Compared one by one, which is much faster than a look-up in a table.
function isField(fields: Fields, name: string): boolean {
  for (let at = 0; at < fields.length; at++) if (fields[at] === name) return true
  return false
}

/** The fields of a lookup's options. */
export const LOOKUP_FIELDS = /* @__PURE__ */ fieldsOf("on")

/** The most unknown fields of one object that are reported. */
const MAX_OTHER_FIELDS = 20

/**
 * Refuses unknown fields of an object. A misspelt field, or one with its wire name, would otherwise be ignored silently.
 *
 * `path` is the path before the field's name. Fields are walked until enough are reported. JavaScript lists all fields before the first is
 * walked and cannot say beforehand how many there are; listing a million takes a third of the time that making them took.
 */
export function refuseOtherFields(given: object, fields: Fields, path: string, issues: InputIssue[]): void {
  let left = MAX_OTHER_FIELDS
  for (const name in given) {
    if (isField(fields, name)) continue
    if (left-- <= 0) break
    const spelled = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    const known = isField(fields, spelled) ? `it is spelled ${spelled}` : `known: ${fields.join(", ")}`
    issues.push({ path: `${path}${name.slice(0, 100)}`, message: `There is no such field; ${known}.` })
  }
}

/** Reads one code as its index in the dataset; returns a placeholder if it is refused or not recorded. */
export function readCode(
  { dataset, issues, unrecorded }: Omit<Question, "options">,
  what: "passport" | "destination",
  code: unknown,
  path: string = what,
): number {
  const index = dataset[`${what}Indices`][codeKey(code)] as number
  if (index === MALFORMED_INDEX) {
    const message = sayRefused(code, "not an ISO 3166-1 alpha-3 code in capital letters, such as FRA")
    issues.push({ path, message })
  } else if (index === UNKNOWN_INDEX) unrecorded.push({ what, code })
  return index
}

// ---- Entrants

// Who may enter a destination, and with which requirement?
//
// These are the answers of a lookup for all passports at one destination. Passports without a record are listed
// separately: nothing is known about them, not even that they need a visa.

/** An answer with its passport. */
export interface PassportAnswer extends Found {
  /** Its code. */
  readonly passport: string
}

/** The passports of a destination. */
interface Entrants {
  /** `found`; a question without an answer has another kind. */
  readonly kind: "found"
  /** Its code. */
  readonly destination: string
  /** The day of the answer (`YYYY-MM-DD`). */
  readonly on: string
  /** The answers by requirement, in the order of passport codes; the destination's own passport is among the visa-free ones. */
  readonly byRequirement: Readonly<Record<Requirement, readonly PassportAnswer[]>>
  /** Passports without a record for this destination, in the order of codes. */
  readonly unknown: readonly string[]
  /** The version of the dataset that answered. */
  readonly datasetVersion: string
}

/**
 * Lists every passport by its requirement at a destination.
 *
 * Fails with `InputRefused`, which lists every mistake with its path. For a well-formed destination that is not in the
 * dataset, the answer's `kind` is `no_record`.
 *
 * @example
 * ```ts
 * const entrants = listEntrants(embeddedDataset(), "JPN")
 * entrants.ok && entrants.value.kind === "found" && entrants.value.byRequirement.visa_free.some(answer => answer.passport === "FRA") // => true
 * const unknown = listEntrants(embeddedDataset(), "ZZZ")
 * unknown.ok && unknown.value.kind // => "no_record"
 * ```
 */
export function listEntrants(
  dataset: PairsDataset,
  destination: string,
  options?: LookupOptions,
): Result<Entrants | NoRecord, InputError> {
  return answerQuestion(dataset, options, LOOKUP_FIELDS, question => {
    const column = readCode(question, "destination", destination)
    return () => readColumn(question.dataset, column)
  })
}

function readColumn(dataset: PairsDataset, column: number): Entrants {
  const byRequirement = Object.fromEntries(
    REQUIREMENTS.map((requirement): [Requirement, PassportAnswer[]] => [requirement, []]),
  ) as Record<Requirement, PassportAnswer[]>
  const unknown: string[] = []
  dataset.passports.forEach((passport, row) => {
    const answer = lookupAt(dataset, row, column)
    if (answer.kind === "found") byRequirement[answer.requirement].push({ passport, ...answer })
    else unknown.push(passport)
  })
  return {
    kind: "found",
    destination: dataset.destinations[column] as string,
    on: dataset.asOf,
    byRequirement,
    unknown,
    datasetVersion: dataset.version,
  }
}
