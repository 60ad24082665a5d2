/** The contract of devices: numbers 1 and 2 are those of the plan free, made before they are asked for. */

import { embeddedDataset } from "../../src/index.ts"
import type { ContractRow } from "./contract-row.ts"
import type { Ask } from "./service.ts"

const { passports: PASSPORTS, destinations: DESTINATIONS } = embeddedDataset()
const DEVICES = "/api/v1/visa/devices"
const ONE = `${DEVICES}/{id}`
const TOKEN = "ab".repeat(32)
const DEVICE = { device_token: TOKEN, platform: "apns" }

const send = (method: string, body: unknown): Ask => ({
  method,
  headers: { "content-type": "application/json" },
  body: typeof body === "string" ? body : JSON.stringify(body),
})
const post = (body: unknown) => send("POST", body)
const patch = (body: unknown) => send("PATCH", body)
const remove: Ask = { method: "DELETE" }

const row = (
  claim: string,
  status: number,
  ask: Ask,
  { id, as = "free", ...rest }: Partial<ContractRow> & { readonly id?: string } = {},
): ContractRow => ({
  claim,
  endpoint: id === undefined ? DEVICES : ONE,
  path: id === undefined ? DEVICES : `${DEVICES}/${id}`,
  status,
  as,
  ask,
  ...rest,
})
const withoutKey = ({ as: _, ...rest }: ContractRow): ContractRow => rest
const error = (message: string) => ({ reads: { error: message } })
const LARGE = `"${"x".repeat(65_536)}"`

export const DEVICE_ROWS: readonly ContractRow[] = [
  ...[
    row("devices take a key", 401, post(DEVICE)),
    row("devices take a key", 401, patch({ lang: "fr" }), { id: "1" }),
  ].map(withoutKey),
  withoutKey(row("devices take a key", 401, remove, { id: "1" })),
  row("an unknown key is 403", 403, post(DEVICE), { as: "stranger" }),
  row("an unknown key is 403", 403, patch({ lang: "fr" }), { id: "1", as: "stranger" }),
  row("an unknown key is 403", 403, remove, { id: "1", as: "stranger" }),
  row("a device is registered on any plan", 200, post({ ...DEVICE, passports: ["FRA"], lang: "fr" }), {
    reads: { device_id: 1 },
    headers: { "x-ratelimit-limit": "100", "cache-control": /no-store/ },
  }),
  row("a token that is given again is the same device", 200, post({ ...DEVICE, device_token: TOKEN.toUpperCase() }), {
    reads: { device_id: 1 },
  }),
  row(
    "a device of the other service is registered",
    200,
    post({ device_token: `${"f".repeat(30)}:x`, platform: "fcm" }),
  ),
  row("a body that is not valid JSON is 400", 400, post("{"), error("The body is not valid JSON.")),
  row(
    "a service that there is not is 400",
    400,
    post({ ...DEVICE, platform: "wns" }),
    error("platform: Expected one of apns, fcm"),
  ),
  row(
    "a token that is none is 400, and is not repeated",
    400,
    post({ ...DEVICE, device_token: "secret" }),
    error("device_token: Expected a device token of APNs: 64 to 200 hexadecimal digits"),
  ),
  row(
    "a token that is shorter than those of the service is 400",
    400,
    post({ device_token: "f".repeat(19), platform: "fcm" }),
    error("device_token: Expected a registration token of FCM: 20 to 512 letters, digits and signs out of _ : . -"),
  ),
  row(
    "a token that is longer than those of the service is 400",
    400,
    post({ device_token: "f".repeat(513), platform: "fcm" }),
    error("device_token: Expected a registration token of FCM: 20 to 512 letters, digits and signs out of _ : . -"),
  ),
  row("a device follows at most 10 passports", 400, post({ ...DEVICE, passports: PASSPORTS.slice(0, 11) })),
  row("a device follows at most 100 destinations", 400, patch({ destinations: DESTINATIONS.slice(0, 101) }), {
    id: "1",
  }),
  row("an address that is not confirmed registers no device", 403, post(DEVICE), {
    as: "unconfirmed",
    reads: {
      error: "The e-mail address of this account is not confirmed.",
      message: "Nothing is stored for an account whose e-mail address is not confirmed: follow the mailed link first.",
    },
  }),
  row(
    "a code that is not recorded is 400",
    400,
    post({ ...DEVICE, passports: ["fra"] }),
    error('passports[0]: Expected ISO 3166-1 alpha-3 codes that are recorded, got "fra"'),
  ),
  row(
    "a field that nobody reads is 400",
    400,
    post({ ...DEVICE, passport: ["FRA"] }),
    error("passport: There is no such field; known: device_token, platform, passports, destinations, lang"),
  ),
  row("a body that is too large is 413", 413, post(LARGE)),
  row("a device is changed", 200, patch({ destinations: ["JPN"], lang: "ja" }), {
    id: "1",
    reads: { updated: true, device_id: 1 },
  }),
  row("a change of nothing is 400", 400, patch({}), {
    id: "1",
    ...error("Expected at least one of passports, destinations, lang, device_token"),
  }),
  row("a mistake is 400 before the device is looked up", 400, patch({ lang: "xx" }), { id: "1", as: "hobby" }),
  row("a token of the other service is 400", 400, patch({ device_token: "f".repeat(63) }), { id: "1" }),
  row("a language that there is not is 400", 400, patch({ lang: "xx" }), { id: "1" }),
  row("a platform cannot be changed", 400, patch({ platform: "fcm" }), { id: "1" }),
  row("a body that is too large is 413", 413, patch(LARGE), { id: "1" }),
  row("another account's device is 404", 404, patch({ lang: "fr" }), { id: "1", as: "hobby" }),
  row("another account's device is 404", 404, remove, {
    id: "1",
    as: "hobby",
    ...error("There is no device of this id."),
  }),
  row("an id that is not a number is 404", 404, remove, { id: "one" }),
  row("a device is ended", 200, remove, { id: "1", reads: { deleted: true, device_id: 1 } }),
  row("a device that was ended is 404", 404, remove, { id: "1" }),
]
