/**
 * What can an operator set, and what holds when nothing is set?
 *
 * One table of environment variables, each with its unit, its default and what is allowed; `landfall serve --help` and
 * docs/api.md print it. Everything is read once, at the start. A bad value stops the start: every mistake is reported, with the
 * variable's name, what was given and what is allowed; a secret is never repeated. An empty variable counts as not set.
 */
import { BlockList, isIP } from "node:net"
import { Config, Effect, Option, Redacted, Schema } from "effect"

/** The surfaces that can be mounted. */
export const SURFACES = ["visa", "lookup", "spots", "mcp"] as const
/** One part of the service with paths of its own. */
export type Surface = (typeof SURFACES)[number]

/** How much is written to stderr; `debug` adds a line for each request. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Whose `X-Forwarded-For` is believed. */
export interface TrustedProxies {
  readonly trusts: (address: string) => boolean
}

/** What the service runs with. */
export interface ServiceConfig {
  readonly host: string
  readonly port: number
  readonly databaseUrl: string
  readonly secret: Redacted.Redacted<string> | undefined
  /** The address under which clients reach the service, without a slash at its end. */
  readonly publicUrl: string
  readonly siteOrigins: readonly string[]
  readonly trustedProxies: TrustedProxies
  readonly surfaces: readonly Surface[]
  /** A dataset file, or null for the embedded dataset. */
  readonly datasetPath: string | null
  readonly mode: "development" | "production"
  readonly contact: string
  readonly logLevel: LogLevel
}

/** The service was configured wrongly and did not start; one line for each variable. */
export class ConfigRefused extends Schema.TaggedError<ConfigRefused>()("ConfigRefused", {
  message: Schema.String,
  issues: Schema.Array(Schema.Struct({ name: Schema.String, message: Schema.String })),
}) {}

interface Setting<Value> {
  readonly name: `LANDFALL_${string}`
  readonly unit: string
  readonly default: string
  readonly meaning: string
  readonly allowed: string
  readonly isSecret?: true
  /** Reads a text, or answers undefined when it is not allowed. */
  readonly read: (text: string) => Value | undefined
}

const setting = <Value>(definition: Setting<Value>): Setting<Value> => definition

/** Reads a host as it is listened on, without the brackets of an IPv6 address. What a URL cannot name cannot be reached. */
function readHost(text: string): string | undefined {
  const host = text.replace(/^\[(.*)\]$/, "$1")
  const url = /[\s/@?#\\]/.test(host) ? null : URL.parse(`http://${formatAuthority(host, 1)}`)
  return url?.port === "1" ? host : undefined
}

const readAny = (text: string): string => text

const readOneOf =
  <const Choice extends string>(choices: readonly Choice[]) =>
  (text: string): Choice | undefined =>
    choices.find(choice => choice === text)

function readListOf<Item>(readItem: (text: string) => Item | undefined) {
  return (text: string): readonly Item[] | undefined => {
    const items = text.split(",").map(item => readItem(item.trim()))
    return items.every(item => item !== undefined) ? items : undefined
  }
}

function readPort(text: string): number | undefined {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined
}

function readHttpUrl(text: string): URL | undefined {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined
  // Every answer would repeat a password.
  return `${url.username}${url.password}${url.search}${url.hash}` === "" ? url : undefined
}

function readPublicUrl(text: string): string | undefined {
  return readHttpUrl(text)?.href.replace(/\/+$/, "")
}

function readOrigin(text: string): string | undefined {
  const url = readHttpUrl(text)
  return url !== undefined && url.pathname === "/" ? url.origin : undefined
}

const noProxies: TrustedProxies = { trusts: () => false }

function readProxies(text: string): TrustedProxies | undefined {
  const list = new BlockList()
  for (const item of text.split(",")) {
    const [address = "", prefix, ...rest] = item.trim().split("/")
    const version = isIP(address)
    const width = version === 4 ? 32 : 128
    if (version === 0 || rest.length > 0) return undefined
    if (prefix !== undefined && !(/^\d{1,3}$/.test(prefix) && Number(prefix) <= width)) return undefined
    list.addSubnet(address, prefix === undefined ? width : Number(prefix), version === 4 ? "ipv4" : "ipv6")
  }
  return {
    trusts: address => {
      const version = isIP(address)
      return version !== 0 && list.check(address, version === 4 ? "ipv4" : "ipv6")
    },
  }
}

const settings = {
  host: setting({
    name: "LANDFALL_HOST",
    unit: "name or address",
    default: "127.0.0.1",
    meaning:
      "Where the server listens. Keyless checks without an Origin header are only answered on a loopback address.",
    allowed: "a host name or an IP address",
    read: readHost,
  }),
  port: setting({
    name: "LANDFALL_PORT",
    unit: "TCP port",
    default: "8787",
    meaning: "The port; 0 takes any that is free.",
    allowed: "a whole number from 0 to 65535",
    read: readPort,
  }),
  databaseUrl: setting({
    name: "LANDFALL_DATABASE_URL",
    unit: "URL",
    default: "file:./landfall.db",
    meaning: "Where accounts and usage are kept.",
    allowed: "file:PATH",
    isSecret: true,
    read: readAny,
  }),
  secret: setting({
    name: "LANDFALL_SECRET",
    unit: "text",
    default: "made at the first start, beside the database",
    meaning: "The secret that seals API keys in the database.",
    allowed: "the text of a secret",
    isSecret: true,
    read: text => Redacted.make(text),
  }),
  publicUrl: setting({
    name: "LANDFALL_PUBLIC_URL",
    unit: "URL",
    default: "http://HOST:PORT",
    meaning: "The address under which clients reach the service; its origin may check without a key.",
    allowed: "an http or https URL without user, query and fragment",
    read: readPublicUrl,
  }),
  siteOrigins: setting({
    name: "LANDFALL_SITE_ORIGINS",
    unit: "origins, by commas",
    default: "none",
    meaning: "More origins that may check without a key.",
    allowed: "origins such as https://example.org, separated by commas",
    read: readListOf(readOrigin),
  }),
  trustedProxies: setting({
    name: "LANDFALL_TRUSTED_PROXIES",
    unit: "addresses or CIDR blocks, by commas",
    default: "none",
    meaning: "The proxies whose X-Forwarded-For names the client.",
    allowed: "IP addresses or CIDR blocks such as 10.0.0.0/8, separated by commas",
    read: readProxies,
  }),
  surfaces: setting({
    name: "LANDFALL_SURFACES",
    unit: "names, by commas",
    default: SURFACES.join(","),
    meaning: "The parts of the service that are mounted; lookup, spots and mcp have no endpoints yet.",
    allowed: `names out of ${SURFACES.join(", ")}, separated by commas`,
    read: readListOf(readOneOf(SURFACES)),
  }),
  datasetPath: setting({
    name: "LANDFALL_DATASET",
    unit: "path",
    default: "the embedded dataset",
    meaning: "A dataset file to answer from.",
    allowed: "the path of a dataset file",
    read: readAny,
  }),
  mode: setting({
    name: "LANDFALL_MODE",
    unit: "name",
    default: "development on a loopback host, else production",
    meaning: "In development the first start makes a demo account for each plan and prints its key.",
    allowed: "development or production",
    read: readOneOf(["development", "production"]),
  }),
  contact: setting({
    name: "LANDFALL_CONTACT",
    unit: "text",
    default: "PUBLIC_URL/docs",
    meaning: "Where clients can ask; answers that need a person name it.",
    allowed: "an address or a URL",
    read: readAny,
  }),
  logLevel: setting({
    name: "LANDFALL_LOG_LEVEL",
    unit: "name",
    default: "info",
    meaning: "How much is written to stderr, a JSON object a line; debug adds a line for each request.",
    allowed: LOG_LEVELS.join(", "),
    read: readOneOf(LOG_LEVELS),
  }),
}

type SettingValue<Name extends keyof typeof settings> =
  (typeof settings)[Name] extends Setting<infer Value> ? Value : never

/** One row of the table of settings. */
export interface SettingDescription {
  readonly name: string
  readonly unit: string
  readonly default: string
  readonly meaning: string
}

/** Every setting, in the order in which it is explained. */
export const SETTINGS: readonly SettingDescription[] = Object.values(settings).map(
  ({ name, unit, default: standard, meaning }) => ({ name, unit, default: standard, meaning }),
)

/**
 * Says whether a host is reached from this machine only.
 *
 * @example
 * ```ts
 * isLoopbackHost("localhost") // => true
 * isLoopbackHost("::1") // => true
 * isLoopbackHost("0.0.0.0") // => false
 * ```
 */
export function isLoopbackHost(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, "$1").toLowerCase()
  if (isIP(bare) === 4) return bare.startsWith("127.")
  return bare === "localhost" || bare.endsWith(".localhost") || bare === "::1" || bare.startsWith("::ffff:127.")
}

/** Writes a host and a port as the authority of a URL: IPv6 addresses in brackets. */
export function formatAuthority(host: string, port: number): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
}

interface ConfigIssue {
  readonly name: string
  readonly message: string
}

/** Where a setting's text comes from, and by what name it is reported. */
interface GivenText {
  readonly name: string
  readonly text: string
}

const quote = (text: string): string => `"${text.length > 80 ? `${text.slice(0, 80)}…` : text}"`

/** Reads the text of one setting; undefined when there is none, or when it is refused and reported. */
function readText<Value>(
  { allowed, isSecret, read }: Setting<Value>,
  given: GivenText | undefined,
  report: (issue: ConfigIssue) => void,
): Value | undefined {
  const text = given?.text.trim() ?? ""
  if (given === undefined || text === "") return undefined
  const value = read(text)
  const found = isSecret ? "a value" : quote(text)
  if (value === undefined) {
    report({ name: given.name, message: `${given.name}: ${found} was given; allowed is ${allowed}.` })
  }
  return value
}

/**
 * Settings by name, in place of their variables: a text each, as the environment would have it, or a list of texts where there may be
 * several. They are read and refused as variables are.
 */
export interface ConfigOptions {
  readonly host?: string
  readonly port?: number
  readonly databaseUrl?: string
  readonly secret?: string
  readonly publicUrl?: string
  readonly siteOrigins?: readonly string[]
  readonly trustedProxies?: readonly string[]
  readonly surfaces?: readonly Surface[]
  readonly datasetPath?: string
  readonly mode?: "development" | "production"
  readonly contact?: string
  readonly logLevel?: LogLevel
}

const isText = (value: unknown): value is string | number => typeof value === "string" || Number.isFinite(value)

/** The text of an option, as its variable would have it; null for a value of another kind. */
function writeOption(value: unknown): string | null {
  if (isText(value)) return String(value)
  return Array.isArray(value) && value.every(isText) ? value.join(",") : null
}

/** Reads what stands in an object of options by the names of the settings, and reports every other name and kind of value. */
function readOptions(options: unknown, report: (issue: ConfigIssue) => void): Map<string, GivenText> {
  const texts = new Map<string, GivenText>()
  if (options === undefined) return texts
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    report({ name: "options", message: `options: an object of settings is expected, not ${quote(String(options))}.` })
    return texts
  }
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue
    if (!Object.hasOwn(settings, name)) {
      const known = Object.keys(settings).join(", ")
      report({ name, message: `${name}: there is no such option; known are ${known}.` })
      continue
    }
    const { allowed, isSecret } = settings[name as keyof typeof settings]
    const text = writeOption(value)
    if (text !== null) texts.set(name, { name, text })
    else {
      const found = isSecret ? "a value that is no text" : (quote(JSON.stringify(value) ?? typeof value) as string)
      report({ name, message: `${name}: ${found} was given; allowed is ${allowed}.` })
    }
  }
  return texts
}

/** The variable of a setting. */
const readVariable = ({ name }: { readonly name: string }) =>
  Effect.map(
    Effect.orDie(Config.option(Config.String(name))),
    Option.match({ onNone: () => undefined, onSome: (text): GivenText => ({ name, text }) }),
  )

/**
 * Reads the configuration from the environment, or whatever provider of configuration is in scope. An option takes the place of its
 * variable, and what follows from it (the mode from the host, the contact from the public address) follows from what is given.
 *
 * Fails with `ConfigRefused`, which names every variable and every option that is wrong.
 */
export const readConfig = Effect.fnUntraced(function* (
  options: ConfigOptions = {},
  defaultHost = "127.0.0.1",
): Effect.fn.Return<ServiceConfig, ConfigRefused> {
  const issues: ConfigIssue[] = []
  const report = (issue: ConfigIssue) => issues.push(issue)
  const texts = readOptions(options, report)
  const read = <Name extends keyof typeof settings>(name: Name) =>
    Effect.map(texts.has(name) ? Effect.succeed(texts.get(name)) : readVariable(settings[name]), given =>
      readText<SettingValue<Name>>(settings[name] as never, given, report),
    )

  const host = (yield* read("host")) ?? defaultHost
  const port = (yield* read("port")) ?? 8787
  const publicUrl = (yield* read("publicUrl")) ?? `http://${formatAuthority(host, port)}`
  const config: ServiceConfig = {
    host,
    port,
    databaseUrl: (yield* read("databaseUrl")) ?? "file:./landfall.db",
    secret: yield* read("secret"),
    publicUrl,
    siteOrigins: (yield* read("siteOrigins")) ?? [],
    trustedProxies: (yield* read("trustedProxies")) ?? noProxies,
    surfaces: (yield* read("surfaces")) ?? SURFACES,
    datasetPath: (yield* read("datasetPath")) ?? null,
    mode: (yield* read("mode")) ?? (isLoopbackHost(host) ? "development" : "production"),
    contact: (yield* read("contact")) ?? `${publicUrl}/docs`,
    logLevel: (yield* read("logLevel")) ?? "info",
  }
  if (issues.length === 0) return config
  return yield* new ConfigRefused({ message: issues.map(issue => issue.message).join("\n"), issues })
})
