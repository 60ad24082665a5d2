/**
 * What does a registration of a device say?
 *
 * Its token, whose service it is for, what it follows and its language; an empty or missing list filters nothing. Every mistake
 * is named with its field, and a token is never repeated.
 */
import type { Dataset } from "../../../src/engine.ts"
import { isLanguage, LANGUAGES, type Language } from "../../../src/full.ts"
import type { RequestIssue } from "../../platform/fields/issue.ts"
import { type DeviceCodes, PLATFORMS, type Platform } from "../../platform/storage/devices-repository.ts"

/** A device to be registered. */
export interface DeviceRequest {
  readonly token: string
  readonly platform: Platform
  readonly lang: Language
  readonly codes: DeviceCodes
}

/** A change of a device. */
export interface DeviceChange {
  readonly token?: string
  readonly lang?: Language
  readonly codes: Partial<DeviceCodes>
}

/** What was read of a body, or every mistake in it. */
export type ReadDevice<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly issues: readonly RequestIssue[] }

const TOKENS: Readonly<Record<Platform, { readonly expected: string; readonly form: RegExp }>> = {
  apns: { expected: "a device token of APNs: 64 to 200 hexadecimal digits", form: /^(?:[0-9a-fA-F]{2}){32,100}$/ },
  fcm: { expected: "a registration token of FCM: at most 4096 characters without blanks", form: /^[\w:.-]{20,4096}$/ },
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Collects mistakes while a body is read. */
class Reader {
  readonly issues: RequestIssue[] = []
  readonly body: Record<string, unknown>

  constructor(text: string, known: readonly string[]) {
    let body: unknown
    try {
      body = JSON.parse(text)
    } catch {
      body = undefined
    }
    this.body = isObject(body) ? body : {}
    if (!isObject(body)) this.issues.push({ path: "", message: "Expected a JSON object" })
    for (const name of Object.keys(this.body)) {
      if (known.includes(name)) continue
      this.issues.push({ path: name.slice(0, 80), message: `There is no such field, known are ${known.join(", ")}` })
    }
  }

  token(platform: Platform): string {
    const { device_token: token } = this.body
    const { expected, form } = TOKENS[platform]
    if (typeof token === "string" && form.test(token)) return platform === "apns" ? token.toLowerCase() : token
    this.issues.push({ path: "device_token", message: `Expected ${expected}` })
    return ""
  }

  platform(): Platform {
    const found = PLATFORMS.find(platform => platform === this.body.platform)
    if (found === undefined) this.issues.push({ path: "platform", message: `Expected one of ${PLATFORMS.join(", ")}` })
    return found ?? "apns"
  }

  lang(): Language | undefined {
    const { lang } = this.body
    if (lang === undefined) return undefined
    if (typeof lang === "string" && isLanguage(lang)) return lang
    this.issues.push({ path: "lang", message: `Expected one of ${LANGUAGES.join(", ")}` })
    return undefined
  }

  codes(name: "passports" | "destinations", dataset: Dataset): readonly string[] | undefined {
    const value = this.body[name]
    if (value === undefined) return undefined
    const expected = "ISO 3166-1 alpha-3 codes that are recorded"
    if (!Array.isArray(value) || value.length > dataset.destinations.length) {
      this.issues.push({ path: name, message: `Expected a list of ${expected}` })
      return undefined
    }
    value.forEach((code, at) => {
      if (dataset[name].includes(code)) return
      const given = (JSON.stringify(code) ?? "nothing").slice(0, 80)
      this.issues.push({ path: `${name}[${at}]`, message: `Expected ${expected}, got ${given}` })
    })
    return [...new Set(value)] as readonly string[]
  }

  end<Value>(value: Value): ReadDevice<Value> {
    // Anything but an object would lack every field, which need not be listed.
    const whole = this.issues.filter(({ path }) => path === "")
    if (whole.length > 0) return { ok: false, issues: whole }
    return this.issues.length === 0 ? { ok: true, value } : { ok: false, issues: this.issues }
  }
}

/** Reads the body of a registration. */
export function readDevice(text: string, dataset: Dataset): ReadDevice<DeviceRequest> {
  const reader = new Reader(text, ["device_token", "platform", "passports", "destinations", "lang"])
  const platform = reader.platform()
  return reader.end({
    token: reader.token(platform),
    platform,
    lang: reader.lang() ?? "en",
    codes: {
      passports: reader.codes("passports", dataset) ?? [],
      destinations: reader.codes("destinations", dataset) ?? [],
    },
  })
}

/** Reads the body of a change; the form of a token depends on the platform of the device. */
export function readDeviceChange(text: string, dataset: Dataset, platform: Platform): ReadDevice<DeviceChange> {
  const known = ["passports", "destinations", "lang", "device_token"]
  const reader = new Reader(text, known)
  if (reader.issues.length === 0 && Object.keys(reader.body).length === 0) {
    reader.issues.push({ path: "", message: `Expected at least one of ${known.join(", ")}` })
  }
  const lang = reader.lang()
  const passports = reader.codes("passports", dataset)
  const destinations = reader.codes("destinations", dataset)
  const token = reader.body.device_token === undefined ? undefined : reader.token(platform)
  return reader.end({
    ...(token === undefined ? {} : { token }),
    ...(lang === undefined ? {} : { lang }),
    codes: {
      ...(passports === undefined ? {} : { passports }),
      ...(destinations === undefined ? {} : { destinations }),
    },
  })
}
