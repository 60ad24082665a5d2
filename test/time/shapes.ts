/**
 * Which texts and bodies are hard on a reader?
 *
 * Texts that made some parser slow, for any place where a client can put one; and for a body whose schema is known, bodies that are as full as the documented limits allow: empty objects,
 * valid ones, unknown names, long texts and nested lists wherever a value may stand.
 */

/** The longest body here, with some room for what is around it. */
export const BODY_BYTES = 60_000
/** The longest refusal, half of the longest body. */
export const MOST_REFUSAL_BYTES = 32_768

const fill = (unit: string) => (length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
const enclose = (before: string, unit: string, after: string) => (length: number) =>
  before + fill(unit)(Math.max(0, length - before.length - after.length)) + after

/** Texts of about so many characters, for a header or a parameter. */
export const TEXTS: Readonly<Record<string, (length: number) => string>> = {
  letters: fill("a"),
  codes: fill("FRA,"),
  "blanks, then a letter": enclose(",", " ", "x"),
  "tabs and blanks": enclose("a", "\t ", "!"),
  commas: fill(","),
  "a list": fill("ab,"),
  "a list with weights": fill("a/b;q=0.5,"),
  "a list of different words": length =>
    Array.from({ length: Math.ceil(length / 6) }, (_, at) => `a${at}-b`)
      .join(",")
      .slice(0, length),
  "a quote that is not closed": enclose('"', "a\\", ""),
  quotes: fill('"'),
  pairs: fill("a=b;"),
  "different pairs": length =>
    Array.from({ length: Math.ceil(length / 8) }, (_, at) => `a${at}=b`)
      .join("; ")
      .slice(0, length),
  dots: enclose("", "a.", "!"),
  "at signs": fill("a@"),
  colons: fill(":1"),
  hyphens: enclose("a", "-", "!"),
  digits: enclose("", "9", "x"),
  "the same parameter": fill("&a=1"),
  slashes: fill("/."),
  "escaped letters": fill("%C3%A9"),
}

/** The part of a JSON schema that says which values fit. */
export interface Shape {
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly maxItems?: number
  readonly required?: readonly string[]
  readonly anyOf?: readonly Shape[]
  readonly allOf?: readonly Shape[]
  readonly examples?: readonly unknown[]
}

/** A schema with the documents that its references lead to. */
export class Form {
  readonly #root: object

  constructor(root: object) {
    this.#root = root
  }

  /** The schema behind references; of several forms the one with the most in it. */
  open(shape: Shape): Shape {
    if (shape.$ref !== undefined) {
      const steps = shape.$ref.slice(2).split("/")
      const found = steps.reduce<unknown>((part, step) => (part as Record<string, unknown>)[step], this.#root)
      return this.open(found as Shape)
    }
    if (shape.allOf !== undefined) {
      const parts = shape.allOf.map(part => this.open(part))
      return {
        ...shape,
        properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
        required: parts.flatMap(({ required = [] }) => required),
      }
    }
    const forms = (shape.anyOf ?? []).map(form => this.open(form))
    return forms.find(({ properties }) => properties) ?? forms.find(({ items }) => items) ?? shape
  }

  /** The names of an object's fields. */
  namesOf(shape: Shape): readonly string[] {
    return Object.keys(this.open(shape).properties ?? {})
  }

  /** How many objects there are if every list is full. */
  count(shape: Shape): number {
    const { properties, items, maxItems = 250 } = this.open(shape)
    if (items !== undefined) return maxItems * this.count(items)
    return Object.values(properties ?? {}).reduce(
      (sum, each) => sum + (this.open(each).items ? this.count(each) : 0),
      1,
    )
  }

  /** A value that fits, of the documented examples: every list has a share of the entries that it may have. */
  fit(shape: Shape, share: number, isWhole: boolean): unknown {
    const { properties, items, required = [], maxItems = 250 } = this.open(shape)
    if (items !== undefined)
      return Array.from({ length: Math.ceil(maxItems * share) }, () => this.fit(items, share, isWhole))
    if (properties === undefined) return shape.examples?.[0] ?? this.open(shape).examples?.[0] ?? "a"
    const fitting = Object.entries(properties).filter(
      ([name, each]) => isWhole || required.includes(name) || this.open(each).items !== undefined,
    )
    return Object.fromEntries(fitting.map(([name, each]) => [name, this.fit(each, share, isWhole)]))
  }

  /** The fullest value that fits into so many characters. */
  fitInto(shape: Shape, length: number, isWhole: boolean): string {
    for (let share = Math.min(1, length / this.count(shape) / 20); ; share *= 0.7) {
      const body = JSON.stringify(this.fit(shape, share, isWhole))
      if (body.length <= length || share < 0.001) return body
    }
  }

  /** A value in which every outer list has a share of the entries that it may have, every other one all of them, and every object `inside` and nothing else. */
  fill(shape: Shape, share: number, inside: object): unknown {
    const { properties = {}, items, maxItems = 250 } = this.open(shape)
    if (items !== undefined)
      return Array.from({ length: Math.ceil(maxItems * share) }, () => this.fill(items, 1, inside))
    const lists = Object.entries(properties).filter(([, each]) => this.open(each).items !== undefined)
    return { ...inside, ...Object.fromEntries(lists.map(([name, each]) => [name, this.fill(each, share, inside)])) }
  }
}

const nameMany = (count: number, make: (at: number) => string) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [make(at), 1]))

/** Values that cost some reader much, as JSON of about so many characters. */
export const VALUES: Readonly<Record<string, (length: number) => string>> = {
  "a long text": length => JSON.stringify("a ".repeat(length / 2)),
  "a text of signs": length => JSON.stringify("a@-.1:,".repeat(length / 7)),
  "a long number": length => "9".repeat(length),
  "nested lists": length => "[".repeat(length / 2) + "]".repeat(length / 2),
  "nested objects": length => `${'{"a":'.repeat(length / 6)}1${"}".repeat(length / 6)}`,
  "a list of objects": length => JSON.stringify(Array(Math.floor(length / 3)).fill({})),
  "a list of texts": length => JSON.stringify(Array(Math.floor(length / 9)).fill("\u2028xyz")),
  "250 texts": length => JSON.stringify(Array(250).fill("x".repeat(length / 254))),
  "20 lists": length => JSON.stringify(Array(20).fill(Array(Math.floor(length / 40)).fill(1))),
}

/** Bodies for a schema, each by the share of its full size. */
export function listBodies(
  form: Form,
  shape: Shape,
  ofValues = Object.keys(VALUES),
): readonly (readonly [name: string, make: (share: number) => string])[] {
  const many = (make: (at: number) => string, length: number) => (share: number) =>
    JSON.stringify(nameMany(Math.floor((BODY_BYTES * share) / (length + 5)), make))
  const known = form.namesOf(shape)
  const inEach = (perName: number) => {
    const room = BODY_BYTES / form.count(shape) - 20
    return nameMany(Math.min(60, Math.max(1, Math.floor(room / perName))), at => `a${at}`)
  }
  const values = known.flatMap(field =>
    ofValues.map(
      name =>
        [
          `${field}: ${name}`,
          (share: number) => `{${JSON.stringify(field)}:${VALUES[name]!(BODY_BYTES * share)}}`,
        ] as const,
    ),
  )
  return [
    ["every field with an example", share => form.fitInto(shape, BODY_BYTES * share, true)],
    ["examples of required fields and lists", share => form.fitInto(shape, BODY_BYTES * share, false)],
    ["empty objects", share => JSON.stringify(form.fill(shape, share, {}))],
    ["unknown names in every object", share => JSON.stringify(form.fill(shape, share, inEach(9)))],
    ["unknown names", many(at => `a${String(at).padStart(5, "0")}`, 6)],
    ["names of signs", many(at => `${at}${"\u0001".repeat(200)}`, 1_205)],
    ["names of other letters", many(at => `${at}${"\u6f22".repeat(100)}`, 305)],
    ["names like known ones", many(at => `${known[at % known.length]}${at}`, 16)],
    ["long names", many(at => `${at}${known[0]}`.padEnd(900, "x"), 900)],
    ...values,
  ]
}
