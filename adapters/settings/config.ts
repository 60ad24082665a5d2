/**
 * What is the configuration of the service?
 *
 * Everything is read once, at the start, from the rows of `settings.ts`. A bad value stops the start: every mistake is reported, with the
 * variable's name, the given and the allowed values; a secret is never repeated. An empty variable counts as not set.
 */
import { Context, Effect, Redacted, Schema } from "effect"
import { isLoopbackHost } from "../validation/addresses.ts"
import type { PaymentOptions, StripeOptions } from "./feature-options.ts"
import {
  type ConfigOptions,
  nameNearest,
  SETTINGS,
  type Setting,
  type SettingIssue,
  Settings,
  type SettingValues,
  settings,
} from "./settings.ts"

/** The variables of this process, or others in their place. */
export const Environment = Context.Reference<Readonly<Record<string, string | undefined>>>(
  "landfall/settings/Environment",
  { defaultValue: () => process.env },
)

// Which environment variables look like settings of the service, but are not?
// A misspelt variable changes nothing, which is easy to overlook. So every unknown variable with the prefix of the settings is logged at the start, with the setting whose name is most
// similar. Its value is not shown.

/** A variable of the service, but not of the test suite. */
const OWN = /^LANDFALL(?:_(?!TEST_)|$)/

/**
 * Says of a variable that it is not a setting.
 *
 * @example
 * ```ts
 * describeUnknown("LANDFALL_PROT") // => "LANDFALL_PROT is not a setting and changes nothing; LANDFALL_PORT is the nearest."
 * describeUnknown("LANDFALL_COLOUR_OF_THE_SEA") // => "LANDFALL_COLOUR_OF_THE_SEA is not a setting and changes nothing."
 * ```
 */
export function describeUnknown(name: string): string {
  const hint = nameNearest(
    name,
    SETTINGS.map(setting => setting.name),
  )
  return `${name} is not a setting and changes nothing${hint}.`
}

/** Says in the log of each variable that was meant for the service and is not a setting. */
export const warnOfUnknownVariables: Effect.Effect<void> = Effect.gen(function* () {
  const names = Object.entries(yield* Environment).flatMap(([name, text]) => (text === undefined ? [] : [name]))
  const unknown = names.filter(name => OWN.test(name) && SETTINGS.every(setting => setting.name !== name))
  yield* Effect.forEach(unknown.sort(), name => Effect.logWarning(describeUnknown(name)), { discard: true })
})

type Secret = Redacted.Redacted<string>

/** The settings that are not used one by one, but together or as a secret. */
type Joined = Extract<keyof SettingValues, "secret" | "smtpUrl" | `stripe${string}` | `x402${string}`>

/** The configuration of the service. */
export interface ServiceConfig extends Omit<SettingValues, Joined> {
  readonly secret: Secret | undefined
  /** The mail server, or null. */
  readonly smtpUrl: Secret | null
  /** The options of payments, or null if nothing is sold. */
  readonly stripe: StripeOptions | null
  /** The options of payments for single calls, or null if they are not sold. */
  readonly x402: PaymentOptions | null
}

/** The service was configured wrongly and did not start; one line for each variable. */
export class ConfigRefused extends Schema.TaggedError<ConfigRefused>()("ConfigRefused", {
  message: Schema.String,
  issues: Schema.Array(Schema.Struct({ name: Schema.String, message: Schema.String })),
}) {}

const refuse = (issues: readonly SettingIssue[]) =>
  new ConfigRefused({ message: issues.map(({ message }) => message).join("\n"), issues })

/** Reads one setting that follows from no other. Fails with `ConfigRefused`. */
export const readSetting = <Value>(setting: Setting<Value>): Effect.Effect<Value, ConfigRefused> =>
  Effect.gen(function* () {
    const variables = yield* Environment
    const read = new Settings({ setting }).read(name => variables[name])
    return read.ok ? (read.values.setting as Value) : yield* refuse(read.issues)
  })

/** Wraps a secret, so that it is not printed with the object that contains it. */
export const keepSecret = (text: string | null): Secret | null => (text === null ? null : Redacted.make(text))

/** Finds settings that are valid but cannot work together. */
function findUnfit(
  {
    adminListen,
    adminTokens,
    datasetFeed,
    datasetKeys,
    host,
    mode,
    port,
    publicUrl,
    stripeSecretKey,
    stripeWebhookSecret,
  }: SettingValues,
  { knowsPublicUrl }: { readonly knowsPublicUrl: boolean },
): SettingIssue[] {
  const issues: SettingIssue[] = []
  const note = ({ name }: Setting<unknown, never>, because: string) =>
    issues.push({ name, message: `${name}: it has to be set, because ${because}.` })
  if (!isLoopbackHost(host) && !knowsPublicUrl)
    note(settings.rows.publicUrl, `others can reach the host ${host}, and mailed links lead to the public address`)
  if (mode === "development" && !isLoopbackHost(new URL(publicUrl).hostname)) {
    const { name } = settings.rows.mode
    const message = `${name}: it has to be production, or left out, with the public address ${publicUrl}, because development makes demo keys and logs mailed links.`
    issues.push({ name, message })
  }
  if (datasetFeed !== null && datasetKeys.length === 0)
    note(settings.rows.datasetKeys, "a feed is verified by its keys alone")
  if (stripeSecretKey !== null && stripeWebhookSecret === null)
    note(settings.rows.stripeWebhookSecret, "with a key of Stripe alone a plan is paid for and never given")
  if (adminListen !== null && adminTokens.length === 0)
    note(settings.rows.adminTokens, "without tokens everybody who reaches the operators' address could do everything")
  if (adminListen !== null && adminListen.port === port && port !== 0) {
    const { name } = settings.rows.adminListen
    issues.push({ name, message: `${name}: it has to be another port than the service's, ${port}.` })
  }
  return issues
}

/**
 * Reads the configuration from the environment. An option replaces its variable;
 * defaults that depend on it (the mode on the host, the contact on the public address) use the given value. NODE_ENV=production makes production
 * the default of the mode.
 *
 * Fails with `ConfigRefused`, which names every invalid variable and option.
 */
export const readConfig = Effect.fnUntraced(function* (
  options: ConfigOptions = {},
  defaults: Partial<Pick<SettingValues, "host">> = {},
): Effect.fn.Return<ServiceConfig, ConfigRefused> {
  const variables = yield* Environment
  const read = settings.read(name => variables[name], options, {
    ...(variables.NODE_ENV?.trim().toLowerCase() === "production" ? { mode: "production" } : {}),
    ...defaults,
  })
  if (!read.ok) return yield* refuse(read.issues)
  const knowsPublicUrl = `${options.publicUrl ?? variables[settings.rows.publicUrl.name] ?? ""}`.trim() !== ""
  const unfit = findUnfit(read.values, { knowsPublicUrl: knowsPublicUrl || defaults.host !== undefined })
  if (unfit.length > 0) return yield* refuse(unfit)
  const { secret, smtpUrl, stripeSecretKey, stripeWebhookSecret, stripeApiBase, stripePrices, ...others } = read.values
  const { x402PayTo: payTo, x402FacilitatorUrl, x402Network: network, x402Asset: asset, ...config } = others
  const [secretKey, webhookSecret] = [keepSecret(stripeSecretKey), keepSecret(stripeWebhookSecret)]
  const isSold = secretKey !== null && webhookSecret !== null
  const isPaidByCall = payTo !== null && x402FacilitatorUrl !== null
  return {
    ...config,
    secret: keepSecret(secret) ?? undefined,
    smtpUrl: keepSecret(smtpUrl),
    stripe: isSold ? { secretKey, webhookSecret, apiBase: stripeApiBase, prices: stripePrices } : null,
    x402: isPaidByCall ? { payTo, facilitatorUrl: x402FacilitatorUrl, network, asset } : null,
  }
})
