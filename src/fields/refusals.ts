/** How are mistakes reported: by path, in the order of the tables, each once, and no more than are named? Nothing here runs for valid input. */
import { type InputIssue, MOST_ISSUES, sayRefused } from "../errors.ts"
import type { FieldReader, ObjectReader } from "./field-readers.ts"

/** How much of an unknown name is repeated. */
const LONGEST_NAME = 40

/** Reports a value that a field cannot have; undefined for a missing field. */
export function refuse(issues: InputIssue[], { name, refusal }: FieldReader, value: unknown): void {
  issues.push({ path: name, message: sayRefused(value, refusal) })
}

/** Whether so many mistakes were found that no further one is named. */
export const isFull = (issues: readonly InputIssue[]): boolean => issues.length >= MOST_ISSUES

/** Adds a field or an entry to the paths of the mistakes from a place on: paths are built only for mistakes. */
export function nest(issues: InputIssue[], from: number, parent: string): void {
  for (let at = from; at < issues.length; at++) {
    const { path, message } = issues[at]!
    issues[at] = { path: `${parent}${path === "" || path.startsWith("[") ? "" : "."}${path}`, message }
  }
}

/** Reports unknown fields, and required ones that are missing. */
export function refuseFields(
  { fields }: ObjectReader,
  given: Readonly<Record<string, unknown>>,
  { others, missing }: { readonly others: number; readonly missing: number },
  issues: InputIssue[],
  known: number,
): void {
  const inside = issues.splice(known)
  const names = fields.map(({ name }) => name)
  let left = others
  for (const name in given) {
    if (left === 0) break
    if (names.includes(name)) continue
    left--
    issues.push({ path: name.slice(0, LONGEST_NAME), message: `There is no such field; ${suggestName(name, names)}` })
  }
  issues.push(...inside)
  if (missing === 0) return
  for (const field of fields) if (field.isRequired && !(field.name in given)) refuse(issues, field, undefined)
}

/** Copies the fields of an instance of a class, with inherited ones that the table names, so that no getter is silently ignored. Each value is read once. */
export function copyFields(
  { fields }: ObjectReader,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const copy: Record<string, unknown> = Object.create(null)
  let left = fields.length + MOST_ISSUES
  for (const name in given) {
    if (left-- < 0) break
    copy[name] = given[name]
  }
  for (const { name } of fields) if (!(name in copy) && name in given) copy[name] = given[name]
  return copy
}

/** Converts a rule's path, which has the engine's names, to the names of the spelling that is read. */
export function namePath(path: string, reader: ObjectReader): string {
  let at: ObjectReader | null = reader
  return path.replace(/[A-Za-z]+/g, name => {
    const field: FieldReader | undefined = at?.fields.find(each => each.out === name)
    at = field?.object ?? field?.entry?.object ?? null
    return field?.name ?? name
  })
}

// Ranks a path in the order of the tables: fields without a row come before those of the same object.
function rankPath(reader: ObjectReader, path: string): readonly number[] {
  const ranks: number[] = []
  let object: ObjectReader | null = reader
  let entry: FieldReader | null = null
  for (const part of path.match(/[^.[\]]+/g) ?? []) {
    if (entry !== null) {
      ranks.push(Number(part))
      object = entry.object
      entry = null
    } else {
      ranks.push(object === null ? 0 : object.order.indexOf(part))
      const field: FieldReader | undefined = object?.fields.find(({ name }) => name === part)
      object = field?.object ?? null
      entry = field?.entry ?? null
    }
  }
  return ranks
}

/** Sorts the mistakes from a place on in the order of the tables. */
export function sortIssues(reader: ObjectReader, issues: InputIssue[], known: number): void {
  const ranked = issues.splice(known).map(issue => ({ issue, ranks: rankPath(reader, issue.path) }))
  ranked.sort(({ ranks: a }, { ranks: b }) => {
    for (let at = 0; at < a.length && at < b.length; at++) if (a[at] !== b[at]) return a[at]! - b[at]!
    return a.length - b.length
  })
  // A value that was refused, or whose parts were, is not refused by a rule as well. A value comes right before its parts.
  let last = "."
  for (const { issue } of ranked) {
    const { path } = issue
    if (isFull(issues)) return
    if (path.startsWith(last) && /^$|^[.[]/.test(path.slice(last.length))) continue
    last = path
    issues.push(issue)
  }
}

/**
 * Describes an unknown name: the known names, and the closest of them.
 *
 * @example
 * ```ts
 * suggestName("validUntil", ["valid_from", "valid_until"]) // => "it is spelled valid_until."
 * suggestName("form", ["from", "to"]) // => "known: from, to. Did you mean from?"
 * ```
 */
function suggestName(name: string, known: readonly string[]): string {
  const near = nearestName(name, known)
  if (near !== null && fold(near) === fold(name)) return `it is spelled ${near}.`
  return `known: ${known.join(", ")}.${near === null ? "" : ` Did you mean ${near}?`}`
}

// The known name that differs least from one; null where none is close.
function nearestName(name: string, known: readonly string[]): string | null {
  const plain = fold(name)
  let nearest: string | null = null
  let least = Number.POSITIVE_INFINITY
  for (const each of known) {
    const other = fold(each)
    const distance = countEdits(plain, other)
    const most = Math.min(Math.max(2, other.length / 4), plain.length / 2, other.length / 2)
    if (distance >= least || distance > most) continue
    nearest = each
    least = distance
  }
  return nearest
}

// Bounded, because a name may be of any length.
const fold = (name: string) => name.slice(0, 40).toLowerCase().replace(/[_-]/g, "")

// The number of letters to insert, delete or replace.
function countEdits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const replaced = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, replaced))
    }
    row = next
  }
  return row[to.length]!
}
