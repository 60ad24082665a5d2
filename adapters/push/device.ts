/**
 * What does the registration of a device contain?
 *
 * Its token, whose service it is for, what it follows and its language; an empty or missing list filters nothing. Every mistake is named
 * with its field, and a token is never repeated. Tokens and lists are as long as devices of people need, because what they follow is
 * stored, a row for each code.
 */
import type { Dataset } from "../../src/engine.ts"
import { LANGUAGES, type Language } from "../../src/full.ts"
import { type DeviceCodes, PLATFORMS, type Platform } from "../storage/devices-repository.ts"
import { FieldReader, type Fields, type ReadFields, readBody, sayExpected } from "../validation/fields.ts"

export interface DeviceRequest {
  readonly token: string
  readonly platform: Platform
  readonly lang: Language
  readonly codes: DeviceCodes
}

export interface DeviceChange {
  readonly token?: string
  readonly lang?: Language
  readonly codes: Partial<DeviceCodes>
}

/** A token of FCM has some 160 characters, and no length that is guaranteed. */
const LONGEST_FCM_TOKEN = 512

/** The most codes of each list; whoever follows more follows everything. */
const MOST_CODES = { passports: 10, destinations: 100 } as const

const TOKENS: Readonly<Record<Platform, { readonly expected: string; readonly form: RegExp }>> = {
  apns: { expected: "a device token of APNs: 64 to 200 hexadecimal digits", form: /^(?:[0-9a-fA-F]{2}){32,100}$/ },
  fcm: {
    expected: `a registration token of FCM: at most ${LONGEST_FCM_TOKEN} characters without blanks`,
    form: new RegExp(`^[\\w:.-]{20,${LONGEST_FCM_TOKEN}}$`),
  },
}

const FOLLOWED = ["passports", "destinations"] as const

/** Reads what requests that register and that change a device have in common. */
class DeviceReader extends FieldReader {
  readonly body: Fields
  readonly #dataset: Dataset

  constructor(body: Fields, known: readonly string[], dataset: Dataset) {
    super()
    this.body = body
    this.#dataset = dataset
    this.checkNames(body, known)
  }

  token(platform: Platform): string {
    const { device_token: token } = this.body
    const { expected, form } = TOKENS[platform]
    if (typeof token === "string" && form.test(token)) return platform === "apns" ? token.toLowerCase() : token
    this.report("device_token", sayExpected(expected, token))
    return ""
  }

  lang(): Language | undefined {
    return this.body.lang === undefined ? undefined : this.oneOf("lang", this.body.lang, LANGUAGES)
  }

  /** The lists that are given; one that is missing is left out. */
  codes(): Partial<DeviceCodes> {
    const given = FOLLOWED.filter(name => this.body[name] !== undefined)
    const readOf = (name: (typeof FOLLOWED)[number]) => ({
      expected: "ISO 3166-1 alpha-3 codes that are recorded",
      atMost: MOST_CODES[name],
      readItem: (code: string) => this.#dataset[name].find(known => known === code),
    })
    return Object.fromEntries(given.map(name => [name, this.list(name, this.body[name], readOf(name))]))
  }
}

export function readDevice(text: string, dataset: Dataset): ReadFields<DeviceRequest> {
  const body = readBody(text)
  if (!body.ok) return body
  const reader = new DeviceReader(body.value, ["device_token", "platform", ...FOLLOWED, "lang"], dataset)
  const platform = reader.oneOf("platform", body.value.platform, PLATFORMS) ?? "apns"
  const token = reader.token(platform)
  const lang = reader.lang() ?? "en"
  return reader.end({ token, platform, lang, codes: { passports: [], destinations: [], ...reader.codes() } })
}

/** Reads the body of a change; the form of a token depends on the platform of the device. */
export function readDeviceChange(text: string, dataset: Dataset, platform: Platform): ReadFields<DeviceChange> {
  const body = readBody(text)
  if (!body.ok) return body
  const known = [...FOLLOWED, "lang", "device_token"]
  const reader = new DeviceReader(body.value, known, dataset)
  if (Object.keys(body.value).length === 0) reader.report("", `Expected at least one of ${known.join(", ")}`)
  const lang = reader.lang()
  const codes = reader.codes()
  const token = body.value.device_token === undefined ? undefined : reader.token(platform)
  return reader.end({
    ...(token === undefined ? {} : { token }),
    ...(lang === undefined ? {} : { lang }),
    codes,
  })
}
