/** `/auth/ensure-key`, `/auth/regenerate-key`, `/auth/usage` and `PATCH /auth/account`: the actions of an account's owner in a session. */
import { Effect, Schema } from "effect"
import { isLanguage, LANGUAGES, type Language } from "../../../../src/full.ts"
import { foldEmail } from "../../../accounts/account.ts"
import { Accounts, exportAccount } from "../../../accounts/accounts.ts"
import { Sessions } from "../../../accounts/sessions.ts"
import { LOOKUP_VERSIONS, type LookupVersion } from "../../../answers/lookup-answer.ts"
import { Storage } from "../../../storage/storage.ts"
import { readBodyWith, showValue } from "../../../validation/fields.ts"
import { makeBody } from "../../pipeline/describe-row.ts"
import { endpoint } from "../../pipeline/endpoint.ts"
import { answerError, answerJson, NOT_STORED } from "../../pipeline/http-message.ts"
import { MountedSite } from "../../pipeline/process-state.ts"
import { clearSession } from "../../pipeline/session-cookie.ts"
import { cutPage, next_cursor, type PageAsked, pageBelow, pageParameters } from "../pages.ts"
import {
  accountOf,
  asQuestion,
  describeUsage,
  email,
  Plan,
  SignedOut,
  signedInOf,
  takesFields,
  USAGE_NEEDS,
  USER,
  User,
} from "./account-answers.ts"
import { TEAM_KEY, TeamKey } from "./key-endpoints.ts"

// `GET /api/v1/visa/audit`: changes of the account's keys, plan and address, with who made them.

const PAGE = 20

/** The changes, the newest first. */
const readAudit = endpoint("GET /api/v1/visa/audit", {
  name: "readAudit",
  surface: "visa",
  access: { kind: "key", scope: "team" },
  needs: { storage: Storage },
  parameters: pageParameters(PAGE),
  answer: ({ limit = PAGE, cursor }: PageAsked, context) => {
    const page = pageBelow({ limit, cursor })
    return Effect.map(context.storage.audit.listBelow(accountOf(context), page), found => {
      const { items: audit, next_cursor } = cutPage(found, page, ({ account_id: _, ...line }) => line)
      return answerJson(200, { audit, next_cursor }, NOT_STORED)
    })
  },
  summary: "Changes of the account",
  description:
    "Keys, plan, address and sessions of the account, the newest change first. No line holds a key or an address.",
  success: makeBody("AuditTrail", "Changes of keys, plan and address, the newest first.", {
    audit: Schema.Array(
      Schema.Struct({
        id: Schema.Int,
        at: Schema.String,
        actor: Schema.String.annotate({
          description:
            "Who made the change: `owner` (in a session), `key` (the holder of a key), `operator`, `payment` or `service`.",
        }),
        action: Schema.String,
        detail: Schema.String,
      }),
    ),
    next_cursor,
  }),
})

export const auditEndpoints = [readAudit] as const

const shared = { surface: "visa", access: { kind: "session" } } as const

/** For actions that show a key or cannot be undone. */
const FRESH = { kind: "session", isFresh: true } as const

const NO_KEY = answerError(404, "The account has no key to replace; GET /api/v1/visa/auth/ensure-key makes one.")

/** The account and its key; creates a key if there is none. */
const ensureKey = endpoint("GET /api/v1/visa/auth/ensure-key", {
  ...shared,
  access: FRESH,
  name: "ensureKey",
  needs: { accounts: Accounts },
  answer: (_, context) => {
    const { accounts } = context
    const { account } = signedInOf(context)
    return Effect.gen(function* () {
      const key = (yield* accounts.revealKey(account.id)) ?? (yield* accounts.ensureKey(account.id))
      return answerJson(200, { user: USER.write(account), api_key: key }, NOT_STORED)
    })
  },
  summary: "The account and its key",
  description:
    "The whole key; a new one if the account has none. 401 if the link of the session was followed more than an hour ago.",
  success: makeBody("UserWithKey", "The account and its whole key.", {
    user: User,
    api_key: Schema.String,
  }),
})

/** Reads whether team keys end too. The body is optional. */
const readReplacement = (body: string) =>
  readBodyWith(body.trim() === "" ? "{}" : body, ["end_team_keys"], ({ end_team_keys = false }, reader) => {
    if (typeof end_team_keys !== "boolean") reader.report("end_team_keys", "Expected true or false.")
    return { endsTeamKeys: end_team_keys === true }
  })

/** Explains what happens to other keys when the account's first key is replaced. */
function tellOfOtherKeys(count: number, endsTeamKeys: boolean): string {
  if (count === 0) return "The old key no longer works."
  if (endsTeamKeys) return "The old key and the others no longer work."
  return 'The old key no longer works; the others do. To end them too, send {"end_team_keys": true}.'
}

/** Replaces the account's first key, at once. */
export const regenerateKey = endpoint("POST /api/v1/visa/auth/regenerate-key", {
  ...shared,
  access: FRESH,
  name: "regenerateKey",
  takesBody: true,
  needs: { accounts: Accounts },
  read: ({ body }) => asQuestion(readReplacement(body)),
  answer: ({ endsTeamKeys }, context) => {
    const { accounts } = context
    const { account } = signedInOf(context)
    return Effect.gen(function* () {
      if ((yield* accounts.revealKey(account.id)) === null) return NO_KEY
      const { key, otherKeys } = yield* accounts.regenerateKey(account.id, { endsTeamKeys })
      const message = tellOfOtherKeys(otherKeys.length, endsTeamKeys)
      return answerJson(200, { api_key: key, message, team_keys: otherKeys.map(TEAM_KEY.write) }, NOT_STORED)
    })
  },
  summary: "Replace the key",
  description:
    "The old key stops working at once. Named keys and team keys stay valid and are listed, unless the optional body ends them too.",
  payload: makeBody("ReplaceKeyRequest", "The body is optional.", {
    end_team_keys: Schema.optionalKey(
      Schema.Boolean.annotate({
        description: "Whether named keys and team keys end too; false by default.",
      }),
    ),
  }),
  example: { end_team_keys: false },
  success: makeBody("KeyReplaced", "The new key; the old one no longer works.", {
    api_key: Schema.String,
    message: Schema.String,
    team_keys: Schema.Array(TeamKey).annotate({
      description: "The named keys and team keys that were active before.",
    }),
  }),
  errors: [404],
})

const PoolUsage = makeBody("PoolUsage", "One limit, with the use on each day of the month.", {
  limit: Schema.Int,
  used: Schema.Int,
  remaining: Schema.Int,
  resets_at: Schema.NullOr(Schema.String),
  days: Schema.Array(Schema.Struct({ on: Schema.String, used: Schema.Int })),
})

const readUsage = endpoint("GET /api/v1/visa/auth/usage", {
  ...shared,
  name: "usage",
  needs: USAGE_NEEDS,
  answer: (_, context) => {
    const { account } = signedInOf(context)
    return Effect.map(describeUsage(context, account, context.nowMs), usage => answerJson(200, usage, NOT_STORED))
  },
  summary: "The use of this month",
  description:
    "By limit and UTC day. A request is counted on the day on which it was saved, at most a second after it was answered.",
  success: makeBody(
    "Usage",
    "The use of this month (UTC) by limit and day; `used` of `lookup` covers the last thirty days.",
    {
      month: Schema.String,
      plan: Plan,
      pools: Schema.Struct({ visa: PoolUsage, lookup: PoolUsage, spots: PoolUsage }),
    },
  ),
})

/** Reads what changes; a version that is null pins none. */
const readChange = (body: string) =>
  readBodyWith(body, ["api_version", "lang"], (fields, reader) => {
    const { api_version, lang } = fields
    if (Object.keys(fields).length === 0)
      reader.report("", "Nothing to change: the body has to name api_version, lang, or both.")
    const isVersion = LOOKUP_VERSIONS.some(known => known === api_version)
    if (api_version !== undefined && api_version !== null && !isVersion)
      reader.report(
        "api_version",
        `Expected one of ${LOOKUP_VERSIONS.join(", ")}, or null, got ${showValue(api_version)}`,
      )
    if (lang !== undefined && !isLanguage(lang))
      reader.report("lang", `Expected one of ${LANGUAGES.join(", ")}, got ${showValue(lang)}`)
    return { version: api_version as LookupVersion | null | undefined, language: lang as Language | undefined }
  })

/** Pins the version of the lookup, and chooses the language of mails. */
const changeAccount = endpoint("PATCH /api/v1/visa/auth/account", {
  ...shared,
  name: "changeAccount",
  takesBody: true,
  needs: { accounts: Accounts },
  read: ({ body }) => asQuestion(readChange(body)),
  answer: ({ version, language }, context) => {
    const { accounts } = context
    const { account } = signedInOf(context)
    return Effect.gen(function* () {
      if (version !== undefined) yield* accounts.setApiVersion(account.id, version)
      if (language !== undefined) yield* accounts.setLanguage(account.id, language)
      const { apiVersion, language: before } = account
      const changed = {
        ...account,
        apiVersion: version === undefined ? apiVersion : version,
        language: language ?? before,
      }
      return answerJson(200, { user: USER.write(changed) }, NOT_STORED)
    })
  },
  summary: "Change the account",
  description: "Pins the lookup version for requests that name none, and chooses the language of mails.",
  payload: makeBody("AccountChange", "The fields to change, at least one.", {
    api_version: Schema.optionalKey(
      Schema.NullOr(Schema.Literals(LOOKUP_VERSIONS)).annotate({
        description: "The lookup version for requests that name none; null for the present one.",
      }),
    ),
    lang: Schema.optionalKey(Schema.Literals(LANGUAGES)).annotate({ description: "The language of mails." }),
  }),
  example: { lang: "fr" },
  success: makeBody("AccountChanged", "The account after the change.", { user: User }),
})

/** Everything that is stored about the account. */
const readAccount = endpoint("GET /api/v1/visa/auth/account", {
  ...shared,
  name: "exportAccount",
  isLarge: true,
  needs: { storage: Storage },
  answer: (_, context) => {
    const { account } = signedInOf(context)
    return Effect.map(Effect.provideService(exportAccount(account.id, context.nowMs), Storage, context.storage), data =>
      answerJson(200, data, [...NOT_STORED, "content-disposition", 'attachment; filename="landfall-account.json"']),
    )
  },
  summary: "All stored data of the account",
  description: "By table, without hashes and sealed texts.",
  sends: { 200: { "Content-Disposition": "A file to keep." } },
  success: makeBody("ExportedAccount", "All stored data of the account, rows by table.", {
    exported_at: Schema.String,
    account_id: Schema.Int,
    note: Schema.String,
    data: Schema.Record(Schema.String, Schema.Array(Schema.Record(Schema.String, Schema.Unknown))),
  }),
})

const listSessions = endpoint("GET /api/v1/visa/auth/sessions", {
  ...shared,
  name: "listSessions",
  needs: { sessions: Sessions },
  answer: (_, context) =>
    Effect.map(context.sessions.list(signedInOf(context)), found => {
      const sessions = found.map(({ beganAt, expiresAt, family, isCurrent }) => ({
        began_at: new Date(beganAt).toISOString(),
        expires_at: new Date(expiresAt).toISOString(),
        address_family: family,
        current: isCurrent,
      }))
      return answerJson(200, { sessions }, NOT_STORED)
    }),
  summary: "Open sessions",
  description: "The newest first. Of the user's network only IPv4 or IPv6 is stored.",
  success: makeBody("Sessions", "The open sessions of the account.", {
    sessions: Schema.Array(
      Schema.Struct({
        began_at: Schema.String,
        expires_at: Schema.String,
        address_family: Schema.NullOr(Schema.Literals(["IPv4", "IPv6"])),
        current: Schema.Boolean,
      }),
    ),
  }),
})

/** Ends every session of the account, including that of the request. */
const endSessions = endpoint("DELETE /api/v1/visa/auth/sessions", {
  ...shared,
  name: "endSessions",
  needs: { sessions: Sessions, site: MountedSite },
  answer: (_, context) => {
    const { sessions, site } = context
    const { account } = signedInOf(context)
    const done = answerJson(200, { ok: true }, [...NOT_STORED, ...clearSession(site)])
    return Effect.as(sessions.endAll(account.id), done)
  },
  summary: "Sign out everywhere",
  description: "Ends every session of the account, including that of the request.",
  sends: { 200: { "Set-Cookie": "Deletes the cookie `svc_token`." } },
  success: SignedOut,
})

const NOT_MEANT = answerError(400, "email: Expected the address of this account, so that nobody erases it by mistake.")

/** Erases the owner of the account, who confirms the address. */
export const eraseAccount = endpoint("POST /api/v1/visa/auth/account/erase", {
  ...shared,
  access: FRESH,
  name: "eraseAccount",
  ...takesFields({ email }),
  needs: { accounts: Accounts, site: MountedSite },
  answer: ({ email }, context) => {
    const { accounts, site } = context
    const { account } = signedInOf(context)
    if (foldEmail(email) !== foldEmail(account.email)) return NOT_MEANT
    const done = answerJson(200, { erased: true, account_id: account.id }, [...NOT_STORED, ...clearSession(site)])
    return Effect.as(accounts.erase(account.id), done)
  },
  summary: "Erase the account, for good",
  description:
    "Keys, sessions and webhooks are deleted and the address is free again; counts and payments are kept under the account's number, without personal data. The body repeats the address.",
  sends: { 200: { "Set-Cookie": "Deletes the cookie `svc_token`." } },
  success: makeBody("ErasedAccount", "The personal data were erased.", {
    erased: Schema.Boolean,
    account_id: Schema.Int,
  }),
  errors: [404, 409],
})

export const accountEndpoints = [
  ensureKey,
  regenerateKey,
  readUsage,
  changeAccount,
  listSessions,
  endSessions,
  readAccount,
  eraseAccount,
] as const
