/**
 * What is an account, and who is the caller?
 *
 * The schemas here check the fields that a person enters, wherever they come from. E-mail addresses are compared without regard to case,
 * and stored as they were given.
 */
import { domainToASCII } from "node:url"
import { Schema } from "effect"
import parseAddresses from "nodemailer/lib/addressparser"
import type { Plan } from "../plans/plans.ts"
import type { AccountRow, KeyRow } from "../storage/accounts-repository.ts"
import { abbreviateApiKey, type JudgedLimits, type KeyLimits, SCOPES } from "./key-limits.ts"

/** A name of a person, a team or a key: 1 to 100 characters on one line. */
export const NAME_PATTERN = /^(?=.*\S)[^\p{Cc}\p{Cs}]{1,100}$/u
export const Name = Schema.String.check(Schema.isPattern(NAME_PATTERN, { expected: "1 to 100 characters on one line" }))

// The letters of a local part (RFC 5322, section 3.2.3; RFC 6532 for other scripts), and the labels of a domain.
const ATOM = "[\\p{L}\\p{M}\\p{N}!#$%&'*+/=?^_`{|}~-]+"
const LABEL = "[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]{0,61}[\\p{L}\\p{M}\\p{N}])?"
const EMAIL_SHAPE = new RegExp(`^(?=.{3,254}$)${ATOM}(?:\\.${ATOM})*@(?:${LABEL}\\.)+(?!\\d+$)${LABEL}$`, "u")

/**
 * Says whether a text is an e-mail address and nothing else: no name, no brackets, no quotes, at most 254 characters (RFC 5321,
 * section 4.5.3.1.3). It is read by the parser that reads recipients when a mail is sent, so that a mail goes where the account
 * says. The placeholder addresses of erased accounts are refused: an account that registered one in advance would prevent the
 * erasure.
 *
 * @example
 * ```ts
 * isEmailAddress("ana@example.org") // => true
 * isEmailAddress("<ana@example.org") // => false
 * ```
 */
export function isEmailAddress(text: string): boolean {
  if (!EMAIL_SHAPE.test(text) || foldEmail(text).endsWith("@erased.invalid")) return false
  const [first, ...others] = parseAddresses(text)
  return first !== undefined && "address" in first && first.address === text && others.length === 0
}
export const EmailAddress = Schema.String.check(Schema.makeFilter(isEmailAddress, { expected: "an e-mail address" }))

/**
 * Writes an address as it is compared: composed (Unicode NFC) and in lower case.
 *
 * @example
 * ```ts
 * foldEmail("Ana.Lima@Example.COM") // => "ana.lima@example.com"
 * ```
 */
export function foldEmail(email: string): string {
  return email.normalize("NFC").toLowerCase()
}

/**
 * Names the mailbox of an address for limits and referrals: many providers ignore dots and the part after a plus sign, so that one person
 * has any number of addresses. A domain is written as mails are routed, so that its spelling in another script is the same domain.
 *
 * @example
 * ```ts
 * mailboxOf("Ana.Lima+visa@Example.org") // => "analima@example.org"
 * mailboxOf("ana@exämple.org") // => "ana@xn--exmple-cua.org"
 * ```
 */
export function mailboxOf(email: string): string {
  const folded = foldEmail(email)
  const at = folded.lastIndexOf("@")
  const local = folded.slice(0, at).split("+", 1)[0]?.replaceAll(".", "")
  const domain = domainToASCII(folded.slice(at + 1)) || folded.slice(at + 1)
  return `${local || folded.slice(0, at)}@${domain === "googlemail.com" ? "gmail.com" : domain}`
}

/** An account, as the rest of the service knows it. */
export const toAccount = (row: AccountRow) => ({
  id: row.id,
  name: row.name,
  email: row.email,
  plan: row.plan,
  /** Whether its owner has proved that the e-mail address is theirs. */
  isConfirmed: row.is_confirmed,
  /** Whether an operator has disabled it: none of its keys works then. */
  isDisabled: row.is_disabled,
  /** The version of the lookup that is answered where a request names none; null for the present one. */
  apiVersion: row.api_version,
  /** The language of mails that the service sends on its own; null for the service's default. */
  language: row.language,
  /** ISO 8601, UTC. */
  createdAt: row.created_at,
})

export type Account = Readonly<ReturnType<typeof toAccount>>

/** Says whether the person of an account was erased, so that only its number is left. */
export const isErased = ({ id, email }: Pick<Account, "id" | "email">): boolean =>
  email === `erased-${id}@erased.invalid`

/** The limits of a key; its row has lists separated by commas. */
export const readLimits = (row: Pick<KeyRow, "scopes" | "allowed_addresses" | "expires_at">): KeyLimits => ({
  scopes: SCOPES.filter(scope => row.scopes.split(",").includes(scope)),
  expiresAt: row.expires_at,
  allowedAddresses: row.allowed_addresses === "" ? [] : row.allowed_addresses.split(","),
})

/** A key of an account. */
export const describeKey = (row: KeyRow, key: string) => ({
  id: row.id,
  accountId: row.account_id,
  kind: row.kind,
  /** Its name; empty for an account's own. */
  name: row.name,
  isActive: row.is_active,
  /** Enough of it to recognise it. */
  keyPrefix: abbreviateApiKey(key),
  /** ISO 8601, UTC. */
  createdAt: row.created_at,
  ...readLimits(row),
  /** When it was replaced, as an epoch millisecond: it works until it expires. */
  replacedAt: row.replaced_at,
  /** The hour in which it was used last, as an epoch millisecond; null where it never was. */
  lastUsedAt: row.last_used_at,
  /** How much was charged to it. */
  used: row.used,
})

export type AccountKey = Readonly<ReturnType<typeof describeKey>>

/** The caller of a request: a key, its account, and the account's rights. Frozen and shared between requests. */
export interface Caller extends JudgedLimits {
  readonly keyId: number
  readonly accountId: number
  readonly plan: Plan
  readonly isConfirmed: boolean
  /** The version of the lookup that the account has pinned, or null. */
  readonly apiVersion: string | null
}
