/** The bodies of accounts: how they are written, and their schemas for the reference. The contract tests compare real answers with them. */
import { Schema } from "effect"
import { LANGUAGES } from "../../../../src/full.ts"
import type { Account, AccountKey } from "../../../accounts/account.ts"
import { SCOPES } from "../../../accounts/key-limits.ts"
import { LOOKUP_VERSIONS } from "../../../answers/lookup-answer.ts"
import { PLAN_IDS } from "../../../settings/feature-options.ts"
import { formatInstant } from "../../../time/utc-calendar.ts"
import { fieldsFrom, makeBody } from "../../pipeline/describe-row.ts"

const Plan = Schema.Literals(PLAN_IDS)
const lang = Schema.optionalKey(Schema.Literals(LANGUAGES)).annotate({ description: "The language of mails." })
const apiKey = Schema.String.annotate({ description: "The whole key, or a masked one if the caller may not see it." })

export const Registered = makeBody("Registered", "The account's key and plan, and the next step.", {
  api_key: apiKey,
  plan: Plan,
  message: Schema.String,
})

export const LinkOrdered = makeBody("LinkOrdered", "The answer is the same for every address.", {
  ok: Schema.Boolean,
  message: Schema.String,
})

/** An account for its owner. */
export const USER = fieldsFrom<Account>()({
  id: Schema.Int,
  name: Schema.String,
  email: Schema.String,
  plan: Plan,
  confirmed: [Schema.Boolean, ({ isConfirmed }) => isConfirmed],
  api_version: Schema.NullOr(Schema.Literals(LOOKUP_VERSIONS)),
  lang: [Schema.NullOr(Schema.Literals(LANGUAGES)), ({ language }) => language],
  created_at: Schema.String,
})

const User = makeBody("User", "The owner of the session.", USER.schemas)

export const SignedInAnswer = makeBody("SignedIn", "The address is confirmed, and a session has begun.", {
  ok: Schema.Boolean,
  user: User,
  message: Schema.String,
})

export const SignedOut = makeBody("SignedOut", "The session has ended.", { ok: Schema.Boolean })

export const UserWithKey = makeBody("UserWithKey", "The account and its whole key.", {
  user: User,
  api_key: Schema.String,
})

const Days = Schema.Array(Schema.Struct({ on: Schema.String, used: Schema.Int }))

const PoolUsage = makeBody("PoolUsage", "One limit, with the use on each day of the month.", {
  limit: Schema.Int,
  used: Schema.Int,
  remaining: Schema.Int,
  resets_at: Schema.NullOr(Schema.String),
  days: Days,
})

export const UsageAnswer = makeBody(
  "Usage",
  "The use of this month (UTC) by limit and day; `used` of `lookup` covers the last thirty days.",
  {
    month: Schema.String,
    plan: Plan,
    pools: Schema.Struct({ visa: PoolUsage, lookup: PoolUsage, spots: PoolUsage }),
  },
)

export const AccountChange = makeBody("AccountChange", "The fields to change, at least one.", {
  api_version: Schema.optionalKey(
    Schema.NullOr(Schema.Literals(LOOKUP_VERSIONS)).annotate({
      description: "The lookup version for requests that name none; null for the present one.",
    }),
  ),
  lang,
})

export const AccountChanged = makeBody("AccountChanged", "The account after the change.", { user: User })

export const ExportedAccount = makeBody("ExportedAccount", "All stored data of the account, rows by table.", {
  exported_at: Schema.String,
  account_id: Schema.Int,
  note: Schema.String,
  data: Schema.Record(Schema.String, Schema.Array(Schema.Record(Schema.String, Schema.Unknown))),
})

export const ErasedAccount = makeBody("ErasedAccount", "The personal data were erased.", {
  erased: Schema.Boolean,
  account_id: Schema.Int,
})

export const TEAM_KEY = fieldsFrom<AccountKey>()({
  id: Schema.Int,
  name: Schema.String,
  active: [Schema.Boolean, ({ isActive }) => isActive],
  key_prefix: Schema.String,
  created_at: Schema.String,
})

const TeamKey = makeBody("TeamKey", "A key that shares the account's quota.", TEAM_KEY.schemas)

export const ReplaceKeyRequest = makeBody("ReplaceKeyRequest", "The body is optional.", {
  end_team_keys: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "Whether named keys and team keys end too; false by default.",
    }),
  ),
})

export const KeyReplaced = makeBody("KeyReplaced", "The new key; the old one no longer works.", {
  api_key: Schema.String,
  message: Schema.String,
  team_keys: Schema.Array(TeamKey).annotate({
    description: "The named keys and team keys that were active before.",
  }),
})

const Scope = Schema.Literals(SCOPES)

export const KEY = fieldsFrom<AccountKey>()({
  id: Schema.Int,
  kind: Schema.Literals(["account", "named", "team", "test"]).annotate({
    description: "`account`: the first key; `team`: a team key; `test`: a test key.",
  }),
  name: Schema.String.annotate({ description: "Empty for the first key." }),
  active: [Schema.Boolean, ({ isActive }) => isActive],
  key_prefix: Schema.String,
  scopes: Schema.Array(Scope),
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

const next_cursor = Schema.NullOr(Schema.String).annotate({
  description: "The `cursor` of the next page; null on the last one.",
})

export const Keys = makeBody("Keys", "Every key, deactivated ones too, the oldest first.", {
  keys: Schema.Array(Key),
  next_cursor,
})

export const KeyRequest = makeBody("KeyRequest", "The name and the rights of the new key.", {
  name: Schema.String,
  mode: Schema.optionalKey(
    Schema.Literals(["live", "test"]).annotate({
      description:
        "`test` makes a test key, `svc_test_…`: it uses no quota, all test keys of an account share 100 requests a UTC day, and it has separate webhooks and jobs. The default is `live`.",
    }),
  ),
  scopes: Schema.Array(Scope).annotate({
    description:
      "The parts of the service for which it works; `webhooks` includes devices. A test key may not have `team`.",
  }),
  expires_at: Schema.optionalKey(Schema.NullOr(Schema.String)),
  allowed_addresses: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({ description: "At most 20 IP addresses or CIDR blocks." }),
  ),
})

export const KeyMade = makeBody("KeyMade", "The new key, whole.", {
  key: Schema.Struct({
    ...KEY.schemas,
    key: Schema.String.annotate({ description: "The whole key, shown only in this answer." }),
  }),
  message: Schema.String,
})

export const KeyEnded = makeBody("KeyEnded", "The key no longer works; its record is kept.", {
  deactivated: Schema.Boolean,
  key: Key,
})

export const AuditTrail = makeBody("AuditTrail", "Changes of keys, plan and address, the newest first.", {
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
})

export const OpenSessions = makeBody("Sessions", "The open sessions of the account.", {
  sessions: Schema.Array(
    Schema.Struct({
      began_at: Schema.String,
      expires_at: Schema.String,
      address_family: Schema.NullOr(Schema.Literals(["IPv4", "IPv6"])),
      current: Schema.Boolean,
    }),
  ),
})

export const TeamKeys = makeBody("TeamKeys", "Every team key, deactivated ones too, the oldest first.", {
  team_keys: Schema.Array(TeamKey),
  next_cursor,
})

export const TeamKeyMade = makeBody("TeamKeyMade", "The new key, whole.", {
  team_key: Schema.Struct({
    ...TEAM_KEY.schemas,
    key: Schema.String.annotate({ description: "The whole key, shown only in this answer." }),
  }),
  message: Schema.String,
})

export const TeamKeyDeactivated = makeBody("TeamKeyDeactivated", "The key no longer works; its record is kept.", {
  deactivated: Schema.Boolean,
  team_key: Schema.Struct({ id: Schema.Int, name: Schema.String }),
})

const affiliateId = Schema.String.annotate({ description: "`aff_` and eight hexadecimal digits." })

export const HostedPage = makeBody("HostedPage", "A page of the payment provider.", { url: Schema.String })

export const EventTaken = makeBody("EventTaken", "Whether the event was new; an event about no subscription is not.", {
  received: Schema.Boolean,
  new: Schema.Boolean,
})

export const AffiliateFound = makeBody("AffiliateFound", "The new or existing affiliate.", {
  affiliate_id: affiliateId,
  message: Schema.String,
})

export const ClickCounted = makeBody("ClickCounted", "The affiliate exists.", { ok: Schema.Boolean })

export const ReferralApplied = makeBody(
  "ReferralApplied",
  "The affiliate who referred the account; `ok` is false if it was another one.",
  {
    ok: Schema.Boolean,
    message: Schema.String,
    referred_by: affiliateId,
  },
)

const Totals = Schema.Struct({
  clicks: Schema.Int,
  referrals: Schema.Int,
  conversions: Schema.NullOr(Schema.Int),
  revenue_usd: Schema.NullOr(Schema.Number),
  commission_usd: Schema.NullOr(Schema.Number),
})

export const AffiliateStats = makeBody(
  "AffiliateStats",
  "Clicks, referred accounts, those that paid, their payments, and the commission; the last three are null without a session.",
  {
    affiliate_id: affiliateId,
    lifetime: Totals,
    this_month: Totals,
  },
)
