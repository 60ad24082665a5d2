/**
 * What is a setting?
 *
 * One row: the name of its variable, its kind, its default and a sentence. The configuration, `landfall serve --help`, docs/api.md, the
 * check of unknown names and the options of a program that mounts the service are all made from the rows. A kind defines how a text is read
 * and what is allowed; many rows share one. Nothing here depends on the source of the texts.
 */
import { distance } from "fastest-levenshtein"
import { type Fields, isFields } from "../validation/fields.ts"

/** How a text is read, and the allowed values in words. */
export interface Kind<Value> {
  readonly unit: string
  readonly allowed: string
  /** A secret is repeated in no message. */
  readonly isSecret?: true
  /** Reads a text; undefined when it is not allowed. */
  readonly read: (text: string) => Value | undefined
}

export const kind = <Value>(unit: string, allowed: string, read: Kind<Value>["read"]): Kind<Value> => ({
  unit,
  allowed,
  read,
})

/** One setting. `Base` is what its default follows from. */
export interface Setting<Value, Base = unknown> {
  readonly name: `LANDFALL_${string}`
  readonly kind: Kind<NonNullable<Value>>
  readonly fallback: (config: Base) => Value
  /** The default in words. */
  readonly shown: string
  readonly meaning: string
}

type Name = Setting<unknown>["name"]

/** A setting with a fixed default. With null its value may be null; then `shown` describes the default. */
export const row = <Value, const Default extends Value | null>(
  name: Name,
  of: Kind<Value>,
  fallback: Default,
  meaning: string,
  shown = writeDefault(fallback),
): Setting<Default extends null ? Value | null : Value> => ({
  name,
  kind: of as Kind<NonNullable<Value>>,
  fallback: () => fallback as never,
  shown,
  meaning,
})

/** A setting whose default follows from settings before it; `shown` says how. */
export const follows = <Value, Base>(
  name: Name,
  of: Kind<Value>,
  fallback: (config: Base) => Value,
  meaning: string,
  shown: string,
): Setting<Value, Base> => ({ name, kind: of as Kind<NonNullable<Value>>, fallback, shown, meaning })

const writeDefault = (value: unknown): string =>
  value === null || (Array.isArray(value) && value.length === 0) ? "none" : String(value)

type Rows = Readonly<Record<string, Setting<unknown, never>>>

/** The values of rows, by their names in programs. */
export type ValuesOf<Table extends Rows> = {
  readonly [N in keyof Table]: Table[N] extends Setting<infer Value, never> ? Value : never
}

type OptionOf<Value> = Value extends boolean
  ? boolean | "true" | "false"
  : Value extends string | number | readonly string[]
    ? Value
    : string | readonly string[]

/**
 * The options of a program instead of variables: a word, a number, a flag or a list as it is, any other value as the text of its variable,
 * several texts as a list.
 */
export type OptionsOf<Table extends Rows> = {
  readonly [N in keyof Table]?: OptionOf<NonNullable<ValuesOf<Table>[N]>>
}

/** A mistake, with the variable or the option that has it. */
export interface SettingIssue {
  readonly name: string
  readonly message: string
}

/** The values of settings, or every mistake in them. */
export type ReadSettings<Table extends Rows> =
  | { readonly ok: true; readonly values: ValuesOf<Table> }
  | { readonly ok: false; readonly issues: readonly SettingIssue[] }

const quote = (text: string): string => `"${text.length > 80 ? `${text.slice(0, 80)}…` : text}"`

const isText = (value: unknown): value is string | number | boolean =>
  typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)

/** The text of an option, as its variable would have it; null for a value of another kind. */
function writeOption(value: unknown): string | null {
  if (isText(value)) return String(value)
  return Array.isArray(value) && value.every(isText) ? value.join(",") : null
}

function describeRefused(name: string, { allowed, isSecret }: Kind<unknown>, value: unknown): SettingIssue {
  const kindOf = typeof value === "string" ? "" : " that is not a text"
  const found = isSecret
    ? `a value${kindOf}`
    : quote(typeof value === "string" ? value : (JSON.stringify(value) ?? typeof value))
  return { name, message: `${name}: ${found} was given; allowed is ${allowed}.` }
}

/** Rows in groups: a default may follow from the groups before it, which the compiler holds. */
export class Settings<Table extends Rows> {
  readonly rows: Table

  constructor(rows: Table) {
    this.rows = rows
  }

  and<const More extends Readonly<Record<string, Setting<unknown, ValuesOf<Table>>>>>(
    more: More,
  ): Settings<Table & More> {
    return new Settings({ ...this.rows, ...more })
  }

  /**
   * Reads options by the names of the rows, then variables, then defaults, and names every mistake at once. An empty text counts as not set.
   * `defaults` replace those of the rows.
   */
  read(
    readVariable: (name: string) => string | undefined,
    options: OptionsOf<Table> = {},
    defaults: Partial<ValuesOf<Table>> = {},
  ): ReadSettings<Table> {
    const issues: SettingIssue[] = []
    const given = this.#checkOptions(options, issues)
    const values: Record<string, unknown> = {}
    for (const [name, { name: variable, kind: of, fallback }] of Object.entries(this.rows)) {
      const option = given[name]
      const text = option === undefined ? (readVariable(variable) ?? "") : writeOption(option)
      const value = text === null ? undefined : text.trim() === "" ? null : of.read(text.trim())
      if (value === undefined) {
        const source = option === undefined ? variable : name
        issues.push(describeRefused(source, of, text === null ? option : text.trim()))
      }
      values[name] = value ?? defaults[name] ?? fallback(values as never)
    }
    return issues.length === 0 ? { ok: true, values: values as ValuesOf<Table> } : { ok: false, issues }
  }

  /** Returns the options as a record. Reports a value that is not a record, and each name without a row. */
  #checkOptions(options: unknown, issues: SettingIssue[]): Fields {
    if (!isFields(options)) {
      const message = `options: an object of settings is expected, not ${quote(String(options))}.`
      issues.push({ name: "options", message })
      return {}
    }
    const known = Object.keys(this.rows)
    for (const [name, value] of Object.entries(options)) {
      if (value === undefined || known.includes(name)) continue
      const message = `${name}: there is no such option; known: ${known.join(", ")}${nameNearest(name, known)}.`
      issues.push({ name, message })
    }
    return options
  }
}

/** A name that differs in more letters is not taken for a misspelling. */
const MAXIMUM_EDITS = 4

/** The end of a sentence with the known name nearest to an unknown one; empty if none is near. */
export function nameNearest(name: string, known: readonly string[]): string {
  const byEdits = known.map(other => ({ other, edits: distance(name, other) }))
  const nearest = byEdits.reduce((best, one) => (one.edits < best.edits ? one : best))
  return nearest.edits <= MAXIMUM_EDITS ? `; ${nearest.other} is the nearest` : ""
}
