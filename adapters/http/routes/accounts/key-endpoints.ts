/**
 * `/api/v1/visa/keys`: the keys of the account, each with a name, scopes, and optionally an end and the addresses that may use it.
 *
 * They need a key with the scope `team`. A key cannot give more rights than it has: other keys have at most its scopes, and a key that
 * expires or is bound to addresses cannot make keys.
 */
import { Effect, Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import type { AccountKey, Caller } from "../../../accounts/account.ts"
import { Accounts, MAXIMUM_NAMED_KEYS, type MadeKey } from "../../../accounts/accounts.ts"
import { judgeHandingOut, SCOPES, type Scope, TEAM_KEY_SCOPES } from "../../../accounts/key-limits.ts"
import { type NewKey, readNewKey } from "../../../accounts/read-new-key.ts"
import { formatInstant } from "../../../time/utc-calendar.ts"
import { readBody } from "../../../validation/fields.ts"
import { fieldsFrom, makeBody } from "../../pipeline/describe-row.ts"
import { type AnswerContext, type ContextOf, endpoint, idOf, type ReadQuestion } from "../../pipeline/endpoint.ts"
import { type Answer, answerJson, NOT_STORED } from "../../pipeline/http-message.ts"
import { cutPage, next_cursor, type PageAsked, pageAbove, WHOLE_PAGE } from "../pages.ts"
import { accountOf, asQuestion, name, takesFields } from "./account-answers.ts"

export const TEAM_KEY = fieldsFrom<AccountKey>()({
  id: Schema.Int,
  name: Schema.String,
  active: [Schema.Boolean, ({ isActive }) => isActive],
  key_prefix: Schema.String,
  created_at: Schema.String,
})

export const TeamKey = makeBody("TeamKey", "A key that shares the account's quota.", TEAM_KEY.schemas)

const KeyScope = Schema.Literals(SCOPES)

const KEY = fieldsFrom<AccountKey>()({
  id: Schema.Int,
  kind: Schema.Literals(["account", "named", "team", "test"]).annotate({
    description: "`account`: the first key; `team`: a team key; `test`: a test key.",
  }),
  name: Schema.String.annotate({ description: "Empty for the first key." }),
  active: [Schema.Boolean, ({ isActive }) => isActive],
  key_prefix: Schema.String,
  scopes: Schema.Array(KeyScope),
  allowed_addresses: Schema.Array(Schema.String).annotate({
    description: "The addresses and CIDR blocks from which it works; empty for all.",
  }),
  expires_at: [Schema.NullOr(Schema.String), ({ expiresAt }) => formatInstant(expiresAt)],
  replaced_at: [
    Schema.NullOr(Schema.String).annotate({ description: "When it was replaced; null if it was not." }),
    ({ replacedAt }) => formatInstant(replacedAt),
  ],
  last_used_at: [
    Schema.NullOr(Schema.String).annotate({ description: "The hour of its last use; null if it was never used." }),
    ({ lastUsedAt }) => formatInstant(lastUsedAt),
  ],
  used: Schema.Int.annotate({ description: "The number of requests that were charged to it." }),
  created_at: Schema.String,
})

const Key = makeBody("Key", "A key of the account.", KEY.schemas)

const WHOLE = { key: Schema.String.annotate({ description: "The whole key, shown only in this answer." }) }
const KeyMade = makeBody("KeyMade", "The new key, whole.", {
  key: Schema.Struct({ ...KEY.schemas, ...WHOLE }),
  message: Schema.String,
})

const shared = { surface: "visa", access: { kind: "key", scope: "team" }, needs: { accounts: Accounts } } as const
const id = idOf({ description: "The id of the key." })

/** Refuses a key that would give more rights than it has; null if it is allowed. */
function refuseHandingOut({ caller }: AnswerContext, scopes: readonly Scope[]): Answer | null {
  const refusal = judgeHandingOut(caller as Caller, scopes)
  if (refusal === null) return null
  const error = "This API key may not make or replace such a key."
  const body =
    refusal.kind === "bound"
      ? { error, message: "A key that expires or is bound to addresses cannot make other keys." }
      : { error, message: `It does not have the scope ${refusal.scope}.`, required_scope: refusal.scope }
  return answerJson(403, body, NOT_STORED)
}

/** Lists keys, of a kind if one is given. */
const listing = (name: "keys" | "team_keys", write: (key: AccountKey) => object, kind?: "team") => ({
  parameters: WHOLE_PAGE,
  answer: (asked: PageAsked, context: ContextOf<typeof shared.needs>) => {
    const page = pageAbove(asked)
    return Effect.map(context.accounts.listKeyPage(accountOf(context), { ...page, kind }), found => {
      const { items, next_cursor } = cutPage(found, page, write)
      return answerJson(200, { [name]: items, next_cursor }, NOT_STORED)
    })
  },
})

const answerMade = (name: "key" | "team_key", write: (key: AccountKey) => object, message: string) =>
  Effect.map(({ accountKey, key }: MadeKey) =>
    answerJson(201, { [name]: { ...write(accountKey), key }, message }, NOT_STORED),
  )

const SHARES = "Keep the key: it is shown whole only in this answer. It shares the quota of the account."

const listKeys = endpoint("GET /api/v1/visa/keys", {
  ...shared,
  ...listing("keys", KEY.write),
  name: "listKeys",
  summary: "List keys",
  description:
    "The first key, named keys and team keys, including deactivated ones, each with its scopes and the hour of its last use. Only the beginning of a key is shown.",
  success: makeBody("Keys", "Every key, deactivated ones too, the oldest first.", {
    keys: Schema.Array(Key),
    next_cursor,
  }),
})

const createKey = endpoint("POST /api/v1/visa/keys", {
  ...shared,
  name: "createKey",
  takesBody: true,
  read: ({ body }, context): ReadQuestion<NewKey> => {
    const given = readBody(body)
    const read = given.ok ? readNewKey(given.value, context.nowMs) : given
    if (!read.ok) return asQuestion(read)
    const refused = refuseHandingOut(context, read.value.scopes)
    return refused === null ? { ok: true, question: read.value } : { ok: false, answer: refused }
  },
  answer: ({ name, ...limits }: NewKey, context) =>
    context.accounts.createKey(accountOf(context), name, limits).pipe(answerMade("key", KEY.write, SHARES)),
  summary: "Make a key",
  description: `It has a name and scopes, and may have an end and the addresses that it works from. At most ${MAXIMUM_NAMED_KEYS} work at a time. Only this answer shows it whole. A key cannot make a key with more scopes than its own, and none at all if it expires or is bound to addresses.`,
  payload: makeBody("KeyRequest", "The name and the rights of the new key.", {
    name: Schema.String,
    mode: Schema.optionalKey(
      Schema.Literals(["live", "test"]).annotate({
        description:
          "`test` makes a test key, `svc_test_…`: it uses no quota, all test keys of an account share 100 requests a UTC day, and it has separate webhooks and jobs. The default is `live`.",
      }),
    ),
    scopes: Schema.Array(KeyScope).annotate({
      description:
        "The parts of the service for which it works; `webhooks` includes devices. A test key may not have `team`.",
    }),
    expires_at: Schema.optionalKey(Schema.NullOr(Schema.String)),
    allowed_addresses: Schema.optionalKey(
      Schema.Array(Schema.String).annotate({ description: "At most 20 IP addresses or CIDR blocks." }),
    ),
  }),
  example: { name: "Website", scopes: ["visa"], allowed_addresses: ["203.0.113.0/24"] },
  success: KeyMade.pipe(HttpApiSchema.status(201)),
})

/** Replaces a key; the old one works for another day. */
const rotateKey = endpoint("POST /api/v1/visa/keys/:id/rotate", {
  ...shared,
  name: "rotateKey",
  parameters: { id },
  answer: ({ id }, context) => {
    const { accounts } = context
    const account = accountOf(context)
    return Effect.gen(function* () {
      const refused = refuseHandingOut(context, yield* accounts.readScopes(account, id))
      if (refused !== null) return refused
      const message =
        "Keep the key: it is shown whole only in this answer. The old one works for at most 24 hours more."
      return yield* accounts.rotateKey(account, id).pipe(answerMade("key", KEY.write, message))
    })
  },
  summary: "Replace a key",
  description:
    "Makes a key with the same name, scopes, end and addresses. The old one works for 24 hours more, and its answers say so in the header `Deprecation`.",
  success: KeyMade.pipe(HttpApiSchema.status(201)),
  errors: [404],
})

const endKey = endpoint("DELETE /api/v1/visa/keys/:id", {
  ...shared,
  name: "endKey",
  parameters: { id },
  answer: ({ id }, context) =>
    Effect.map(context.accounts.endKey(accountOf(context), id), key =>
      answerJson(200, { deactivated: true, key: KEY.write(key) }, NOT_STORED),
    ),
  summary: "Deactivate a key",
  description: "This is final; the record is kept. The first key of an account can only be replaced.",
  success: makeBody("KeyEnded", "The key no longer works; its record is kept.", {
    deactivated: Schema.Boolean,
    key: Key,
  }),
  errors: [404],
})

export const keyEndpoints = [listKeys, createKey, rotateKey, endKey] as const

// `/api/v1/visa/team-keys`: keys for the people of a team, who share the account's quota.
// These keys have every scope except `team`. They are shown in full once, later only by their first characters. Deactivating one is final
// and keeps its record.

const ofTeam = {
  ...shared,
  access: { kind: "key", feature: "teamKeys", scope: "team" },
} as const
const teamKeyId = idOf({ description: "The id of the team key." })

const listTeamKeys = endpoint("GET /api/v1/visa/team-keys", {
  ...ofTeam,
  ...listing("team_keys", TEAM_KEY.write, "team"),
  name: "listTeamKeys",
  summary: "List team keys",
  description: "Includes deactivated ones; only the beginning of a key is shown.",
  success: makeBody("TeamKeys", "Every team key, deactivated ones too, the oldest first.", {
    team_keys: Schema.Array(TeamKey),
    next_cursor,
  }),
})

const createTeamKey = endpoint("POST /api/v1/visa/team-keys", {
  ...ofTeam,
  name: "createTeamKey",
  ...takesFields({ name }, (context: AnswerContext) => refuseHandingOut(context, TEAM_KEY_SCOPES)),
  answer: ({ name }: { name: string }, context) =>
    context.accounts.createTeamKey(accountOf(context), name).pipe(answerMade("team_key", TEAM_KEY.write, SHARES)),
  summary: "Make a team key",
  description: "It shares the quota of the account. Only this answer shows it whole.",
  success: makeBody("TeamKeyMade", "The new key, whole.", {
    team_key: Schema.Struct({ ...TEAM_KEY.schemas, ...WHOLE }),
    message: Schema.String,
  }).pipe(HttpApiSchema.status(201)),
})

const deleteTeamKey = endpoint("DELETE /api/v1/visa/team-keys", {
  ...ofTeam,
  name: "deleteTeamKey",
  parameters: { id: teamKeyId },
  answer: ({ id }, context) =>
    Effect.map(context.accounts.endKey(accountOf(context), id, "team"), ({ id, name }) =>
      answerJson(200, { deactivated: true, team_key: { id, name } }, NOT_STORED),
    ),
  summary: "Deactivate a team key",
  description: "This is final; the record is kept.",
  success: makeBody("TeamKeyDeactivated", "The key no longer works; its record is kept.", {
    deactivated: Schema.Boolean,
    team_key: Schema.Struct({ id: Schema.Int, name: Schema.String }),
  }),
  errors: [404],
})

export const teamKeyEndpoints = [listTeamKeys, createTeamKey, deleteTeamKey] as const
