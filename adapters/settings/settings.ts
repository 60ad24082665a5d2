/**
 * Which settings are there?
 *
 * One row each, in the order in which they are explained: the name of its variable, its kind, its default and a sentence. The configuration,
 * `landfall serve --help`, docs/api.md, the check of unknown names and the options of a program that mounts the service are all made from the
 * rows. A kind defines how a text is read and what is allowed; many rows share one. To add a setting, write its row here and read its value
 * where it is used. What several settings mean together is in `config.ts` and in the features that take them. The rows name no package,
 * because the declarations of `landfall/http` are made from them.
 */
import { distance } from "fastest-levenshtein"
import { isPublicKey } from "../feed/feed-index.ts"
import { formatAuthority, isLoopbackHost, noProxies, readHost, readProxies } from "../validation/addresses.ts"
import { type Fields, isFields, readJsonFields } from "../validation/fields.ts"
import { BILLING_PERIODS, type Mailbox, PLAN_IDS, type PriceTable } from "./feature-options.ts"

// What is a setting? Nothing here depends on the source of the texts.

/** How a text is read, and the allowed values in words. */
interface Kind<Value> {
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
const row = <Value, const Default extends Value | null>(
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
const follows = <Value, Base>(
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
type ValuesOf<Table extends Rows> = {
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
type OptionsOf<Table extends Rows> = {
  readonly [N in keyof Table]?: OptionOf<NonNullable<ValuesOf<Table>[N]>>
}

/** A mistake, with the variable or the option that has it. */
export interface SettingIssue {
  readonly name: string
  readonly message: string
}

/** The values of settings, or every mistake in them. */
type ReadSettings<Table extends Rows> =
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
const text = (unit: string, allowed: string): Kind<string> => kind(unit, allowed, given => given)

const path = (what: string): Kind<string> => text("path", `the path of ${what}`)

/** A text that no message repeats. */
const secret = (allowed: string, unit = "text"): Kind<string> => ({ ...text(unit, allowed), isSecret: true })

/** A text of a pattern. */
const matching = (expression: RegExp, unit: string, allowed: string): Kind<string> =>
  kind(unit, allowed, given => (expression.test(given) ? given : undefined))

const flag = kind("true or false", "true or false", given =>
  given === "true" ? true : given === "false" ? false : undefined,
)

/** A whole number within bounds, both included. */
const whole = (from: number, to: number, unit = "number"): Kind<number> =>
  kind(unit, `a whole number from ${from} to ${to}`, given => {
    const isRead = /^\d+$/.test(given) && given.length <= String(to).length
    return isRead && Number(given) >= from && Number(given) <= to ? Number(given) : undefined
  })

const processes = kind<number | "auto">("number or auto", "a whole number from 1 to 256, or auto", given => {
  if (given === "auto") return given
  return /^\d{1,3}$/.test(given) && Number(given) >= 1 && Number(given) <= 256 ? Number(given) : undefined
})

/** Seconds up to a bound, with at most three decimals. */
const seconds = (to: number): Kind<number> =>
  kind("seconds", `a number from 0 to ${to}`, given =>
    /^\d{1,3}(\.\d{1,3})?$/.test(given) && Number(given) <= to ? Number(given) : undefined,
  )

/** One of a few names. */
const oneOf = <const Choice extends string>(choices: readonly Choice[], allowed = choices.join(", ")): Kind<Choice> =>
  kind("name", allowed, given => choices.find(choice => choice === given))

/** Several values, separated by commas. */
const listOf = <Item>({ unit, read }: Kind<Item>, allowed: string): Kind<readonly Item[]> =>
  kind(`${unit}s, by commas`, `${allowed}, separated by commas`, given => {
    const items = given.split(",").map(item => read(item.trim()))
    return items.every(item => item !== undefined) ? (items as readonly Item[]) : undefined
  })

/** A part of a whole, from 0 to 1. */
const share = kind("number", "a number from 0 to 1, such as 0.01", given =>
  /^(0|1(\.0{1,6})?|0?\.\d{1,6})$/.test(given) ? Number(given) : undefined,
)

const headers: Kind<Readonly<Record<string, string>>> = {
  ...kind("NAME=VALUE, by commas", "NAME=VALUE, separated by commas, in characters that a header may have", given => {
    const items = given
      .split(",")
      .map(item => /^\s*([\w-]{1,100})=([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)\s*$/.exec(item))
    if (!items.every(item => item !== null)) return undefined
    return Object.fromEntries(items.map(([, name = "", value = ""]) => [name.toLowerCase(), value]))
  }),
  isSecret: true,
}

const host = kind("name or address", "a host name or an IP address", readHost)

/** An address of the machine, and a port. */
export interface AdminListen {
  readonly host: string
  readonly port: number
}

const hostAndPort = kind("HOST:PORT", "a host and a port, such as 127.0.0.1:8788", (given): AdminListen | undefined => {
  const [, named = "", port = ""] = /^(.+):(\d{1,5})$/.exec(given) ?? []
  const read = named === "" ? undefined : readHost(named)
  return read === undefined || Number(port) > 65_535 ? undefined : { host: read, port: Number(port) }
})

/** An operator's name and token. */
export interface AdminToken {
  readonly name: string
  readonly token: string
}

/** Names and tokens; a name is letters and digits, a token at least 32 characters that a header can hold. */
const adminTokens: Kind<readonly AdminToken[]> = {
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

const proxies = kind(
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

const httpUrl = kind("URL", "an http or https URL without user, query and fragment", readHttpUrl)

/** An http or https URL as a text without a slash at its end. */
const baseUrl: Kind<string> = { ...httpUrl, read: given => readHttpUrl(given)?.href.replace(/(?<!\/)\/+$/, "") }

const origin = kind("origin", "an origin such as https://example.org", given => {
  const url = readHttpUrl(given)
  return url?.pathname === "/" ? url.origin : undefined
})

const secureOrigin = kind("URL", "an https URL without user, path, query and fragment", given => {
  const read = origin.read(given)
  return read?.startsWith("https:") ? read : undefined
})

/** The address of a mail server, which may hold user and password. */
const smtpUrl: Kind<string> = {
  ...kind("URL", "smtp://USER:PASSWORD@HOST:PORT or smtps://…", given => {
    const url = URL.parse(given)
    return url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== "" ? given : undefined
  }),
  isSecret: true,
}

const ADDRESS = /^[^\s@<>,;"\p{Cc}]+@[^\s@<>,;"\p{Cc}]+$/u

/** A mailbox, `visa@example.org` or `Landfall <visa@example.org>`. */
const mailbox = kind("mailbox", "an address, or NAME <ADDRESS>", (given): Mailbox | undefined => {
  const [, name = "", inBrackets] = /^([^<>\p{Cc}]*)<([^<>]+)>$/u.exec(given) ?? []
  const address = inBrackets ?? given
  return ADDRESS.test(address) ? { name: name.trim().replace(/^"(.*)"$/, "$1"), address } : undefined
})

/** Prices of plans: `{"hobby": {"monthly": "price_…", "annual": "price_…"}}`. */
const prices = kind(
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

const feedKey = kind("key", "an Ed25519 public key in base64url", given => (isPublicKey(given) ? given : undefined))

const appleId = matching(/^[A-Z0-9]{10}$/, "text", "ten capital letters and digits")

const chainAddress = matching(/^0x[0-9a-fA-F]{40}$/, "address", "an Ethereum address, 0x and 40 hexadecimal digits")

// Which settings are there?

/** The surfaces that can be mounted. */
export const SURFACES = ["visa", "lookup", "spots", "mcp"] as const
/** One part of the service with paths of its own. */
export type Surface = (typeof SURFACES)[number]

/** The log levels of stderr. */
export const LOG_LEVELS = ["info", "warn", "error"] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export const ACCESS_LOGS = ["off", "stdout", "stderr"] as const
export type AccessLogPlace = (typeof ACCESS_LOGS)[number]

const MODES = ["development", "production"] as const
type Mode = (typeof MODES)[number]

/** Longer than any balancer needs to notice. */
const MAXIMUM_DRAIN_SECONDS = 300
/** Enough for a balancer that checks every second or two. */
const PRODUCTION_DRAIN_SECONDS = 5

/** Every setting, by its name in programs. */
export const settings = new Settings({
  host: row(
    "LANDFALL_HOST",
    host,
    "127.0.0.1",
    "The host name or address on which the server listens. Keyless checks without an Origin header are only answered on a loopback address, in development.",
  ),
  port: row("LANDFALL_PORT", whole(0, 65_535, "TCP port"), 8787, "The port; 0 for any free port."),
  processes: row(
    "LANDFALL_PROCESSES",
    processes,
    1,
    "The number of processes of `landfall serve` that answer on the port; auto: one for each core. With several, one more does the background work.",
  ),
})
  .and({
    databaseUrl: row(
      "LANDFALL_DATABASE_URL",
      secret("file:PATH or postgres://USER:PASSWORD@HOST/DATABASE", "URL"),
      "file:./landfall.db",
      "The database of accounts and usage: a file, or a PostgreSQL that several processes share.",
    ),
    secret: row(
      "LANDFALL_SECRET",
      secret("the text of a secret"),
      null,
      "The secret that seals API keys in the database: 32 bytes in base64, the same in every process; while it is replaced the new one, a comma and the old one.",
      "made at the first start, beside the database file",
    ),
    publicUrl: follows(
      "LANDFALL_PUBLIC_URL",
      baseUrl,
      (config: { readonly host: string; readonly port: number }) =>
        `http://${formatAuthority(config.host, config.port)}`,
      "The address under which clients reach the service; its origin may check without a key.",
      "http://HOST:PORT",
    ),
    siteOrigins: row(
      "LANDFALL_SITE_ORIGINS",
      listOf(origin, "origins such as https://example.org"),
      [],
      "Further origins that may check without a key.",
    ),
    trustedProxies: row(
      "LANDFALL_TRUSTED_PROXIES",
      proxies,
      noProxies,
      "The proxies whose X-Forwarded-For names the client.",
      "none",
    ),
    surfaces: row(
      "LANDFALL_SURFACES",
      listOf(oneOf(SURFACES), `names out of ${SURFACES.join(", ")}`),
      SURFACES,
      "The parts of the service to mount.",
    ),
    datasetPath: row(
      "LANDFALL_DATASET",
      path("a dataset file"),
      null,
      "The dataset file to use until a dataset is installed.",
      "the embedded dataset",
    ),
    datasetWatch: row(
      "LANDFALL_DATASET_WATCH",
      path("a dataset file"),
      null,
      "A dataset file to install when it appears and whenever it changes.",
    ),
    datasetFeed: row(
      "LANDFALL_DATASET_FEED",
      httpUrl,
      null,
      "The address of a dataset feed's index.json; it is checked every hour, and a newer dataset is installed.",
    ),
    datasetKeys: row(
      "LANDFALL_DATASET_KEYS",
      listOf(feedKey, "public keys that landfall dataset keygen made"),
      [],
      "The public keys that must sign that feed.",
    ),
    pageSendsDataset: row(
      "LANDFALL_PAGE_DATASET",
      flag,
      true,
      "Whether the page gets the service's dataset, whole and without a key, if it is not the embedded one.",
    ),
    webhookAllowsPrivate: row(
      "LANDFALL_WEBHOOK_ALLOW_PRIVATE",
      flag,
      false,
      "Whether webhooks may point to http and to private addresses; for development only.",
    ),
    apnsKeyFile: row(
      "LANDFALL_APNS_KEY_FILE",
      path("a PKCS #8 file"),
      null,
      "The key file (.p8) for Apple's push service; without it nothing is sent to Apple devices.",
    ),
    apnsKeyId: row("LANDFALL_APNS_KEY_ID", appleId, null, "The id of that key."),
    apnsTeamId: row("LANDFALL_APNS_TEAM_ID", appleId, null, "The id of the team that owns that key."),
    apnsTopic: row(
      "LANDFALL_APNS_TOPIC",
      matching(/^[\w.-]{1,200}$/, "text", "a bundle id such as org.example.app"),
      null,
      "The bundle id of the app that gets the pushes.",
    ),
    apnsUrl: row(
      "LANDFALL_APNS_URL",
      secureOrigin,
      "https://api.push.apple.com",
      "The origin of Apple's push service; https://api.sandbox.push.apple.com for apps in development.",
    ),
    fcmServiceAccount: row(
      "LANDFALL_FCM_SERVICE_ACCOUNT",
      path("a service account's JSON file"),
      null,
      "The JSON file of the service account for Firebase Cloud Messaging; without it nothing is sent by it.",
    ),
    fcmUrl: row(
      "LANDFALL_FCM_URL",
      secureOrigin,
      "https://fcm.googleapis.com",
      "The origin of Firebase Cloud Messaging.",
    ),
    workers: row(
      "LANDFALL_WORKERS",
      whole(0, 16),
      1,
      "The number of webhook dispatchers in this process; 0 also turns off mails, jobs and pushes here, for use with `landfall worker`.",
    ),
    historyDays: row(
      "LANDFALL_HISTORY_DAYS",
      whole(31, 36_500, "days"),
      730,
      "How long events and replaced datasets are kept; the current dataset and the previous one are always kept.",
    ),
  })
  .and({
    mode: follows(
      "LANDFALL_MODE",
      oneOf(MODES, "development or production"),
      (config: { readonly host: string; readonly publicUrl: string }): Mode =>
        [config.host, new URL(config.publicUrl).hostname].every(isLoopbackHost) ? "development" : "production",
      "In development the first start makes a demo account for each plan and prints its key, and mailed links are logged. Refused with a public address of another machine.",
      "development if host and public address are loopback and NODE_ENV is not production, else production",
    ),
  })
  .and({
    contact: follows(
      "LANDFALL_CONTACT",
      text("text", "an address or a URL"),
      ({ publicUrl }: { readonly publicUrl: string }) => `${publicUrl}/docs`,
      "An address or URL for questions of clients; answers that need a person name it.",
      "PUBLIC_URL/docs",
    ),
    logLevel: row(
      "LANDFALL_LOG_LEVEL",
      oneOf(LOG_LEVELS),
      "info",
      "The lowest level of log lines on stderr, each a JSON object; LANDFALL_ACCESS_LOG has the requests.",
    ),
    accessLog: row(
      "LANDFALL_ACCESS_LOG",
      oneOf(ACCESS_LOGS),
      "off",
      "The stream of the access log: a JSON object for each request, without key, query and address.",
    ),
    drainSeconds: follows(
      "LANDFALL_DRAIN_SECONDS",
      seconds(MAXIMUM_DRAIN_SECONDS),
      ({ mode }: { readonly mode: Mode }) => (mode === "production" ? PRODUCTION_DRAIN_SECONDS : 0),
      "How long a stopping service still answers, while /readyz is 503 and connections are told to close.",
      `${PRODUCTION_DRAIN_SECONDS} in production, else 0`,
    ),
    smtpUrl: row(
      "LANDFALL_SMTP_URL",
      smtpUrl,
      null,
      "The mail server. Without one a development server logs the links, and on a production server nobody can sign in.",
    ),
    mailFrom: follows(
      "LANDFALL_MAIL_FROM",
      mailbox,
      ({ publicUrl }: { readonly publicUrl: string }) => ({
        name: "Landfall",
        address: `noreply@${new URL(publicUrl).hostname}`,
      }),
      "The sender of mails.",
      "Landfall <noreply@HOST of the public address>",
    ),
    registerRevealsKey: row(
      "LANDFALL_REGISTER_REVEALS_KEY",
      flag,
      false,
      "Whether registering again shows the whole key of a confirmed account; for closed networks only.",
    ),
    stripeSecretKey: row(
      "LANDFALL_STRIPE_SECRET_KEY",
      secret("a secret key"),
      null,
      "The secret key of Stripe; plans are sold only if this and the webhook secret are set.",
    ),
    stripeWebhookSecret: row(
      "LANDFALL_STRIPE_WEBHOOK_SECRET",
      secret("a signing secret"),
      null,
      "The secret with which Stripe signs its events.",
    ),
    stripeApiBase: row(
      "LANDFALL_STRIPE_API_BASE",
      httpUrl,
      null,
      "The address of Stripe's API; another one for tests.",
      "Stripe's own",
    ),
    stripePrices: row(
      "LANDFALL_STRIPE_PRICES",
      prices,
      {},
      "The ids of Stripe's prices by plan (hobby, starter, pro, business) and period (monthly, annual).",
      "none",
    ),
    x402PayTo: row(
      "LANDFALL_X402_PAY_TO",
      chainAddress,
      null,
      "The address that receives payments for single calls; they are sold only if this and a facilitator are set.",
    ),
    x402FacilitatorUrl: row(
      "LANDFALL_X402_FACILITATOR_URL",
      httpUrl,
      null,
      "The address of the facilitator that verifies and submits payments.",
    ),
    x402Network: row(
      "LANDFALL_X402_NETWORK",
      matching(/^eip155:\d{1,12}$/, "CAIP-2 name", "eip155: and a number"),
      "eip155:8453",
      "The network of payments.",
    ),
    x402Asset: row(
      "LANDFALL_X402_ASSET",
      chainAddress,
      "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
      "The contract of the currency, which must be USDC, with six decimals.",
    ),
    adminListen: row(
      "LANDFALL_ADMIN_LISTEN",
      hostAndPort,
      null,
      "The address on which `landfall serve` listens for operators, such as 127.0.0.1:8788; not the port of the service.",
      "no such address",
    ),
    adminTokens: row(
      "LANDFALL_ADMIN_TOKENS",
      adminTokens,
      [],
      "The operators' names and tokens, such as ana:TOKEN; a token has at least 32 characters.",
      "none",
    ),
    otlpEndpoint: row(
      "LANDFALL_OTLP_ENDPOINT",
      httpUrl,
      null,
      "The collector of traces and metrics, by OTLP over HTTP, such as http://127.0.0.1:4318; `/v1/traces` and `/v1/metrics` are added.",
    ),
    otlpHeaders: row(
      "LANDFALL_OTLP_HEADERS",
      headers,
      {},
      "Headers for the collector, such as authorization=TOKEN.",
      "none",
    ),
    otlpSample: row(
      "LANDFALL_OTLP_SAMPLE",
      share,
      0.01,
      "The share of requests and of background attempts to trace, chosen at random; with 0 only metrics are sent.",
    ),
  })

export type SettingValues = ValuesOf<typeof settings.rows>

/**
 * Settings by name, in place of their variables: a word, a number, a flag, or a list of texts where there may be several; anything else as the text
 * of its variable. They are read and refused as variables are.
 */
export type ConfigOptions = OptionsOf<typeof settings.rows>

/** Every setting, in the order in which it is explained. */
export const SETTINGS: readonly Setting<unknown, never>[] = Object.values(settings.rows)
