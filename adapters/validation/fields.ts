/**
 * Which fields does a received value have?
 *
 * One reader for bodies, files and headers in JSON. It defines objects and the messages about mistakes; the meaning of fields is left to
 * its users. Every mistake has the path of its field.
 */

export type Fields = Readonly<Record<string, unknown>>

/** Whether a value is an object with fields, and not a list. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Reads a text as JSON with fields; null for any other text. */
export function readJsonFields(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text)
    return isFields(value) ? value : null
  } catch {
    return null
  }
}

/** Reads a whole number of digits alone; undefined for any other text, and for one that JSON does not hold exactly. */
export function readWhole(text: string): number | undefined {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(value) ? value : undefined
}

/** One mistake in a request. */
export interface RequestIssue {
  /** The field, for example `stops[2].from`; empty for the whole request. */
  readonly path: string
  readonly message: string
}

/** The result of reading, or the mistakes. */
export type ReadFields<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly issues: readonly RequestIssue[] }

/** Reads a body that has to be a JSON object. */
export function readBody(text: string): ReadFields<Fields> {
  const refuse = (message: string) => ({ ok: false, issues: [{ path: "", message }] }) as const
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return refuse("The body is not valid JSON.")
  }
  return isFields(value) ? { ok: true, value } : refuse("The body has to be a JSON object.")
}

/** The longest part of a value or a name that a message repeats. */
const LONGEST_SHOWN = 80

/** Writes a value for a message. Lists and objects inside a value are not written: they may be nested more deeply than JSON can be written. */
export function showValue(value: unknown): string {
  const shortened = typeof value === "string" || Array.isArray(value) ? value.slice(0, LONGEST_SHOWN + 1) : value
  const text =
    JSON.stringify(shortened, (_, inner) =>
      inner !== shortened && typeof inner === "object" && inner !== null ? "…" : inner,
    ) ?? "nothing"
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text
}

/** Says what is expected instead of a value; undefined is a missing field, which is required. */
export const sayExpected = (expected: string, value: unknown): string =>
  value === undefined ? `Missing, expected ${expected}` : `Expected ${expected}`

/** The longest text of mistakes, in characters, and how many are collected for it. */
const LONGEST_LIST = 2_000
const MOST_COLLECTED = 50

/** Writes mistakes as one text, each with its path; at its end that there are more than it has room for. */
export function describeIssues(issues: readonly RequestIssue[], areSentences = false): string {
  let text = ""
  for (const { path, message } of issues) {
    const one = path === "" ? message : `${path}: ${message}`
    if (text !== "" && text.length + one.length > LONGEST_LIST)
      return `${text}${areSentences ? " There are" : "; there are"} more mistakes.`
    text += `${text === "" ? "" : areSentences ? " " : "; "}${one}`
  }
  return text
}

/** Collects mistakes while fields are read; after {@link MOST_COLLECTED} nothing more is looked for. */
export class FieldReader {
  readonly issues: RequestIssue[] = []

  /** Notes a mistake. */
  report(path: string, message: string): void {
    if (!this.#isFull) this.issues.push({ path, message })
  }

  get #isFull(): boolean {
    return this.issues.length >= MOST_COLLECTED
  }

  /** Refuses unknown names: without a misspelt filter everything would be followed. */
  checkNames(fields: Fields, known: readonly string[], parent = ""): void {
    let list = `; known: ${known.join(", ")}`
    for (const name of Object.keys(fields)) {
      if (this.#isFull) return
      if (known.includes(name)) continue
      const path = parent === "" ? name : `${parent}.${name}`
      this.report(path.slice(0, LONGEST_SHOWN), `There is no such field${list}`)
      list = ""
    }
  }

  /** Reads one of a few words; undefined for any other value. */
  oneOf<Choice extends string>(path: string, value: unknown, choices: readonly Choice[]): Choice | undefined {
    const found = choices.find(choice => choice === value)
    if (found === undefined) this.report(path, sayExpected(`one of ${choices.join(", ")}`, value))
    return found
  }

  /** Reads a list of texts without repetitions; an item for which `readItem` returns undefined is refused with its index. */
  list<Item>(path: string, value: unknown, { expected, atMost, readItem }: ListOf<Item>): readonly Item[] {
    if (!Array.isArray(value) || value.length > atMost) {
      this.report(path, sayExpected(`a list of ${expected}`, value))
      return []
    }
    const items = new Set<Item>()
    for (let at = 0; at < value.length && !this.#isFull; at++) {
      const read = typeof value[at] === "string" ? readItem(value[at]) : undefined
      if (read === undefined) this.report(`${path}[${at}]`, `Expected ${expected}, got ${showValue(value[at])}`)
      else items.add(read)
    }
    return [...items]
  }

  /** The value, if there was no mistake. */
  end<Value>(value: Value): ReadFields<Value> {
    return this.issues.length === 0 ? { ok: true, value } : { ok: false, issues: this.issues }
  }
}

/** Reads a body whose fields have these names; `read` reports the mistakes in them. */
export function readBodyWith<Value>(
  text: string,
  known: readonly string[],
  read: (fields: Fields, reader: FieldReader) => Value,
): ReadFields<Value> {
  const body = readBody(text)
  if (!body.ok) return body
  const reader = new FieldReader()
  reader.checkNames(body.value, known)
  return reader.end(read(body.value, reader))
}

interface ListOf<Item> {
  readonly expected: string
  readonly atMost: number
  readonly readItem: (text: string) => Item | undefined
}
