/**
 * Which settings are there?
 *
 * One row each, in the order in which they are explained. To add one, write its row here and read its value where it is used. What several settings
 * mean together is in `config.ts` and in the features that take them. The rows name no package, because the declarations of `landfall/http` are made
 * from them.
 */
import { formatAuthority, isLoopbackHost, noProxies } from "../validation/addresses.ts"
import {
  adminTokens,
  appleId,
  baseUrl,
  chainAddress,
  feedKey,
  flag,
  follows,
  headers,
  host,
  hostAndPort,
  httpUrl,
  listOf,
  mailbox,
  matching,
  type OptionsOf,
  oneOf,
  origin,
  path,
  prices,
  processes,
  proxies,
  row,
  type Setting,
  Settings,
  seconds,
  secret,
  secureOrigin,
  share,
  smtpUrl,
  text,
  type ValuesOf,
  whole,
} from "./setting.ts"

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
