/** What may a new key be used for? This is the one reader of such input, for HTTP, the page and the command line. */
import { FieldReader, type Fields, type ReadFields, sayExpected, showValue } from "../validation/fields.ts"
import { NAME_PATTERN } from "./account.ts"
import {
  type KeyLimits,
  type KeyMode,
  MAXIMUM_ADDRESSES,
  readAllowedAddress,
  SCOPES,
  TEAM_KEY_SCOPES,
} from "./key-limits.ts"

export interface NewKey extends KeyLimits {
  readonly name: string
  readonly mode: KeyMode
}

const FIELDS = ["name", "mode", "scopes", "expires_at", "allowed_addresses"] as const
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/

/** Reads an end in the future. */
function readEnd(reader: FieldReader, given: unknown, nowMs: number): number | null {
  if (given === undefined || given === null) return null
  const at = typeof given === "string" && INSTANT.test(given) ? Date.parse(given) : Number.NaN
  if (at > nowMs) return at
  reader.report(
    "expires_at",
    `Expected an instant in the future, such as 2030-01-01T00:00:00Z, got ${showValue(given)}`,
  )
  return null
}

/** Reads a requested key from a body, a form or a command; reports its mistakes. */
export function readNewKey(fields: Fields, nowMs: number): ReadFields<NewKey> {
  const reader = new FieldReader()
  reader.checkNames(fields, FIELDS)
  const { name, mode: givenMode = "live", scopes, expires_at, allowed_addresses = [] } = fields
  if (typeof name !== "string" || !NAME_PATTERN.test(name)) {
    const got = name === undefined ? "" : `, got ${showValue(name)}`
    reader.report("name", sayExpected("1 to 100 characters on one line", name) + got)
  }
  const found = reader.list("scopes", scopes, {
    expected: `one or more of ${SCOPES.join(", ")}`,
    atMost: SCOPES.length,
    readItem: text => SCOPES.find(scope => scope === text),
  })
  const mode = reader.oneOf<KeyMode>("mode", givenMode, ["live", "test"]) ?? "live"
  const forbidden = mode === "test" ? found.find(scope => !TEAM_KEY_SCOPES.includes(scope)) : undefined
  if (forbidden !== undefined) reader.report("scopes", `A test key may not have the scope ${forbidden}`)
  if (Array.isArray(scopes) && scopes.length === 0) reader.report("scopes", "Expected at least one scope")
  const allowedAddresses = reader.list("allowed_addresses", allowed_addresses, {
    expected: "an IP address or a CIDR block, such as 203.0.113.0/24",
    atMost: MAXIMUM_ADDRESSES,
    readItem: readAllowedAddress,
  })
  const expiresAt = readEnd(reader, expires_at, nowMs)
  const limits: NewKey = {
    name: typeof name === "string" ? name : "",
    mode,
    scopes: SCOPES.filter(scope => found.includes(scope)),
    expiresAt,
    allowedAddresses,
  }
  return reader.end(limits)
}
