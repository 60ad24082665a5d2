/**
 * What can an operator set, and what holds when nothing is set?
 *
 * Everything is read once, at the start, from the table of `settings.ts`. A bad value stops the start: every mistake is reported, with the
 * variable's name, what was given and what is allowed; a secret is never repeated. An empty variable counts as not set.
 */
import { BlockList, isIP } from "node:net"
import { Config, Effect, Option, type Redacted, Schema } from "effect"
import type { Mailbox, PaymentOptions, PushConfig, StripeOptions } from "./feature-options.ts"
import {
  type AccessLogPlace,
  formatAuthority,
  type LogLevel,
  noProxies,
  type Setting,
  type SettingValue,
  SURFACES,
  type Surface,
  settings,
  type TrustedProxies,
} from "./settings.ts"

/** What the service runs with. */
export interface ServiceConfig extends PushConfig {
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
  /** A dataset file that is installed whenever it changes, or null. */
  readonly datasetWatch: string | null
  /** Whether the page gets the dataset of the service. */
  readonly pageSendsDataset: boolean
  /** Whether deliveries may go to http and private addresses. */
  readonly webhookAllowsPrivate: boolean
  /** How many dispatchers of deliveries run in this process. */
  readonly workers: number
  /** On how many threads jobs are judged; null where it is not set. */
  readonly jobThreads: number | null
  readonly mode: "development" | "production"
  readonly contact: string
  readonly logLevel: LogLevel
  readonly accessLog: AccessLogPlace
  /** How long a stopping service still answers. */
  readonly drainSeconds: number
  /** The server that mails leave by, or null. */
  readonly smtpUrl: Redacted.Redacted<string> | null
  readonly mailFrom: Mailbox
  /** Whether registering shows the whole key of a confirmed account. */
  readonly registerRevealsKey: boolean
  /** How payments are made, or null where nothing is sold. */
  readonly stripe: StripeOptions | null
  /** How single calls are paid for, or null where they are not sold. */
  readonly x402: PaymentOptions | null
}

/** The service was configured wrongly and did not start; one line for each variable. */
export class ConfigRefused extends Schema.TaggedError<ConfigRefused>()("ConfigRefused", {
  message: Schema.String,
  issues: Schema.Array(Schema.Struct({ name: Schema.String, message: Schema.String })),
}) {}

// IPv4 addresses in IPv6 form match the IPv4 entries.
const loopback = new BlockList()
loopback.addSubnet("127.0.0.0", 8, "ipv4")
loopback.addAddress("::1", "ipv6")

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
  const version = isIP(bare)
  if (version !== 0) return loopback.check(bare, version === 4 ? "ipv4" : "ipv6")
  return bare === "localhost" || bare.endsWith(".localhost")
}

/** Enough for a balancer that checks every second or two. */
const PRODUCTION_DRAIN_SECONDS = 5

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
  readonly datasetWatch?: string
  readonly webhookAllowsPrivate?: "true" | "false"
  readonly apnsKeyFile?: string
  readonly apnsKeyId?: string
  readonly apnsTeamId?: string
  readonly apnsTopic?: string
  readonly apnsUrl?: string
  readonly fcmServiceAccount?: string
  readonly fcmUrl?: string
  readonly workers?: number
  readonly jobThreads?: number
  readonly mode?: "development" | "production"
  readonly contact?: string
  readonly logLevel?: LogLevel
  readonly accessLog?: AccessLogPlace
  readonly drainSeconds?: number
  readonly smtpUrl?: string
  readonly mailFrom?: string
  readonly registerRevealsKey?: "true" | "false"
  readonly stripeSecretKey?: string
  readonly stripeWebhookSecret?: string
  readonly stripeApiBase?: string
  readonly stripePrices?: string
  readonly x402PayTo?: string
  readonly x402FacilitatorUrl?: string
  readonly x402Network?: string
  readonly x402Asset?: string
}

const isText = (value: unknown): value is string | number => typeof value === "string" || Number.isFinite(value)

/** The text of an option, as its variable would have it; null for a value of another kind. */
function writeOption(value: unknown): string | null {
  if (isText(value)) return String(value)
  return Array.isArray(value) && value.every(isText) ? value.join(",") : null
}

/** Reads an object of options by the names of the settings, and reports every other name and kind of value. */
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
      const found = isSecret ? "a value that is not a text" : (quote(JSON.stringify(value) ?? typeof value) as string)
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
 * Reads the configuration from the environment, or from another provider of configuration in scope. An option replaces its
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
  const mode = (yield* read("mode")) ?? (isLoopbackHost(host) ? "development" : "production")
  const stripeKey = yield* read("stripeSecretKey")
  const stripeSecret = yield* read("stripeWebhookSecret")
  const apiBase = (yield* read("stripeApiBase")) ?? null
  const prices = (yield* read("stripePrices")) ?? {}
  const isSold = stripeKey !== undefined && stripeSecret !== undefined
  const payTo = yield* read("x402PayTo")
  const facilitatorUrl = yield* read("x402FacilitatorUrl")
  const network = (yield* read("x402Network")) ?? "eip155:8453"
  const asset = (yield* read("x402Asset")) ?? "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
  const isPaidByCall = payTo !== undefined && facilitatorUrl !== undefined
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
    datasetWatch: (yield* read("datasetWatch")) ?? null,
    pageSendsDataset: (yield* read("pageSendsDataset")) ?? true,
    webhookAllowsPrivate: (yield* read("webhookAllowsPrivate")) ?? false,
    apnsKeyFile: (yield* read("apnsKeyFile")) ?? null,
    apnsKeyId: (yield* read("apnsKeyId")) ?? null,
    apnsTeamId: (yield* read("apnsTeamId")) ?? null,
    apnsTopic: (yield* read("apnsTopic")) ?? null,
    apnsUrl: (yield* read("apnsUrl")) ?? "https://api.push.apple.com",
    fcmServiceAccount: (yield* read("fcmServiceAccount")) ?? null,
    fcmUrl: (yield* read("fcmUrl")) ?? "https://fcm.googleapis.com",
    workers: (yield* read("workers")) ?? 1,
    jobThreads: (yield* read("jobThreads")) ?? null,
    mode,
    contact: (yield* read("contact")) ?? `${publicUrl}/docs`,
    logLevel: (yield* read("logLevel")) ?? "info",
    accessLog: (yield* read("accessLog")) ?? "off",
    smtpUrl: (yield* read("smtpUrl")) ?? null,
    mailFrom: (yield* read("mailFrom")) ?? { name: "Landfall", address: `noreply@${new URL(publicUrl).hostname}` },
    stripe: isSold ? { secretKey: stripeKey, webhookSecret: stripeSecret, apiBase, prices } : null,
    x402: isPaidByCall ? { payTo, facilitatorUrl, network, asset } : null,
    registerRevealsKey: (yield* read("registerRevealsKey")) ?? false,
    drainSeconds: (yield* read("drainSeconds")) ?? (mode === "production" ? PRODUCTION_DRAIN_SECONDS : 0),
  }
  if (issues.length === 0) return config
  return yield* new ConfigRefused({ message: issues.map(issue => issue.message).join("\n"), issues })
})
