/** How is what was refused named: by its path, in the order of the tables, and once? Nothing here runs where all is as it should be. */
import { describe, type InputIssue } from "../errors.ts"
import type { FieldReader, ObjectReader } from "./field-readers.ts"
import { suggestName } from "./nearest-name.ts"

/** Names a value that a field cannot have; undefined is a field that is missing. */
export function refuse(issues: InputIssue[], { name, refusal }: FieldReader, value: unknown): void {
  const what = value === undefined ? "It is missing, so it" : describe(value)
  issues.push({ path: name, message: `${what} is ${refusal}.` })
}

/** Puts the mistakes from a place on under the field or the entry that they were found in: paths exist only where something was refused. */
export function nest(issues: InputIssue[], from: number, parent: string): void {
  for (let at = from; at < issues.length; at++) {
    const { path, message } = issues[at]!
    issues[at] = { path: `${parent}${path === "" || path.startsWith("[") ? "" : "."}${path}`, message }
  }
}

/** Names fields that no row has, and those that have to be given and are not. */
export function refuseFields(
  { fields, mostOthers }: ObjectReader,
  given: Readonly<Record<string, unknown>>,
  others: number,
  issues: InputIssue[],
  known: number,
): void {
  const inside = issues.splice(known)
  const names = fields.map(({ name }) => name)
  let left = Math.min(others, mostOthers)
  for (const name in given) {
    if (left === 0) break
    if (names.includes(name)) continue
    left--
    issues.push({ path: name.slice(0, 100), message: `There is no such field; ${suggestName(name, names)}` })
  }
  issues.push(...inside)
  if (others > mostOthers) return
  for (const field of fields) if (field.isRequired && !(field.name in given)) refuse(issues, field, undefined)
}

/**
 * Copies the fields of an object of some class: also what its prototypes have under a name of the table, so that no getter is left out
 * silently. Each value is read once.
 */
export function copyFields(
  { fields, mostOthers }: ObjectReader,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const copy: Record<string, unknown> = Object.create(null)
  let left = fields.length + mostOthers
  for (const name in given) {
    if (left-- < 0) break
    copy[name] = given[name]
  }
  for (const { name } of fields) if (!(name in copy) && name in given) copy[name] = given[name]
  return copy
}

/** Converts a rule's path, which has the engine's names, to the names of the spelling that is read. */
export function namePath(path: string, reader: ObjectReader): string {
  if (reader.wireNames === null) return path
  let at: ObjectReader | null = reader
  return path.replace(/[A-Za-z]+/g, name => {
    const wire = at?.wireNames?.get(name) ?? name
    const field: FieldReader | undefined = at?.fields.find(each => each.out === name)
    at = field?.object ?? field?.entry?.object ?? null
    return wire
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

/** Puts the mistakes from a place on in the order of the tables. */
export function sortIssues(reader: ObjectReader, issues: InputIssue[], known: number): void {
  const ranked = issues.splice(known).map(issue => ({ issue, ranks: rankPath(reader, issue.path) }))
  ranked.sort(({ ranks: a }, { ranks: b }) => {
    for (let at = 0; at < a.length && at < b.length; at++) if (a[at] !== b[at]) return a[at]! - b[at]!
    return a.length - b.length
  })
  // A value that was refused, or whose parts were, is not refused by a rule as well.
  for (const { issue } of ranked) {
    const { path } = issue
    const isInside = (other: InputIssue) =>
      path.startsWith(other.path) && (path.length === other.path.length || /[.[]/.test(path[other.path.length]!))
    if (!issues.slice(known).some(isInside)) issues.push(issue)
  }
}
