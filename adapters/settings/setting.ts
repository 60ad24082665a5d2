/**
 * What is a setting?
 *
 * One row: the name of its variable, its kind, its default and a sentence. The configuration, `landfall serve --help`, docs/api.md, the
 * check of unknown names and the options of a program that mounts the service are all made from the rows. A kind defines how a text is read
 * and what is allowed; many rows share one. Nothing here depends on the source of the texts.
 */
import { distance } from "fastest-levenshtein"
import { isPublicKey } from "../feed/feed-index.ts"
import { readHost, readProxies } from "../validation/addresses.ts"
import { type Fields, isFields, readJsonFields } from "../validation/fields.ts"
import { BILLING_PERIODS, type Mailbox, PLAN_IDS, type PriceTable } from "./feature-options.ts"

/** How a text is read, and the allowed values in words. */
export interface Kind<Value> {
  readonly unit: string
  readonly allowed: string
  /** A secret is repeated in no message. */
  readonly isSecret?: true
  /** Reads a text; undefined when it is not allowed. */
  readonly read: (text: string) => Value | undefined
}

const kind = <Value>(unit: string, allowed: string, read: Kind<Value>["read"]): Kind<Value> => ({
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

// Which kinds of settings are there? Each says how a text is read and, in words, what is allowed.

/** Any text, described by its use. */
export const text = (unit: string, allowed: string): Kind<string> => kind(unit, allowed, given => given)

export const path = (what: string): Kind<string> => text("path", `the path of ${what}`)

/** A text that no message repeats. */
export const secret = (allowed: string, unit = "text"): Kind<string> => ({ ...text(unit, allowed), isSecret: true })

/** A text of a pattern. */
export const matching = (expression: RegExp, unit: string, allowed: string): Kind<string> =>
  kind(unit, allowed, given => (expression.test(given) ? given : undefined))

export const flag = kind("true or false", "true or false", given =>
  given === "true" ? true : given === "false" ? false : undefined,
)

/** A whole number within bounds, both included. */
export const whole = (from: number, to: number, unit = "number"): Kind<number> =>
  kind(unit, `a whole number from ${from} to ${to}`, given => {
    const isRead = /^\d+$/.test(given) && given.length <= String(to).length
    return isRead && Number(given) >= from && Number(given) <= to ? Number(given) : undefined
  })

export const processes = kind<number | "auto">("number or auto", "a whole number from 1 to 256, or auto", given => {
  if (given === "auto") return given
  return /^\d{1,3}$/.test(given) && Number(given) >= 1 && Number(given) <= 256 ? Number(given) : undefined
})

/** Seconds up to a bound, with at most three decimals. */
export const seconds = (to: number): Kind<number> =>
  kind("seconds", `a number from 0 to ${to}`, given =>
    /^\d{1,3}(\.\d{1,3})?$/.test(given) && Number(given) <= to ? Number(given) : undefined,
  )

/** One of a few names. */
export const oneOf = <const Choice extends string>(
  choices: readonly Choice[],
  allowed = choices.join(", "),
): Kind<Choice> => kind("name", allowed, given => choices.find(choice => choice === given))

/** Several values, separated by commas. */
export const listOf = <Item>({ unit, read }: Kind<Item>, allowed: string): Kind<readonly Item[]> =>
  kind(`${unit}s, by commas`, `${allowed}, separated by commas`, given => {
    const items = given.split(",").map(item => read(item.trim()))
    return items.every(item => item !== undefined) ? (items as readonly Item[]) : undefined
  })

/** A part of a whole, from 0 to 1. */
export const share = kind("number", "a number from 0 to 1, such as 0.01", given =>
  /^(0|1(\.0{1,6})?|0?\.\d{1,6})$/.test(given) ? Number(given) : undefined,
)

export const headers: Kind<Readonly<Record<string, string>>> = {
  ...kind("NAME=VALUE, by commas", "NAME=VALUE, separated by commas, in characters that a header may have", given => {
    const items = given
      .split(",")
      .map(item => /^\s*([\w-]{1,100})=([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)\s*$/.exec(item))
    if (!items.every(item => item !== null)) return undefined
    return Object.fromEntries(items.map(([, name = "", value = ""]) => [name.toLowerCase(), value]))
  }),
  isSecret: true,
}

export const host = kind("name or address", "a host name or an IP address", readHost)

/** An address of the machine, and a port. */
export interface AdminListen {
  readonly host: string
  readonly port: number
}

export const hostAndPort = kind(
  "HOST:PORT",
  "a host and a port, such as 127.0.0.1:8788",
  (given): AdminListen | undefined => {
    const [, named = "", port = ""] = /^(.+):(\d{1,5})$/.exec(given) ?? []
    const read = named === "" ? undefined : readHost(named)
    return read === undefined || Number(port) > 65_535 ? undefined : { host: read, port: Number(port) }
  },
)

/** An operator's name and token. */
export interface AdminToken {
  readonly name: string
  readonly token: string
}

/** Names and tokens; a name is letters and digits, a token at least 32 characters that a header can hold. */
export const adminTokens: Kind<readonly AdminToken[]> = {
  ...kind(
    "NAME:TOKEN, by commas",
    "NAME:TOKEN, separated by commas, each token of at least 32 letters, digits, - or _",
    given => {
      const items = given.split(",").map(item => /^\s*([\w.-]{1,40}):([\w-]{32,})\s*$/.exec(item))
      const read = items.map(item => ({ name: item?.[1] ?? "", token: item?.[2] ?? "" }))
      const isEach = items.every(item => item !== null) && new Set(read.map(({ name }) => name)).size === read.length
      return isEach ? read : undefined
    },
  ),
  isSecret: true,
}

export const proxies = kind(
  "addresses or CIDR blocks, by commas",
  "IP addresses or CIDR blocks no larger than 10.0.0.0/8 or fc00::/7, separated by commas",
  readProxies,
)

/** Reads an http or https URL. Every answer would repeat a user, a password or a query. */
function readHttpUrl(given: string): URL | undefined {
  const url = URL.parse(given)
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined
  return `${url.username}${url.password}${url.search}${url.hash}` === "" ? url : undefined
}

export const httpUrl = kind("URL", "an http or https URL without user, query and fragment", readHttpUrl)

/** An http or https URL as a text without a slash at its end. */
export const baseUrl: Kind<string> = { ...httpUrl, read: given => readHttpUrl(given)?.href.replace(/(?<!\/)\/+$/, "") }

export const origin = kind("origin", "an origin such as https://example.org", given => {
  const url = readHttpUrl(given)
  return url?.pathname === "/" ? url.origin : undefined
})

export const secureOrigin = kind("URL", "an https URL without user, path, query and fragment", given => {
  const read = origin.read(given)
  return read?.startsWith("https:") ? read : undefined
})

/** The address of a mail server, which may hold user and password. */
export const smtpUrl: Kind<string> = {
  ...kind("URL", "smtp://USER:PASSWORD@HOST:PORT or smtps://…", given => {
    const url = URL.parse(given)
    return url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== "" ? given : undefined
  }),
  isSecret: true,
}

const ADDRESS = /^[^\s@<>,;"\p{Cc}]+@[^\s@<>,;"\p{Cc}]+$/u

/** A mailbox, `visa@example.org` or `Landfall <visa@example.org>`. */
export const mailbox = kind("mailbox", "an address, or NAME <ADDRESS>", (given): Mailbox | undefined => {
  const [, name = "", inBrackets] = /^([^<>\p{Cc}]*)<([^<>]+)>$/u.exec(given) ?? []
  const address = inBrackets ?? given
  return ADDRESS.test(address) ? { name: name.trim().replace(/^"(.*)"$/, "$1"), address } : undefined
})

/** Prices of plans: `{"hobby": {"monthly": "price_…", "annual": "price_…"}}`. */
export const prices = kind(
  "JSON",
  '{"hobby": {"monthly": "price_…", "annual": "price_…"}, …}',
  (given): PriceTable | undefined => {
    const read = readJsonFields(given)
    const isPrice = ([period, id]: [string, unknown]) =>
      BILLING_PERIODS.some(known => known === period) && typeof id === "string" && id !== ""
    const isPlan = ([plan, byPeriod]: [string, unknown]) =>
      plan !== "free" &&
      PLAN_IDS.some(known => known === plan) &&
      isFields(byPeriod) &&
      Object.entries(byPeriod).every(isPrice)
    return read !== null && Object.entries(read).every(isPlan) ? (read as PriceTable) : undefined
  },
)

export const feedKey = kind("key", "an Ed25519 public key in base64url", given =>
  isPublicKey(given) ? given : undefined,
)

export const appleId = matching(/^[A-Z0-9]{10}$/, "text", "ten capital letters and digits")

export const chainAddress = matching(
  /^0x[0-9a-fA-F]{40}$/,
  "address",
  "an Ethereum address, 0x and 40 hexadecimal digits",
)
