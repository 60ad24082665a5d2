/** The bodies of accounts, for the reference. The contract tests hold real answers against them. */
import { Schema } from "effect"
import { LANGUAGES } from "../../../../../src/full.ts"
import { SCOPES } from "../../../../customers/accounts/key-limits.ts"
import { LOOKUP_VERSIONS } from "../../../../knowledge/answers/lookup-versions.ts"
import { PLAN_IDS } from "../../../../platform/settings/feature-options.ts"

const Plan = Schema.Literals(PLAN_IDS)
const lang = Schema.optionalKey(Schema.Literals(LANGUAGES)).annotate({ description: "The language of mails." })
const apiKey = Schema.String.annotate({ description: "Whole, or masked where the caller may not see it." })

export const RegisterRequest = Schema.Struct({ name: Schema.String, email: Schema.String, lang }).annotate({
  identifier: "RegisterRequest",
  description: "Who the account is for.",
})

export const Registered = Schema.Struct({ api_key: apiKey, plan: Plan, message: Schema.String }).annotate({
  identifier: "Registered",
  description: "The account's key and plan, and what follows.",
})

export const LoginRequest = Schema.Struct({ email: Schema.String, lang }).annotate({
  identifier: "LoginRequest",
  description: "Who wants to sign in.",
})

export const ConfirmRequest = Schema.Struct({ token: Schema.String }).annotate({
  identifier: "ConfirmRequest",
  description: "The token of a mailed link.",
})

export const LinkOrdered = Schema.Struct({ ok: Schema.Boolean, message: Schema.String }).annotate({
  identifier: "LinkOrdered",
  description: "The same for every address.",
})

const User = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  email: Schema.String,
  plan: Plan,
  confirmed: Schema.Boolean,
  api_version: Schema.NullOr(Schema.Literals(LOOKUP_VERSIONS)),
  lang: Schema.NullOr(Schema.Literals(LANGUAGES)),
  created_at: Schema.String,
}).annotate({ identifier: "User", description: "Whose session it is." })

export const SignedInAnswer = Schema.Struct({ ok: Schema.Boolean, user: User, message: Schema.String }).annotate({
  identifier: "SignedIn",
  description: "The address is confirmed, and a session begun.",
})

export const SignedOut = Schema.Struct({ ok: Schema.Boolean }).annotate({
  identifier: "SignedOut",
  description: "The session has ended.",
})

export const UserWithKey = Schema.Struct({ user: User, api_key: Schema.String }).annotate({
  identifier: "UserWithKey",
  description: "The account and its key, whole.",
})

const Days = Schema.Array(Schema.Struct({ on: Schema.String, used: Schema.Int }))

const PoolUsage = Schema.Struct({
  limit: Schema.Int,
  used: Schema.Int,
  remaining: Schema.Int,
  resets_at: Schema.NullOr(Schema.String),
  days: Days,
}).annotate({ identifier: "PoolUsage", description: "One limit, and what was used on each day of the month." })

export const UsageAnswer = Schema.Struct({
  month: Schema.String,
  plan: Plan,
  pools: Schema.Struct({ visa: PoolUsage, lookup: PoolUsage, spots: PoolUsage }),
}).annotate({
  identifier: "Usage",
  description: "This month (UTC) by limit and day; `used` of `lookup` is that of thirty rolling days.",
})

export const AccountChange = Schema.Struct({
  api_version: Schema.optionalKey(
    Schema.NullOr(Schema.Literals(LOOKUP_VERSIONS)).annotate({
      description: "The version of the lookup where a request names none; null for the present one.",
    }),
  ),
  lang,
}).annotate({ identifier: "AccountChange", description: "What to change; at least one of them." })

export const AccountChanged = Schema.Struct({ user: User }).annotate({
  identifier: "AccountChanged",
  description: "The account as it is now.",
})

export const ExportedAccount = Schema.Struct({
  exported_at: Schema.String,
  account_id: Schema.Int,
  note: Schema.String,
  data: Schema.Record(Schema.String, Schema.Array(Schema.Record(Schema.String, Schema.Unknown))),
}).annotate({ identifier: "ExportedAccount", description: "Everything that is kept of the account, rows by table." })

export const EraseRequest = Schema.Struct({ email: Schema.String }).annotate({
  identifier: "EraseRequest",
  description: "The address of the account.",
})

export const ErasedAccount = Schema.Struct({ erased: Schema.Boolean, account_id: Schema.Int }).annotate({
  identifier: "ErasedAccount",
  description: "The person was erased.",
})

const TeamKey = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  active: Schema.Boolean,
  key_prefix: Schema.String,
  created_at: Schema.String,
}).annotate({ identifier: "TeamKey", description: "A key that shares the account's quota." })

export const ReplaceKeyRequest = Schema.Struct({
  end_team_keys: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "Whether named keys and team keys end too; they go on where it is left out.",
    }),
  ),
}).annotate({ identifier: "ReplaceKeyRequest", description: "The body may be left out." })

export const KeyReplaced = Schema.Struct({
  api_key: Schema.String,
  message: Schema.String,
  team_keys: Schema.Array(TeamKey).annotate({
    description: "The other keys that were active until now, named keys and team keys.",
  }),
}).annotate({
  identifier: "KeyReplaced",
  description: "The new key; the old one does not work any more.",
})

const Scope = Schema.Literals(SCOPES)

const Key = Schema.Struct({
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
}).annotate({ identifier: "Key", description: "A key of the account." })

const next_cursor = Schema.NullOr(Schema.String).annotate({
  description: "The `cursor` of the next page; null on the last one.",
})

export const Keys = Schema.Struct({ keys: Schema.Array(Key), next_cursor }).annotate({
  identifier: "Keys",
  description: "Every key, deactivated ones too, the oldest first.",
})

export const KeyRequest = Schema.Struct({
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
}).annotate({ identifier: "KeyRequest", description: "What the key is called, and what it may be used for." })

export const KeyMade = Schema.Struct({
  key: Schema.Struct({
    ...Key.fields,
    key: Schema.String.annotate({ description: "The whole key, shown this once." }),
  }),
  message: Schema.String,
}).annotate({ identifier: "KeyMade", description: "The key, with the whole of it." })

export const KeyEnded = Schema.Struct({ deactivated: Schema.Boolean, key: Key }).annotate({
  identifier: "KeyEnded",
  description: "The key does not work any more; its record stays.",
})

export const AuditTrail = Schema.Struct({
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
}).annotate({
  identifier: "AuditTrail",
  description: "Who has changed keys, plan and address, the newest change first.",
})

export const OpenSessions = Schema.Struct({
  sessions: Schema.Array(
    Schema.Struct({
      began_at: Schema.String,
      expires_at: Schema.String,
      address_family: Schema.NullOr(Schema.Literals(["IPv4", "IPv6"])),
      current: Schema.Boolean,
    }),
  ),
}).annotate({ identifier: "Sessions", description: "Who is signed in to the account." })

export const TeamKeys = Schema.Struct({ team_keys: Schema.Array(TeamKey), next_cursor }).annotate({
  identifier: "TeamKeys",
  description: "Every team key, deactivated ones too, the oldest first.",
})

export const TeamKeyRequest = Schema.Struct({ name: Schema.String }).annotate({
  identifier: "TeamKeyRequest",
  description: "What the key is called.",
})

export const TeamKeyMade = Schema.Struct({
  team_key: Schema.Struct({
    ...TeamKey.fields,
    key: Schema.String.annotate({ description: "The whole key, shown this once." }),
  }),
  message: Schema.String,
}).annotate({ identifier: "TeamKeyMade", description: "The key, with the whole of it." })

export const TeamKeyDeactivated = Schema.Struct({
  deactivated: Schema.Boolean,
  team_key: Schema.Struct({ id: Schema.Int, name: Schema.String }),
}).annotate({ identifier: "TeamKeyDeactivated", description: "The key does not work any more; its record stays." })

const affiliateId = Schema.String.annotate({ description: "`aff_` and eight hexadecimal digits." })

export const CheckoutRequest = Schema.Struct({
  plan: Schema.Literals(["hobby", "starter", "pro", "business"]),
  billing: Schema.optionalKey(Schema.Literals(["monthly", "annual"])),
  affiliate_id: Schema.optionalKey(affiliateId),
}).annotate({ identifier: "CheckoutRequest", description: "What is bought." })

export const HostedPage = Schema.Struct({ url: Schema.String }).annotate({
  identifier: "HostedPage",
  description: "A page of the payment provider.",
})

export const EventTaken = Schema.Struct({ received: Schema.Boolean, new: Schema.Boolean }).annotate({
  identifier: "EventTaken",
  description: "Whether the event was new; one that says nothing of a subscription is not.",
})

export const AffiliateRequest = Schema.Struct({ name: Schema.String, email: Schema.String }).annotate({
  identifier: "AffiliateRequest",
  description: "Who is paid.",
})

export const AffiliateFound = Schema.Struct({ affiliate_id: affiliateId, message: Schema.String }).annotate({
  identifier: "AffiliateFound",
  description: "The affiliate, made or found.",
})

export const ClickRequest = Schema.Struct({ affiliate_id: affiliateId }).annotate({
  identifier: "ClickRequest",
  description: "Whose link was followed.",
})

export const ClickCounted = Schema.Struct({ ok: Schema.Boolean }).annotate({
  identifier: "ClickCounted",
  description: "There is such an affiliate.",
})

export const ReferralRequest = Schema.Struct({ referral_code: affiliateId, email: Schema.String }).annotate({
  identifier: "ReferralRequest",
  description: "Who has brought the account, and the address of the account.",
})

export const ReferralApplied = Schema.Struct({
  ok: Schema.Boolean,
  message: Schema.String,
  referred_by: affiliateId,
}).annotate({
  identifier: "ReferralApplied",
  description: "Who has brought the account; `ok` is false where it was somebody else.",
})

const Totals = Schema.Struct({
  clicks: Schema.Int,
  referrals: Schema.Int,
  conversions: Schema.NullOr(Schema.Int),
  revenue_usd: Schema.NullOr(Schema.Number),
  commission_usd: Schema.NullOr(Schema.Number),
})

export const AffiliateStats = Schema.Struct({
  affiliate_id: affiliateId,
  lifetime: Totals,
  this_month: Totals,
}).annotate({
  identifier: "AffiliateStats",
  description:
    "Clicks, accounts brought, accounts that paid, what they paid, and the affiliate's part; the last three are null without a session.",
})
