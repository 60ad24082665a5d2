/**
 * How is a kind of provision declared once, so that everything else about it follows from the declaration?
 *
 * {@link table} takes the fields of a kind. From them follow its TypeScript types, the check of its records with the path of each mistake,
 * the JSON schema of its file, and the fields of its rows. This file knows no kind of provision; `provision-kinds.ts` declares them.
 */
import { parseCivilDate } from "../civil-date.ts"
import { isCode } from "../codes.ts"
import { getOrInsert } from "../collections.ts"
import { describe, type FactIssue } from "../errors.ts"

/** Names a mistake in a record. */
export type Report = (tag: FactIssue["tag"], field: string, message: string) => void

/** Identifiers that exist. */
interface Identifiers {
  readonly size: number
  has(id: string): boolean
}

/** What a record may refer to. */
export interface Known {
  readonly destinations: Identifiers
  readonly passports: Identifiers
  readonly blocs: Identifiers
  readonly zones: Identifiers
  readonly sources: Identifiers
}

/**
 * How the cells of a field store its values, where they do not store them as they are: codes run together, those of a scope after `@BLOC`s with
 * commas, and read where they are asked for; the codes of members by their days; places in a list.
 */
type CellForm = "codes" | "scopecodes" | "members" | "places" | "source"

/** What a JSON schema says of values; {@link schemaOf} writes it. */
type Shape =
  | "text"
  | "url"
  | "date"
  | "code"
  | "selector"
  | "flag"
  | "amount"
  | readonly [least: number, most: number]
  | { readonly words: readonly unknown[] }
  | { readonly listOf: Kind<unknown> }
  | { readonly orNull: Kind<unknown> }
  | { readonly fields: Fields }
  | { readonly variants: Variants; readonly beside: Fields }

/** A kind of value: what it is, how it is checked, and how it is described. */
export interface Kind<Value> {
  /** The words that end the sentence "It is not …". */
  readonly expected: string
  readonly shape: Shape
  readonly check: (value: unknown, field: string, report: Report, known: Known) => void
  readonly form?: CellForm
  /** The words of a list, in the order in which rows have them. */
  readonly words?: readonly unknown[]
  /** Its name and its description in the reference of the service, for kinds of records that it shows. */
  readonly name?: string
  readonly about?: string
  /** For the type only. */
  readonly value?: Value
}

/** A field: its kind, and its value where it is absent. The comment on its declaration is its line in the documentation. */
export interface Field<Value, IsRequired extends boolean = boolean, Absent = unknown> {
  readonly is: Kind<Value>
  readonly isRequired: IsRequired
  readonly absent: Absent
}

/** Fields by name, in the order in which files have them. */
export type Fields = Readonly<Record<string, Field<unknown>>>

type Required<F extends Fields> = {
  [Name in keyof F]: F[Name] extends Field<unknown, true> ? Name : never
}[keyof F]
type ValueOf<F> = F extends Field<infer Value> ? Value : never

/** A record as the facts give it: a field that is not required may be absent, or null in a provision. Its fields keep the comments of the table, because they are keys of a part of it. */
export type Given<F extends Fields, Absent = null> = {
  readonly [Name in keyof Pick<F, Required<F>>]: ValueOf<F[Name]>
} & {
  readonly [Name in keyof Omit<F, Required<F>>]?:
    | ValueOf<F[Name]>
    | Absent
    | ([Absent] extends [never] ? never : undefined)
}

/** A record as it is read from a dataset: every field has a value, but those that no dataset has. */
export type Read<F extends Fields> = {
  readonly [Name in keyof F as F[Name] extends { readonly isAside: true } ? never : Name]: F[Name] extends Field<
    infer Value,
    boolean,
    infer Absent
  >
    ? F[Name] extends Field<unknown, true>
      ? Value
      : Value | Absent
    : never
}

/** A field that is always there. */
export const must = <Value>(is: Kind<Value>): Field<Value, true, null> => ({ is, isRequired: true, absent: null })

/** A field that may be left out. */
export const may: {
  <Value>(is: Kind<Value>): Field<Value, false, null>
  <Value, const Absent>(is: Kind<Value>, absent: Absent): Field<Value, false, Absent>
} = (is: Kind<unknown>, absent: unknown = null) => ({ is, isRequired: false, absent }) as never

/** The name of a field in a file. */
const snake = (name: string): string => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

/** Those of declared fields, which thousands of records share. */
const snakes = new Map<string, string>()

const nameOf = (value: unknown) =>
  value === undefined || (typeof value === "object" && value !== null) ? "It" : describe(value)

/** Reports that the last of two days is not after the first, as far as both are days. */
function checkOrder(
  { from, until }: { readonly from?: unknown; readonly until?: unknown },
  place: string,
  report: Report,
): void {
  const [fromDay, untilDay] = [parseCivilDate(from), parseCivilDate(until)]
  if (fromDay !== null && untilDay !== null && untilDay <= fromDay) {
    report("UntilBeforeFrom", `${place}until`, `${until} is not after "from" ${from}.`)
  }
}

/** Says whether a value is the expected one. Never throws, whatever JSON holds. */
export type Test = (value: unknown) => boolean

/** A kind of single values; `fits` is its test. */
export const kind = <Value, Fits extends (value: unknown, known: Known) => boolean = Test>(
  expected: string,
  shape: Shape,
  fits: Fits,
  tag: FactIssue["tag"] = "ImpossibleRule",
): Kind<Value> & { readonly fits: Fits } => ({
  expected,
  shape,
  fits,
  check: (value, field, report, known) => {
    if (!fits(value, known)) report(tag, field, `${nameOf(value)} is not ${expected}.`)
  },
})

export const count = (least: number, most: number) =>
  kind<number>(
    `a whole number from ${least} to ${most}`,
    [least, most],
    value => Number.isInteger(value) && (value as number) >= least && (value as number) <= most,
  )

const MOST_LETTERS = 500
export const text = kind<string>(
  `a text of at most ${MOST_LETTERS} characters`,
  "text",
  value => typeof value === "string" && value.trim() !== "" && value.length <= MOST_LETTERS,
)

export const anyText = kind<string>("a text", "text", value => typeof value === "string")

export const url = kind<string>(
  "an address that begins with http:// or https://",
  "url",
  value => typeof value === "string" && /^https?:\/\/[^\s<>"\\^`{|}]+$/.test(value),
)

export const date = kind<string>(
  "a calendar date YYYY-MM-DD from 1900 to 2199",
  "date",
  value => parseCivilDate(value) !== null,
  "NotACalendarDate",
)

export const flag = kind<boolean>("true or false", "flag", value => typeof value === "boolean")

/** A flag that is left out where it does not hold. */
export const only = <const Flag extends boolean>(held: Flag) =>
  kind<Flag>(`${held}, or left out`, { words: [held] }, value => value === held)

export const word = <const Word extends string | number>(words: readonly Word[]) =>
  kind<Word>(`one of ${words.join(", ")}`, { words }, value => words.includes(value as Word))

export const currency = kind<string>("a currency code such as USD", "code", isCode)

type TestOfKnown = (value: unknown, known: Known) => boolean
export const source = kind<string, TestOfKnown>(
  "an id of sources.json",
  "text",
  (value, { sources }) => typeof value === "string" && sources.has(value),
  "UnknownSource",
)

export const zone = kind<string, TestOfKnown>(
  "a zone",
  "text",
  (value, { zones }) => typeof value === "string" && zones.has(value),
)

/** A code that is known. */
export const code = (of: "destinations" | "passports"): Kind<string> => ({
  expected: `one of the ${of}`,
  shape: "code",
  check: (value, field, report, { [of]: known }) => {
    if (typeof value === "string" && known.has(value)) return
    report("UnknownCode", field, `${nameOf(value)} is not one of the ${known.size} ${of}.`)
  },
})

/** A code, or `@` with the id of a bloc; for documents, of a zone too. */
export const selector = (of: "destinations" | "passports"): Kind<string> => {
  const single = code(of)
  return {
    expected: "a code or @BLOC",
    shape: "selector",
    check: (value, field, report, known) => {
      if (typeof value !== "string" || !value.startsWith("@")) return single.check(value, field, report, known)
      const id = value.slice(1)
      if (known.blocs.has(id)) return
      if (of === "passports") report("UnknownBloc", field, `${value} is not a bloc.`)
      else if (!known.zones.has(id)) report("UnknownBloc", field, `${value} is neither a bloc nor a zone.`)
    },
  }
}

const MOST_ENTRIES = 300

/** A list of values, each once, at least one, or none too if `least` is 0; `one` names one of them. */
export const listOf = <Value>(
  is: Kind<Value>,
  one: string,
  form?: CellForm,
  least: 0 | 1 = 1,
): Kind<readonly Value[]> => ({
  expected: `a list, each entry ${is.expected}`,
  shape: { listOf: is },
  ...(form === undefined ? {} : { form }),
  check: (value, field, report, known) => {
    if (!Array.isArray(value) || value.length > MOST_ENTRIES) {
      report("ImpossibleRule", field, `${nameOf(value)} is not a list of at most ${MOST_ENTRIES}.`)
      return
    }
    if (value.length < least) report("ImpossibleRule", field, `At least one ${one} is expected.`)
    const seen = new Set<unknown>()
    // Not by `forEach`, which skips the holes of a list.
    for (let at = 0; at < value.length; at++) {
      is.check(value[at], `${field}[${at}]`, report, known)
      if (seen.has(value[at])) report("DuplicateRule", `${field}[${at}]`, `${value[at]} is given twice.`)
      seen.add(value[at])
    }
  },
})

/** Texts, one at least. */
export const texts = listOf(text, "text")

/** Codes that are known. */
export const codes = (of: "destinations" | "passports") => listOf(code(of), "code", "codes")
/** Codes and `@BLOC`s that are known. */
export const selectors = (of: "destinations" | "passports") => listOf(selector(of), "code", "scopecodes")
export const words = <const Word extends string>(known: readonly Word[], one: string) => ({
  ...listOf(word(known), one),
  words: known,
})
/** Values of a kind, or null. */
export const orNull = <Value>(is: Kind<Value>): Kind<Value | null> => ({
  expected: is.expected,
  shape: { orNull: is },
  check: (value, field, report, known) => {
    if (value !== null) is.check(value, field, report, known)
  },
})

/** Refuses a field of a record that was checked, by its name. */
export type Refuse = (field: string, message: string) => void

/** Checks the fields of a record; `accepts` says whether null is the same as absent, or further fields are skipped. Says whether all are right. */
function checkFields(
  fields: Fields,
  value: unknown,
  place: string,
  report: Report,
  known: Known,
  accepts?: "null" | "others",
): value is Readonly<Record<string, unknown>> {
  let isRight = true
  const refuse: Report = (tag, field, message) => {
    isRight = false
    report(tag, field, message)
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    refuse("ImpossibleRule", place.replace(/\.$/, ""), "An object is expected.")
    return false
  }
  const given = value as Readonly<Record<string, unknown>>
  for (const name of accepts === "others" ? [] : Object.keys(given)) {
    if (given[name] === undefined || Object.hasOwn(fields, name)) continue
    refuse("ImpossibleRule", place + snake(name), "It is not one of the parameters.")
  }
  for (const [name, { is, isRequired }] of Object.entries(fields)) {
    const held = given[name]
    const field = place + getOrInsert(snakes, name, () => snake(name))
    if (held === undefined || (accepts === "null" && !isRequired && held === null)) {
      if (isRequired) refuse("ImpossibleRule", field, "It is missing.")
    } else is.check(held, field, refuse, known)
  }
  checkOrder(given, place, refuse)
  return isRight
}

/** An object inside a record, without its absent fields; `rules` says what its fields may not be together. */
export const record = <const F extends Fields>(
  expected: string,
  fields: F,
  rules?: (value: Given<F, never>, refuse: Refuse) => void,
): Kind<Given<F, never>> => ({
  expected,
  shape: { fields },
  check: (value, field, report, known) => {
    if (!checkFields(fields, value, `${field}.`, report, known)) return
    rules?.(value as never, (name, message) => {
      report("ImpossibleRule", name === "" ? field : `${field}.${snake(name)}`, message)
    })
  },
})

/** An object whose further fields are skipped, so that a file may say more than an older release understands. */
export const openRecord = <const F extends Fields>(fields: F): Kind<Given<F, never>> => ({
  expected: "an object",
  shape: { fields },
  check: (value, field, report, known) => {
    checkFields(fields, value, field === "" ? "" : `${field}.`, report, known, "others")
  },
})

export const amount = kind<number>(
  "an amount of at most a million million",
  "amount",
  value => typeof value === "number" && value >= 0 && value <= 1e12,
)
/** An amount of money. */
export interface Money {
  /** The amount, in the currency's main unit. */
  readonly amount: number
  /** The currency, by ISO 4217. */
  readonly currency: string
}
export const money: Kind<Money> = record("an amount and a currency", {
  amount: must(amount),
  currency: must(currency),
})

/** Records of several kinds, by the value of their field `kind`. */
type Variants = Readonly<Record<string, Fields>>
export type Variant<V extends Variants> = {
  [Name in keyof V]: {
    /** Which record it is. */
    readonly kind: Name
  } & Given<V[Name], never>
}[keyof V]

/** One of several records; `beside`: fields that each may have. */
export const variant = <const V extends Variants, const B extends Fields>(
  variants: V,
  beside: B,
  rules: (value: Variant<V>, fields: Fields, refuse: Refuse) => void,
): Kind<Variant<V> & Given<B>> => ({
  expected: "a known kind",
  shape: { variants, beside },
  check: (value, field, report, known) => {
    const name = (value as { readonly kind?: unknown } | null | undefined)?.kind
    if (typeof name !== "string" || !Object.hasOwn(variants, name)) {
      report("ImpossibleRule", `${field}.kind`, `It is not one of ${Object.keys(variants).join(", ")}.`)
      return
    }
    const { kind: _, ...rest } = value as Readonly<Record<string, unknown>>
    const fields = variants[name] as Fields
    if (!checkFields({ ...fields, ...beside }, rest, `${field}.`, report, known)) return
    rules(value as Variant<V>, fields, (at, message) => {
      report("ImpossibleRule", at === "" ? field : `${field}.${snake(at)}`, message)
    })
  },
})

const ANY_CODE = { size: 0, has: isCode }
const ANYTHING = { size: 0, has: () => true }
/** What a dataset file may refer to: every code of three capital letters, and what its own tables name. */
const OF_FILES: Known = {
  destinations: ANY_CODE,
  passports: ANY_CODE,
  blocs: ANYTHING,
  zones: ANYTHING,
  sources: ANYTHING,
}

/** Says whether a value is of a kind. */
export function isSound(is: Kind<unknown>, value: unknown): boolean {
  let isRight = true
  const refuse = () => {
    isRight = false
  }
  is.check(value, "", refuse, OF_FILES)
  return isRight
}

/** Declares a kind of provision: the file that has its records, and its fields. */
export const table = <const File extends string, const F extends Fields>(file: File, fields: F) => ({
  file,
  fields,
  shape: { fields },
})

/**
 * Reports every mistake in a record; `place` is put before the name of each field. `rules` says what its fields may not be together, of a record whose
 * fields are right.
 */
export function checkRecord(
  fields: Fields,
  value: unknown,
  place: string,
  report: Report,
  known: Known,
  rules?: (value: never, refuse: Refuse) => void,
): void {
  if (!checkFields(fields, value, place, report, known, "null")) return
  rules?.(value as never, (name, message) => report("ImpossibleRule", place + snake(name), message))
}

// ---- Rows

// What may each place of a row of a file hold? A file of a dataset is only opened or refused, so its rows are tested without a report.

/** Codes that are run together, at least one. */
export const isCodes: Test = value => typeof value === "string" && /^([A-Z]{3})+$/.test(value)

export const isNullOr =
  (test: Test): Test =>
  value =>
    value === null || test(value)

/** A list of such values. Not by `every`, which skips the holes of a list. */
export const isListOf =
  (test: Test): Test =>
  value =>
    Array.isArray(value) && value.findIndex(item => !test(item)) < 0

/** A row with these places. */
export const isRowOf =
  (...places: readonly Test[]): Test =>
  value =>
    Array.isArray(value) && value.length === places.length && places.every((test, at) => test(value[at]))

// ---- JSON schema

// What does a record look like, as a JSON schema?
//
// Written from the declaration of its kind, with the names of its file; editors complete and check files by it. It is apart from the
// declarations, because nothing else needs it.

/** A JSON schema, as far as these functions write one. */
export interface JsonSchema {
  readonly type?: string
  readonly description?: string
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly [more: string]: unknown
}

const TEXTS: Readonly<Record<string, JsonSchema>> = {
  text: { type: "string", minLength: 1 },
  url: { type: "string", pattern: "^https?://" },
  date: { type: "string", pattern: "^\\d{4}-\\d\\d-\\d\\d$" },
  code: { type: "string", pattern: "^[A-Z]{3}$" },
  selector: { type: "string", pattern: "^([A-Z]{3}|@.+)$" },
  flag: { type: "boolean" },
  amount: { type: "number", minimum: 0 },
}

/**
 * Writes the JSON schema of a kind of value, or of the records of a kind of provision. Cannot fail.
 *
 * @example
 * ```ts
 * schemaOf(PROVISIONS.validity.fields.months.is) // => { type: "integer", minimum: 0, maximum: 120 }
 * ```
 */
export function schemaOf({ shape }: Pick<Kind<unknown>, "shape">): JsonSchema {
  if (typeof shape === "string") return TEXTS[shape] as JsonSchema
  if ("words" in shape) return { type: typeof shape.words[0], enum: shape.words }
  if ("listOf" in shape) return { type: "array", items: schemaOf(shape.listOf), minItems: 1 }
  if ("orNull" in shape) return { anyOf: [schemaOf(shape.orNull), { type: "null" }] }
  if ("fields" in shape) return objectOf(shape.fields)
  if ("variants" in shape) {
    const { variants, beside } = shape
    return {
      oneOf: Object.entries(variants).map(([name, fields]) =>
        objectOf({ ...fields, ...beside }, { kind: { type: "string", enum: [name] } }),
      ),
    }
  }
  const [minimum, maximum] = shape
  return { type: "integer", minimum, maximum }
}

function objectOf(fields: Fields, more: Readonly<Record<string, JsonSchema>> = {}): JsonSchema {
  const own = Object.entries(fields)
  return {
    type: "object",
    properties: { ...more, ...Object.fromEntries(own.map(([name, { is }]) => [snake(name), schemaOf(is)])) },
    required: [...Object.keys(more), ...own.flatMap(([name, { isRequired }]) => (isRequired ? [snake(name)] : []))],
    additionalProperties: false,
  }
}
