/**
 * Does a condition, or a term of a held document, have the parameters of its kind, with possible values?
 *
 * Facts are checked before they are compiled, and a file before it is opened. The first mistake is reported with its field.
 */
import { parseCivilDate } from "../civil-date.ts"
import {
  BORDERS,
  type ConditionKind,
  type DocumentTerms,
  EXEMPTIONS,
  PASSPORT_FEATURES,
  PROOFS,
  PURPOSES,
  SPONSORS,
} from "./conditions.ts"
import { isRequirement, REQUIREMENTS } from "./requirement.ts"

// Tests a value: null if it is as expected, otherwise what is expected, as the end of a sentence.
type Expectation = (value: unknown) => string | null

const text: Expectation = value =>
  typeof value === "string" && value.trim() !== "" && value.length <= 500 ? null : "a text of at most 500 characters"
const flag: Expectation = value => (value === true ? null : "true, or left out")
const date: Expectation = value => (parseCivilDate(value) !== null ? null : "a calendar date YYYY-MM-DD")
const requirement: Expectation = value => (isRequirement(value) ? null : `one of ${REQUIREMENTS.join(", ")}`)
const url: Expectation = value =>
  typeof value === "string" && /^https?:\/\/[^\s]+$/.test(value) && value.length <= 500 ? null : "an http(s) address"
const currency: Expectation = value =>
  typeof value === "string" && /^[A-Z]{3}$/.test(value) ? null : "a currency code such as USD"
const amount: Expectation = value =>
  typeof value === "number" && value >= 0 && value <= 1e9 ? null : "an amount of at most a thousand million"
const count =
  (least: number, most: number): Expectation =>
  value =>
    Number.isInteger(value) && (value as number) >= least && (value as number) <= most
      ? null
      : `a whole number from ${least} to ${most}`

/** The most entries of a list of a condition. */
const MAX_ENTRIES = 300

function listOf(expectation: Expectation, what: string): Expectation {
  return value => {
    if (!Array.isArray(value) || value.length === 0 || value.length > MAX_ENTRIES) return `a list of ${what}`
    const isSound = value.findIndex(entry => expectation(entry) !== null) < 0 && new Set(value).size === value.length
    return isSound ? null : `a list of ${what}, each once`
  }
}

const words = (known: readonly string[]) =>
  listOf(value => (known.includes(value as string) ? null : ""), known.join(", "))
const texts = listOf(text, "texts")
/** Codes, blocs and zones; whether they exist is checked where they are known. */
const selectors = listOf(
  value => (typeof value === "string" && /^([A-Z]{3}|@[A-Za-z0-9_-]+)$/.test(value) ? null : ""),
  "codes, @BLOCs and @zones",
)
const money: Expectation = value =>
  findShapeMistake(value, { needs: { amount, currency } }) === null ? null : "an amount and a currency"

/** The parameters of a kind: those that it needs, and those that it may have. */
export interface Shape {
  readonly needs: Readonly<Record<string, Expectation>>
  readonly may?: Readonly<Record<string, Expectation>> | undefined
}

const DOCUMENT: Shape = {
  needs: {
    kind: value => (value === "visa" || value === "residence_permit" ? null : "visa or residence_permit"),
    issuers: selectors,
  },
  may: {
    multipleEntry: flag,
    usedBefore: flag,
    permanent: flag,
    physical: flag,
    enteredIssuerFirst: flag,
    types: texts,
    typesExcept: texts,
    validDaysAfterEntry: count(1, 3650),
    validDaysAfterExit: count(0, 3650),
    expiredWithinYears: count(1, 50),
    remark: text,
  },
}

const documents: Expectation = value => {
  if (!Array.isArray(value) || value.length === 0 || value.length > 50) return "a list of documents"
  for (let at = 0; at < value.length; at++) {
    const mistake = findDocumentMistake(value[at])
    if (mistake !== null)
      return `a list of documents; [${at}]${mistake.field === "" ? "" : `.${mistake.field}`}: ${mistake.message}`
  }
  return null
}

const borders = words(BORDERS)

/** Three capital letters, once or in a list. */
const isCode = (value: unknown) => typeof value === "string" && /^[A-Z]{3}$/.test(value)
const code: Expectation = value => (isCode(value) ? null : "a code of three capital letters")
const codes = listOf(value => (isCode(value) ? null : ""), "codes of three capital letters")

/** Checks for parameters of other rules. */
export const SHAPE_OF = { borders, code, codes, count, date, text } as const

/** The parameters of each kind. */
const SHAPES: { readonly [Kind in ConditionKind]: Shape } = {
  held_document: { needs: { held: documents } },
  registration: { needs: { name: text }, may: { url, hoursBefore: count(1, 8784), fee: money } },
  gateway_visa: { needs: { states: selectors }, may: { entries: count(1, 10) } },
  border_control: { needs: { states: selectors } },
  sponsor: { needs: { by: words(SPONSORS) } },
  special_document: { needs: { name: text } },
  not_enforced: { needs: {}, may: { borders } },
  exempt: { needs: {}, may: { who: words(EXEMPTIONS), issuedBefore: date } },
  suspension: { needs: { visas: texts } },
  bond: { needs: { leastAmount: amount, currency }, may: { mostAmount: amount } },
  entry_points: { needs: {}, may: { names: texts, borders } },
  purpose: { needs: { purposes: words(PURPOSES) } },
  group: { needs: { least: count(2, 1000) } },
  bring: { needs: { proofs: words(PROOFS) } },
  passport_kind: { needs: { features: words(PASSPORT_FEATURES) } },
  age: { needs: {}, may: { least: count(0, 120), most: count(0, 120) } },
  asked_at: { needs: { borders, elsewhere: requirement } },
  also: { needs: { requirement }, may: { remark: text } },
  other: { needs: { text } },
}

/** The kinds of conditions. */
export const CONDITION_KINDS = Object.freeze(Object.keys(SHAPES)) as readonly ConditionKind[]

/** Kinds whose parameters are all optional, but of which at least one has to be given. */
const NEED_ONE: readonly ConditionKind[] = ["exempt", "entry_points", "age"]

/** A mistake in a condition or a document: its field, and the expected value. */
export interface ShapeMistake {
  /** The field inside; empty for the whole. */
  readonly field: string
  readonly message: string
}

function findShapeMistake(
  value: unknown,
  { needs, may = {} }: Shape,
  passedOver: readonly string[] = [],
): ShapeMistake | null {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { field: "", message: "An object is expected." }
  const fields = value as Readonly<Record<string, unknown>>
  for (const [field, expectation] of Object.entries(needs)) {
    if (fields[field] === undefined) return { field, message: "It is missing." }
    const expected = expectation(fields[field])
    if (expected !== null) return { field, message: `It is not ${expected}.` }
  }
  for (const [field, given] of Object.entries(fields)) {
    if (given === undefined || needs[field] !== undefined || passedOver.includes(field)) continue
    const expectation = Object.hasOwn(may, field) ? may[field] : undefined
    if (expectation === undefined) return { field, message: "It is not one of the parameters." }
    const expected = expectation(given)
    if (expected !== null) return { field, message: `It is not ${expected}.` }
  }
  return null
}

/** Finds the first mistake in the terms of a held document; null if there is none. */
export function findDocumentMistake(value: unknown): ShapeMistake | null {
  const mistake = findShapeMistake(value, DOCUMENT)
  if (mistake !== null) return mistake
  const { kind, permanent, multipleEntry, usedBefore, validDaysAfterEntry, validDaysAfterExit, expiredWithinYears } =
    value as DocumentTerms
  if (kind === "visa" && permanent) return { field: "permanent", message: "A visa is never permanent." }
  if (kind === "residence_permit" && (multipleEntry || usedBefore)) {
    return { field: multipleEntry ? "multipleEntry" : "usedBefore", message: "This applies to a visa only." }
  }
  if (expiredWithinYears !== undefined && (validDaysAfterEntry ?? validDaysAfterExit) !== undefined) {
    return { field: "expiredWithinYears", message: "It cannot have expired and still be valid." }
  }
  return null
}

/** Finds the first mistake in the parameters of a kind, ignoring the fields in `passedOver`; null if there is none. */
export function checkKind(
  value: unknown,
  shapes: Readonly<Record<string, Shape>>,
  passedOver: readonly string[] = [],
): ShapeMistake | null {
  const kind = typeof value === "object" && value !== null ? (value as { readonly kind?: unknown }).kind : undefined
  return typeof kind === "string" && Object.hasOwn(shapes, kind)
    ? findShapeMistake(value, shapes[kind]!, ["kind", ...passedOver])
    : { field: "kind", message: `It is not one of ${Object.keys(shapes).join(", ")}.` }
}

/** Finds the first mistake in a condition, ignoring the fields in `passedOver`; null if there is none. */
export function findConditionMistake(value: unknown, passedOver: readonly string[] = []): ShapeMistake | null {
  const mistake = checkKind(value, SHAPES, passedOver)
  if (mistake !== null) return mistake
  const fields = value as Readonly<Record<string, unknown>>
  const kind = fields.kind as ConditionKind
  const may = Object.keys(SHAPES[kind].may ?? {})
  if (NEED_ONE.includes(kind) && may.every(field => fields[field] === undefined)) {
    return { field: "", message: `It says nothing: one of ${may.join(", ")} is expected.` }
  }
  const [least, most] = [fields.least ?? fields.leastAmount, fields.most ?? fields.mostAmount] as (number | undefined)[]
  if (least !== undefined && most !== undefined && most < least) {
    return { field: fields.most === undefined ? "mostAmount" : "most", message: `It is less than ${least}.` }
  }
  return null
}
