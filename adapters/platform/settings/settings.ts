/**
 * Which variables of the environment are there?
 *
 * One table, each with its unit, its default and what is allowed; `landfall serve --help` and docs/api.md print it. How they are read
 * together, and what follows from one for another, is in `config.ts`.
 */
import { BlockList, isIP } from "node:net"
import { Redacted } from "effect"
import { accountSettings } from "./account-settings.ts"
import { readAny, readFlag, readHttpUrl, type Setting, setting } from "./setting.ts"

export type { Setting } from "./setting.ts"

/** The surfaces that can be mounted. */
export const SURFACES = ["visa", "lookup", "spots", "mcp"] as const
/** One part of the service with paths of its own. */
export type Surface = (typeof SURFACES)[number]

/** How much is written to stderr; `debug` adds a line for each request. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Where the access log may go. */
export const ACCESS_LOGS = ["off", "stdout", "stderr"] as const
export type AccessLogPlace = (typeof ACCESS_LOGS)[number]

/** Longer than any balancer needs to notice. */
const MAXIMUM_DRAIN_SECONDS = 300

/** The proxies whose `X-Forwarded-For` is trusted. */
export interface TrustedProxies {
  readonly trusts: (address: string) => boolean
}

/** Writes a host and a port as the authority of a URL: IPv6 addresses in brackets. */
export function formatAuthority(host: string, port: number): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
}

/** Reads a host as it is listened on, without the brackets of an IPv6 address. A host that a URL cannot hold cannot be reached. */
function readHost(text: string): string | undefined {
  const host = text.replace(/^\[(.*)\]$/, "$1")
  const url = /[\s/@?#\\]/.test(host) ? null : URL.parse(`http://${formatAuthority(host, 1)}`)
  return url?.port === "1" ? host : undefined
}

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

function readPublicUrl(text: string): string | undefined {
  return readHttpUrl(text)?.href.replace(/\/+$/, "")
}

function readOrigin(text: string): string | undefined {
  const url = readHttpUrl(text)
  return url !== undefined && url.pathname === "/" ? url.origin : undefined
}

function readSecureOrigin(text: string): string | undefined {
  const origin = readOrigin(text)
  return origin?.startsWith("https:") ? origin : undefined
}

const readAppleId = (text: string): string | undefined => (/^[A-Z0-9]{10}$/.test(text) ? text : undefined)

function readDrainSeconds(text: string): number | undefined {
  return /^\d{1,3}(\.\d{1,3})?$/.test(text) && Number(text) <= MAXIMUM_DRAIN_SECONDS ? Number(text) : undefined
}

const MAXIMUM_WORKERS = 16

function readWorkers(text: string): number | undefined {
  return /^\d{1,2}$/.test(text) && Number(text) <= MAXIMUM_WORKERS ? Number(text) : undefined
}

const MAXIMUM_THREADS = 256

function readThreads(text: string): number | undefined {
  return /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= MAXIMUM_THREADS ? Number(text) : undefined
}

/** No proxy is trusted. */
export const noProxies: TrustedProxies = { trusts: () => false }

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

/** Every setting by the name that a program gives it. */
export const settings = {
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
    meaning: "Where accounts and usage are kept: a file, or a PostgreSQL that several processes share.",
    allowed: "file:PATH or postgres://USER:PASSWORD@HOST/DATABASE",
    isSecret: true,
    read: readAny,
  }),
  secret: setting({
    name: "LANDFALL_SECRET",
    unit: "text",
    default: "made at the first start, beside the database file",
    meaning: "The secret that seals API keys in the database: 32 bytes in base64, the same in every process.",
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
    meaning: "The parts of the service that are mounted.",
    allowed: `names out of ${SURFACES.join(", ")}, separated by commas`,
    read: readListOf(readOneOf(SURFACES)),
  }),
  datasetPath: setting({
    name: "LANDFALL_DATASET",
    unit: "path",
    default: "the embedded dataset",
    meaning: "A dataset file to answer from until one is installed.",
    allowed: "the path of a dataset file",
    read: readAny,
  }),
  datasetWatch: setting({
    name: "LANDFALL_DATASET_WATCH",
    unit: "path",
    default: "none",
    meaning: "A dataset file that is installed when it appears and whenever it changes.",
    allowed: "the path of a dataset file",
    read: readAny,
  }),
  pageSendsDataset: setting({
    name: "LANDFALL_PAGE_DATASET",
    unit: "true or false",
    default: "true",
    meaning:
      "Whether the page gets a dataset that is not the embedded one, whole and without a key, so that it says what the service says.",
    allowed: "true or false",
    read: readFlag,
  }),
  webhookAllowsPrivate: setting({
    name: "LANDFALL_WEBHOOK_ALLOW_PRIVATE",
    unit: "true or false",
    default: "false",
    meaning: "Whether webhooks may point to http and to private addresses; for development only.",
    allowed: "true or false",
    read: readFlag,
  }),
  apnsKeyFile: setting({
    name: "LANDFALL_APNS_KEY_FILE",
    unit: "path",
    default: "none",
    meaning: "The key (.p8) by which devices are reached over Apple's push service; without it nothing is sent there.",
    allowed: "the path of a PKCS #8 file",
    read: readAny,
  }),
  apnsKeyId: setting({
    name: "LANDFALL_APNS_KEY_ID",
    unit: "text",
    default: "none",
    meaning: "The id of that key.",
    allowed: "ten capital letters and digits",
    read: readAppleId,
  }),
  apnsTeamId: setting({
    name: "LANDFALL_APNS_TEAM_ID",
    unit: "text",
    default: "none",
    meaning: "The id of the team whose key it is.",
    allowed: "ten capital letters and digits",
    read: readAppleId,
  }),
  apnsTopic: setting({
    name: "LANDFALL_APNS_TOPIC",
    unit: "text",
    default: "none",
    meaning: "The bundle id of the app that is told.",
    allowed: "a bundle id such as org.example.app",
    read: text => (/^[\w.-]{1,200}$/.test(text) ? text : undefined),
  }),
  apnsUrl: setting({
    name: "LANDFALL_APNS_URL",
    unit: "URL",
    default: "https://api.push.apple.com",
    meaning: "Where Apple's push service is; https://api.sandbox.push.apple.com for apps in development.",
    allowed: "an https URL without user, path, query and fragment",
    read: readSecureOrigin,
  }),
  fcmServiceAccount: setting({
    name: "LANDFALL_FCM_SERVICE_ACCOUNT",
    unit: "path",
    default: "none",
    meaning:
      "The JSON of the service account by which devices are reached over Firebase Cloud Messaging; without it nothing is sent there.",
    allowed: "the path of a service account's JSON file",
    read: readAny,
  }),
  fcmUrl: setting({
    name: "LANDFALL_FCM_URL",
    unit: "URL",
    default: "https://fcm.googleapis.com",
    meaning: "Where Firebase Cloud Messaging is.",
    allowed: "an https URL without user, path, query and fragment",
    read: readSecureOrigin,
  }),
  workers: setting({
    name: "LANDFALL_WORKERS",
    unit: "number",
    default: "1",
    meaning:
      "How many dispatchers of webhook deliveries, and whether mails, jobs and pushes, run in this process; 0 where `landfall worker` runs elsewhere.",
    allowed: `a whole number from 0 to ${MAXIMUM_WORKERS}`,
    read: readWorkers,
  }),
  jobThreads: setting({
    name: "LANDFALL_JOB_THREADS",
    unit: "number",
    default: "1 in `landfall serve`, one for each core in `landfall worker`",
    meaning: "On how many cores this process judges jobs; with 1 it judges them between its other work.",
    allowed: `a whole number from 1 to ${MAXIMUM_THREADS}`,
    read: readThreads,
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
  accessLog: setting({
    name: "LANDFALL_ACCESS_LOG",
    unit: "name",
    default: "off",
    meaning: "Where a JSON object a line is written for each request, without key, query and address.",
    allowed: ACCESS_LOGS.join(", "),
    read: readOneOf(ACCESS_LOGS),
  }),
  drainSeconds: setting({
    name: "LANDFALL_DRAIN_SECONDS",
    unit: "seconds",
    default: "5 in production, else 0",
    meaning:
      "How long a service that is told to stop still answers, while /readyz is 503 and connections are told to close.",
    allowed: `a number from 0 to ${MAXIMUM_DRAIN_SECONDS}`,
    read: readDrainSeconds,
  }),
  ...accountSettings,
}

/** What a setting is read as. */
export type SettingValue<Name extends keyof typeof settings> =
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
