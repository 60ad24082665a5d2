/**
 * How is a value read by its table, in the engine's names or in those of the wire?
 *
 * Everything is bounded, and every value is read once, so that nothing downstream meets a getter or a proxy. Every mistake has its path, and an unknown field also the closest known one.
 * No code is generated, so that it runs everywhere.
 *
 * What makes it fast (0.4 of the time that converting names first took, measured on requests of twelve stops): fields are visited in their given order, which V8 does by place and not by
 * name; an object's constructor is read first; the result starts as a copy of an empty result that was parsed from JSON, with a separate literal for each layout.
 */
import { parseCivilDate } from "../civil-date.ts"
import { codeKey, MALFORMED_KEY } from "../codes.ts"
import { describe, type InputIssue, MOST_ISSUES, UNREADABLE } from "../errors.ts"
import {
  CODE,
  COUNT,
  DAY,
  type FieldReader,
  FLAG,
  LIST,
  OBJECT,
  type ObjectReader,
  readerOfObject,
  TEXT,
  WORD,
} from "./field-readers.ts"
import type { Fields, ObjectKind, Read, Spelling } from "./kinds.ts"
import { isPlainObject } from "./plain-object.ts"
import { copyFields, isFull, namePath, nest, refuse, refuseFields, sortIssues } from "./refusals.ts"

const NOT_FIELDS = "This is a date, a list or a text, not an object of named fields."

function readObject(reader: ObjectReader, value: unknown, issues: InputIssue[]): Record<string, unknown> {
  const read = reader.copy(reader.blank) as Record<string, unknown>
  let given = value as Record<string, unknown>
  if (reader.bare !== null && typeof value === "string") given = { [reader.bare]: value }
  if (typeof given !== "object" || given === null || given.constructor !== Object) {
    if (!isPlainObject(given)) {
      const isOther = typeof given === "object" && given !== null && !Array.isArray(given)
      const message = isOther ? NOT_FIELDS : `${describe(given)} is not an object.`
      issues.push({ path: "", message })
      return read
    }
    given = copyFields(reader, given)
  }
  const { fields } = reader
  const known = issues.length
  let at = 0
  let others = 0
  // None is missed in an object that is not read to its end.
  let missing = reader.required
  for (const name in given) {
    if (at >= fields.length || fields[at]!.name !== name) {
      at = placeOf(fields, name)
      if (at < 0) {
        // Numbered entries come first, and are no fields.
        if (name === "0") {
          issues.push({ path: "", message: NOT_FIELDS })
          return read
        }
        at = 0
        if (++others < MOST_ISSUES) continue
        missing = 0
        break
      }
    }
    const field = fields[at++]!
    const found = given[name]
    if (field.isRequired) missing--
    else if (found === undefined || (found === null && field.isNullable)) continue
    if (field.tag === CODE) {
      const key = codeKey(found)
      if (key === MALFORMED_KEY) refuse(issues, field, found)
      else {
        read[field.out] = found
        read[field.parsed] = key
      }
    } else if (field.tag === DAY) {
      const day = parseCivilDate(found)
      if (day === null) refuse(issues, field, found)
      else {
        read[field.out] = found
        read[field.parsed] = day
      }
    } else read[field.out] = readValue(field, found, issues)
    if (issues.length > known && isFull(issues)) {
      missing = 0
      break
    }
  }
  if (others > 0 || missing > 0) refuseFields(reader, given, { others, missing }, issues, known)
  return read
}

function placeOf(fields: readonly FieldReader[], name: string): number {
  for (let at = 0; at < fields.length; at++) if (fields[at]!.name === name) return at
  return -1
}

function readValue(field: FieldReader, value: unknown, issues: InputIssue[]): unknown {
  switch (field.tag) {
    case LIST:
      if (!Array.isArray(value)) break
      return readList(field, value, issues)
    case OBJECT: {
      const known = issues.length
      const read = readObject(field.object!, value, issues)
      if (issues.length > known && field.name !== "") nest(issues, known, field.name)
      return read
    }
    case COUNT:
      if (typeof value === "number") {
        if (Number.isInteger(value) && value >= field.least && value <= field.most) return value
      } else if (field.words.length > 0 && value === field.words[0]) return value
      break
    case WORD:
      if (field.words.includes(value as string)) return value
      break
    case TEXT:
      if (typeof value !== "string" || value === "" || value.length > field.most) break
      if (field.mayBeBlank || value.trim() !== "") return value
      break
    case FLAG:
      if (typeof value === "boolean") return value
      break
    case CODE:
      if (codeKey(value) !== MALFORMED_KEY) return value
      break
    case DAY:
      if (parseCivilDate(value) !== null) return value
      break
  }
  refuse(issues, field, value)
  // An empty list was given, so it is not missing.
  return field.tag === LIST ? [] : null
}

function readList(field: FieldReader, value: readonly unknown[], issues: InputIssue[]): unknown[] {
  // As a number: a proxy's length may be anything, and another one each time that it is compared.
  const length = Number(value.length)
  if (!(length >= field.least && length <= field.most)) {
    const message = `${field.least} to ${field.most} entries are expected, not ${length}.`
    issues.push({ path: field.name, message })
    return []
  }
  const entry = field.entry!
  const usual = entry.object?.usual ?? null
  const entries: unknown[] = []
  for (let place = 0; place < length; place++) {
    const given = value[place]
    let read: unknown = usual === null ? null : usual(given)
    if (read === null) {
      const known = issues.length
      read = readValue(entry, given, issues)
      if (issues.length > known) {
        nest(issues, known, `${field.name}[${place}]`)
        if (isFull(issues)) break
      }
    }
    entries.push(read)
  }
  return entries
}

// Calls the rules of an object and of its parts. They only see values that were read, so a fault in a rule is not mistaken for one of the
// caller's.
function askRules(reader: ObjectReader, read: Readonly<Record<string, unknown>>, issues: InputIssue[]): void {
  const { ruled, rule } = reader
  for (let at = 0; at < ruled.length; at++) {
    const field = ruled[at]!
    const value = read[field.out]
    if (value == null) continue
    const known = issues.length
    if (field.object !== null) {
      askRules(field.object, value as Record<string, unknown>, issues)
      if (issues.length > known) nest(issues, known, field.name)
      continue
    }
    const entries = value as readonly Readonly<Record<string, unknown>>[]
    for (let place = 0; place < entries.length; place++) {
      const before = issues.length
      askRules(field.entry!.object!, entries[place]!, issues)
      if (issues.length > before) nest(issues, before, `${field.name}[${place}]`)
    }
  }
  const refused = rule === null ? null : rule(read as never)
  if (refused === null) return
  for (const [path, message] of refused) issues.push({ path: namePath(path, reader), message })
}

/** Reads a value and reports its mistakes; refused parts of the result are null. Never throws. */
export type Reader<F extends Fields> = (given: unknown, issues: InputIssue[]) => Read<F>

/** Makes the reader of an object's table in one spelling. */
export function readerOf<F extends Fields>(kind: ObjectKind<F>, spelling: Spelling): Reader<F> {
  const reader = readerOfObject(kind as unknown as ObjectKind, spelling)
  return (given, issues) => {
    const known = issues.length
    let read: Record<string, unknown>
    try {
      read = readObject(reader, given, issues)
    } catch {
      // Only a getter or a proxy of the caller can throw while its values are read.
      issues.push({ path: "", message: UNREADABLE })
      return reader.blank as Read<F>
    }
    // A value that is not an object was not read, and one with too many mistakes not to its end.
    if (issues.length === known || (issues[known]!.path !== "" && !isFull(issues))) askRules(reader, read, issues)
    if (issues.length > known + 1) sortIssues(reader, issues, known)
    return read as Read<F>
  }
}
