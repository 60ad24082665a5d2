/**
 * How is a body written that shares its parts with many others?
 *
 * The records of pairs share most of their parts: a destination's field is one frozen value for all pairs with the same one. The text of a
 * frozen value is kept as long as the value lives, so a record is joined from pieces. A value that is not frozen may change and is written
 * each time. The text equals that of `JSON.stringify`, character for character.
 */

const texts = new WeakMap<object, string>()
const names = new Map<string, string>()

/** How many names of fields are kept; a record has some fifty. */
const MOST_NAMES = 1_000

function writeName(name: string): string {
  let text = names.get(name)
  if (text === undefined) {
    text = `${JSON.stringify(name)}:`
    if (names.size < MOST_NAMES) names.set(name, text)
  }
  return text
}

/** The text of a frozen value, or of a list of such values. */
function writePart(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const known = texts.get(value)
  if (known !== undefined) return known
  if (!Object.isFrozen(value)) return Array.isArray(value) ? writeSharedList(value) : JSON.stringify(value)
  const text = JSON.stringify(value)
  texts.set(value, text)
  return text
}

/**
 * The JSON of a list of values; each frozen value is written only once.
 *
 * @example
 * ```ts
 * writeSharedList([Object.freeze({ a: 1 }), null]) // => "[{\"a\":1},null]"
 * ```
 */
export function writeSharedList(list: readonly unknown[]): string {
  let items = ""
  for (const item of list) items += `${items === "" ? "" : ","}${writePart(item) ?? "null"}`
  return `[${items}]`
}

/**
 * The JSON of a record; each field with a frozen value is written only once.
 *
 * @example
 * ```ts
 * writeSharedRecord({ passport: "FRA", tips: Object.freeze(["Ask."]), home: undefined }) // => "{\"passport\":\"FRA\",\"tips\":[\"Ask.\"]}"
 * ```
 */
export function writeSharedRecord(record: object): string {
  return writeSharedParts([record])
}

/**
 * The JSON of a record that comes in parts, no field in two of them; each frozen part is written only once.
 *
 * @example
 * ```ts
 * writeSharedParts([{ passport: "FRA" }, Object.freeze({ home: true })]) // => "{\"passport\":\"FRA\",\"home\":true}"
 * ```
 */
export function writeSharedParts(parts: readonly object[]): string {
  let all = ""
  for (const part of parts) {
    const fields = writeFields(part)
    if (fields !== "") all += all === "" ? fields : `,${fields}`
  }
  return `{${all}}`
}

const fieldTexts = new WeakMap<object, string>()

function writeFields(record: object): string {
  const known = fieldTexts.get(record)
  if (known !== undefined) return known
  let fields = ""
  for (const [name, value] of Object.entries(record)) {
    const text = writePart(value)
    if (text !== undefined) fields += `${fields === "" ? "" : ","}${writeName(name)}${text}`
  }
  if (Object.isFrozen(record)) fieldTexts.set(record, fields)
  return fields
}
