/** The bodies of accounts, for the reference. The contract tests compare real answers with them. */
import { Schema } from "effect"
import { LANGUAGES } from "../../../../../src/full.ts"
import { SCOPES } from "../../../../customers/accounts/key-limits.ts"
import { LOOKUP_VERSIONS } from "../../../../knowledge/answers/lookup-versions.ts"
import { PLAN_IDS } from "../../../../platform/settings/feature-options.ts"
import { makeBody } from "../../pipeline/body.ts"

const Plan = Schema.Literals(PLAN_IDS)
const lang = Schema.optionalKey(Schema.Literals(LANGUAGES)).annotate({ description: "The language of mails." })
const apiKey = Schema.String.annotate({ description: "Whole, or masked where the caller may not see it." })

export const RegisterRequest = makeBody("RegisterRequest", "Who the account is for.", {
  name: Schema.String,
  email: Schema.String,
  lang,
})

export const Registered = makeBody("Registered", "The account's key and plan, and what follows.", {
  api_key: apiKey,
  plan: Plan,
  message: Schema.String,
})

export const LoginRequest = makeBody("LoginRequest", "Who wants to sign in.", { email: Schema.String, lang })

export const ConfirmRequest = makeBody("ConfirmRequest", "The token of a mailed link.", { token: Schema.String })

export const LinkOrdered = makeBody("LinkOrdered", "The same for every address.", {
  ok: Schema.Boolean,
  message: Schema.String,
})

const User = makeBody("User", "Whose session it is.", {
  id: Schema.Int,
  name: Schema.String,
  email: Schema.String,
  plan: Plan,
  confirmed: Schema.Boolean,
  api_version: Schema.NullOr(Schema.Literals(LOOKUP_VERSIONS)),
  lang: Schema.NullOr(Schema.Literals(LANGUAGES)),
  created_at: Schema.String,
})

export const SignedInAnswer = makeBody("SignedIn", "The address is confirmed, and a session begun.", {
  ok: Schema.Boolean,
  user: User,
  message: Schema.String,
})

export const SignedOut = makeBody("SignedOut", "The session has ended.", { ok: Schema.Boolean })

export const UserWithKey = makeBody("UserWithKey", "The account and its key, whole.", {
  user: User,
  api_key: Schema.String,
})

const Days = Schema.Array(Schema.Struct({ on: Schema.String, used: Schema.Int }))

const PoolUsage = makeBody("PoolUsage", "One limit, and what was used on each day of the month.", {
  limit: Schema.Int,
  used: Schema.Int,
  remaining: Schema.Int,
  resets_at: Schema.NullOr(Schema.String),
  days: Days,
})

export const UsageAnswer = makeBody(
  "Usage",
  "This month (UTC) by limit and day; `used` of `lookup` is that of thirty rolling days.",
  {
    month: Schema.String,
    plan: Plan,
    pools: Schema.Struct({ visa: PoolUsage, lookup: PoolUsage, spots: PoolUsage }),
  },
)

export const AccountChange = makeBody("AccountChange", "What to change; at least one of them.", {
  api_version: Schema.optionalKey(
    Schema.NullOr(Schema.Literals(LOOKUP_VERSIONS)).annotate({
      description: "The version of the lookup where a request names none; null for the present one.",
    }),
  ),
  lang,
})

export const AccountChanged = makeBody("AccountChanged", "The account as it is now.", { user: User })

export const ExportedAccount = makeBody("ExportedAccount", "Everything that is kept of the account, rows by table.", {
  exported_at: Schema.String,
  account_id: Schema.Int,
  note: Schema.String,
  data: Schema.Record(Schema.String, Schema.Array(Schema.Record(Schema.String, Schema.Unknown))),
})

export const EraseRequest = makeBody("EraseRequest", "The address of the account.", { email: Schema.String })

export const ErasedAccount = makeBody("ErasedAccount", "The person was erased.", {
  erased: Schema.Boolean,
  account_id: Schema.Int,
})

const TeamKey = makeBody("TeamKey", "A key that shares the account's quota.", {
  id: Schema.Int,
  name: Schema.String,
  active: Schema.Boolean,
  key_prefix: Schema.String,
  created_at: Schema.String,
})

export const ReplaceKeyRequest = makeBody("ReplaceKeyRequest", "The body may be left out.", {
  end_team_keys: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "Whether named keys and team keys end too; they go on where it is left out.",
    }),
  ),
})

export const KeyReplaced = makeBody("KeyReplaced", "The new key; the old one does not work any more.", {
  api_key: Schema.String,
  message: Schema.String,
  team_keys: Schema.Array(TeamKey).annotate({
    description: "The other keys that were active until now, named keys and team keys.",
  }),
})

const Scope = Schema.Literals(SCOPES)

const Key = makeBody("Key", "A key of the account.", {
  id: Schema.Int,
  kind: Schema.Literals(["account", "named", "team", "test"]).annotate({
    description: "`account`: the first key; `team`: a team key; `test`: a test key.",
  }),
  name: Schema.String.annotate({ description: "Empty for the first key." }),
  active: Schema.Boolean,
  key_prefix: Schema.String,
  scopes: Schema.Array(Scope),
  allowed_addresses: Schema.Array(Schema.String).annotate({ description: "Empty where it works from everywhere." }),
  expires_at: Schema.NullOr(Schema.String),
  replaced_at: Schema.NullOr(Schema.String).annotate({ description: "Since when there is another key in its place." }),
  last_used_at: Schema.NullOr(Schema.String).annotate({ description: "The hour in which it was used last." }),
  used: Schema.Int.annotate({ description: "How many requests were charged to it." }),
  created_at: Schema.String,
})

const next_cursor = Schema.NullOr(Schema.String).annotate({
  description: "The `cursor` of the next page; null on the last one.",
})

export const Keys = makeBody("Keys", "Every key, deactivated ones too, the oldest first.", {
  keys: Schema.Array(Key),
  next_cursor,
})

export const KeyRequest = makeBody("KeyRequest", "What the key is called, and what it may be used for.", {
  name: Schema.String,
  mode: Schema.optionalKey(
    Schema.Literals(["live", "test"]).annotate({
      description:
        "`test` makes a test key, `svc_test_…`: it is charged to no quota, is answered 100 requests a UTC day with all test keys of the account, and has webhooks and jobs of its own. `live` where it is left out.",
    }),
  ),
  scopes: Schema.Array(Scope).annotate({
    description: "What it may be used for; `webhooks` includes devices. A test key may not have `team`.",
  }),
  expires_at: Schema.optionalKey(Schema.NullOr(Schema.String)),
  allowed_addresses: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({ description: "At most 20 IP addresses or CIDR blocks." }),
  ),
})

export const KeyMade = makeBody("KeyMade", "The key, with the whole of it.", {
  key: Schema.Struct({
    ...Key.fields,
    key: Schema.String.annotate({ description: "The whole key, shown this once." }),
  }),
  message: Schema.String,
})

export const KeyEnded = makeBody("KeyEnded", "The key does not work any more; its record stays.", {
  deactivated: Schema.Boolean,
  key: Key,
})

export const AuditTrail = makeBody("AuditTrail", "Who has changed keys, plan and address, the newest change first.", {
  audit: Schema.Array(
    Schema.Struct({
      id: Schema.Int,
      at: Schema.String,
      actor: Schema.String.annotate({
        description: "`owner` (in a session), `key` (the holder of one), `operator`, `payment` or `service`.",
      }),
      action: Schema.String,
      detail: Schema.String,
    }),
  ),
  next_cursor,
})

export const OpenSessions = makeBody("Sessions", "Who is signed in to the account.", {
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

export const TeamKeyRequest = makeBody("TeamKeyRequest", "What the key is called.", { name: Schema.String })

export const TeamKeyMade = makeBody("TeamKeyMade", "The key, with the whole of it.", {
  team_key: Schema.Struct({
    ...TeamKey.fields,
    key: Schema.String.annotate({ description: "The whole key, shown this once." }),
  }),
  message: Schema.String,
})

export const TeamKeyDeactivated = makeBody("TeamKeyDeactivated", "The key does not work any more; its record stays.", {
  deactivated: Schema.Boolean,
  team_key: Schema.Struct({ id: Schema.Int, name: Schema.String }),
})

const affiliateId = Schema.String.annotate({ description: "`aff_` and eight hexadecimal digits." })

export const CheckoutRequest = makeBody("CheckoutRequest", "What is bought.", {
  plan: Schema.Literals(["hobby", "starter", "pro", "business"]),
  billing: Schema.optionalKey(Schema.Literals(["monthly", "annual"])),
  affiliate_id: Schema.optionalKey(affiliateId),
})

export const HostedPage = makeBody("HostedPage", "A page of the payment provider.", { url: Schema.String })

export const EventTaken = makeBody(
  "EventTaken",
  "Whether the event was new; one that says nothing of a subscription is not.",
  { received: Schema.Boolean, new: Schema.Boolean },
)

export const AffiliateRequest = makeBody("AffiliateRequest", "Who is paid.", {
  name: Schema.String,
  email: Schema.String,
})

export const AffiliateFound = makeBody("AffiliateFound", "The affiliate, made or found.", {
  affiliate_id: affiliateId,
  message: Schema.String,
})

export const ClickRequest = makeBody("ClickRequest", "Whose link was followed.", { affiliate_id: affiliateId })

export const ClickCounted = makeBody("ClickCounted", "There is such an affiliate.", { ok: Schema.Boolean })

export const ReferralRequest = makeBody(
  "ReferralRequest",
  "Who has brought the account, and the address of the account.",
  { referral_code: affiliateId, email: Schema.String },
)

export const ReferralApplied = makeBody(
  "ReferralApplied",
  "Who has brought the account; `ok` is false where it was somebody else.",
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
  "Clicks, accounts brought, accounts that paid, what they paid, and the affiliate's part; the last three are null without a session.",
  {
    affiliate_id: affiliateId,
    lifetime: Totals,
    this_month: Totals,
  },
)
