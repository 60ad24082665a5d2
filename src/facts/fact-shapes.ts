/**
 * What may a fact of each subject hold?
 *
 * The check of every subject, made from the table of fact-fields.ts. A fact that passes can be shown in every language; one that
 * does not was written wrongly or with bad intent. Unknown fields are skipped, so that a file may say more than an older release
 * understands.
 */
import { count, isCodes, isDate, isText, list, type Test } from "../dataset/row-tests.ts"
import { FACT_FIELDS, type FactField, type FactFields, type Subject } from "../record/fact-fields.ts"
import { LANGUAGES } from "../record/languages.ts"

/** More of any currency than a fee, a fine or an insurance has ever been. */
const LARGEST_AMOUNT = 1e12

/** Says whether a value is an object of named fields. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isAmount: Test = value => typeof value === "number" && value >= 0 && value <= LARGEST_AMOUNT
const isCurrency: Test = value => typeof value === "string" && /^[A-Z]{3}$/.test(value)

/**
 * Says whether a text is an address of the web that can be shown as a link.
 *
 * @example
 * ```ts
 * isWebAddress("https://example.org/visa?lang=en") // => true
 * isWebAddress("javascript:alert(1)") // => false
 * ```
 */
export function isWebAddress(text: unknown): boolean {
  return typeof text === "string" && /^https?:\/\/[^\s<>"\\^`{|}]+$/.test(text)
}

const TESTS = {
  text: isText,
  date: isDate,
  url: isWebAddress,
  flag: value => typeof value === "boolean",
  code: value => isCodes(value) && (value as string).length === 3,
  money: value => isObject(value) && isAmount(value.amount) && isCurrency(value.currency),
  names: value =>
    isObject(value) && LANGUAGES.every(language => value[language] === undefined || isText(value[language])),
} as const satisfies Readonly<Record<string, Test>>

function testOf(field: FactField): Test {
  switch (field.is) {
    case "integer":
      return count(field.least, field.most)
    case "number":
      return value => typeof value === "number" && value > 0 && value <= field.most
    case "word":
      return value => (field.words as readonly unknown[]).includes(value)
    case "list":
      return list(testOf(field.of))
    case "object":
      return testOfAll(field.fields)
    default:
      return TESTS[field.is]
  }
}

function testOfAll(fields: FactFields): Test {
  const tests = Object.entries(fields).map(([name, field]) => [name, field.optional === true, testOf(field)] as const)
  return value =>
    isObject(value) &&
    tests.every(([name, optional, test]) => (optional && value[name] === undefined) || test(value[name]))
}

/** The shape of a fact's value, by subject. */
export const FACT_SHAPES = Object.fromEntries(
  Object.entries(FACT_FIELDS).map(([subject, fields]) => [subject, testOfAll(fields)]),
) as Readonly<Record<Subject, Test>>
