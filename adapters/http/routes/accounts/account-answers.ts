/**
 * How do the endpoints of accounts read bodies, write the usage of an account, and answer requests that they cannot fulfil?
 */
import { Effect, Schema } from "effect"
import { LANGUAGES, type Language } from "../../../../src/full.ts"
import { type Account, type Caller, isEmailAddress, NAME_PATTERN } from "../../../accounts/account.ts"
import { Accounts } from "../../../accounts/accounts.ts"
import { ANY_REQUEST } from "../../../accounts/key-limits.ts"
import { Sessions, type SignedIn } from "../../../accounts/sessions.ts"
import { Signup } from "../../../accounts/signup.ts"
import { LOOKUP_VERSIONS } from "../../../answers/lookup-answer.ts"
import { Affiliates } from "../../../billing/affiliates.ts"
import { Billing } from "../../../billing/billing.ts"
import { Targets } from "../../../events/followers/target-guard.ts"
import { Plans } from "../../../plans/plans.ts"
import type { CallerPool, Limit, Quota } from "../../../quota/limits.ts"
import { Meter } from "../../../quota/meter.ts"
import { PLAN_IDS } from "../../../settings/feature-options.ts"
import { Storage } from "../../../storage/storage.ts"
import { formatInstant, formatUtcDay, utcDayAt, utcMonthAt } from "../../../time/utc-calendar.ts"
import { Clients } from "../../../validation/addresses.ts"
import { describeIssues, type ReadFields, readBodyWith, sayExpected, showValue } from "../../../validation/fields.ts"
import { Webhooks } from "../../../webhooks/webhooks.ts"
import { fieldsFrom, makeBody } from "../../pipeline/describe-row.ts"
import type { AnswerContext, ContextOf, Given, ReadQuestion, Refused, SurfaceName } from "../../pipeline/endpoint.ts"
import {
  choice,
  optional,
  type Parameter,
  type ParameterTable,
  textThat,
  type ValuesOf,
} from "../../pipeline/endpoint.ts"
import { type Answer, answerError } from "../../pipeline/http-message.ts"
import { MountedSite } from "../../pipeline/process-state.ts"
import { answerLookupError } from "../lookup/lookup-errors.ts"
import type { MessageName, MessageValues } from "./page/layout.ts"

// What is an account's usage of this month, by limit and day?

const POOLS = ["visa", "lookup", "spots"] as const satisfies readonly CallerPool[]

/** Picks the limit of a surface over a long time; a bucket of tokens a second says nothing about a month. */
const pickLimit = ({ limits }: Quota): Limit =>
  limits.find(({ policy }) => policy !== "second" && policy !== "destinations") as Limit

export const USAGE_NEEDS = { meter: Meter, plans: Plans, storage: Storage } as const

/** The usage of an account, in its wire form. What this process holds and has not served is given back first. */
export const describeUsage = ({ meter, plans, storage }: Given<typeof USAGE_NEEDS>, account: Account, nowMs: number) =>
  Effect.gen(function* () {
    const month = utcMonthAt(nowMs)
    yield* meter.giveBackOf(account.id)
    const [first, last] = [utcDayAt(month.startsAt), utcDayAt(nowMs)]
    const counts = yield* storage.pools.listDays(String(account.id), formatUtcDay(first))
    const days = Array.from({ length: last - first + 1 }, (_, at) => formatUtcDay(first + at))
    const caller: Caller = {
      keyId: 0,
      accountId: account.id,
      plan: plans.byId[account.plan],
      isConfirmed: account.isConfirmed,
      apiVersion: account.apiVersion,
      ...ANY_REQUEST,
    }
    const describePool = (pool: CallerPool) =>
      Effect.map(meter.loadQuota(caller, pool), quota => {
        const { limit, remaining, renewsAt } = pickLimit(quota)
        return {
          limit,
          used: limit - remaining,
          remaining,
          resets_at: formatInstant(renewsAt),
          days: days.map(on => ({ on, used: counts.find(row => row.pool === pool && row.day === on)?.used ?? 0 })),
        }
      })
    const described = yield* Effect.forEach(POOLS, pool => Effect.map(describePool(pool), of => [pool, of] as const))
    return { month: month.name, plan: account.plan, pools: Object.fromEntries(described) }
  })

/** When to retry a feature that is not set up yet. */
const NOT_SET_UP_RETRY_SECONDS = 3_600

/** The answer for a feature that this deployment does not have. It does not name the missing setting. */
export const answerNotSetUp = (feature: string): Answer =>
  answerError(503, `${feature} is not set up on this deployment.`, ["retry-after", String(NOT_SET_UP_RETRY_SECONDS)])

const PROVIDER_RETRY_SECONDS = 10

/** What is told where something is not done: the status, the message of the page, and for programs a sentence, if the failure has none. */
const REFUSALS: Readonly<
  Record<
    Refused["_tag"],
    readonly [status: number, page: MessageName, error?: string | undefined, retryAfterSeconds?: number]
  >
> = {
  AccountNotFound: [404, "wrong.ended", "There is no such account any more."],
  CheckoutRefused: [400, "wrong.subscribed"],
  EventNotSigned: [400, "wrong.form"],
  FirstKey: [400, "wrong.key", "id: The first key of an account can only be replaced: rotate it."],
  NoCustomer: [404, "wrong.not_sold", "The account has never bought anything."],
  NoMail: [503, "wrong.no_mail", "Mail is not set up on this deployment.", NOT_SET_UP_RETRY_SECONDS],
  NoSuchKey: [404, "wrong.key", "There is no such key."],
  NoSuchWebhook: [404, "wrong.webhook", "There is no such webhook or delivery."],
  NotSold: [503, "wrong.not_sold", undefined, NOT_SET_UP_RETRY_SECONDS],
  ProviderAway: [503, "wrong.provider", "The payment provider does not answer now.", PROVIDER_RETRY_SECONDS],
  StillSubscribed: [409, "wrong.subscribed", "The account has a subscription: end it in the portal first."],
  TooManyDevices: [400, "wrong.form"],
  TooManyKeys: [400, "wrong.keys"],
  TooManyWebhooks: [400, "wrong.webhooks"],
}

/** The status, and the message of the page with its values. */
export function describeRefusal(failure: Refused) {
  const [status, page] = REFUSALS[failure._tag]
  const values: MessageValues = "limit" in failure ? { count: failure.limit } : {}
  const isTeam = failure._tag === "TooManyKeys" && failure.isTeam
  return { status, page: isTeam ? ("wrong.team_keys" as const) : page, values }
}

/** The answer of a row that has refused something, in the form of its surface. */
export function answerRefusal(failure: Refused, surface: SurfaceName, requestId: string): Answer {
  const [status, , message = failure.message, retryAfterSeconds] = REFUSALS[failure._tag]
  if (surface === "lookup")
    return answerLookupError({ code: status === 404 ? "not_found" : "invalid_request", message, requestId })
  return answerError(status, message, retryAfterSeconds === undefined ? [] : ["retry-after", String(retryAfterSeconds)])
}

/** The account of a request, for rows that require a key. */
export const accountOf = ({ caller }: AnswerContext): number => (caller as Caller).accountId

/** Who is signed in, on a row that takes only signed-in users. */
export function signedInOf({ session }: AnswerContext): SignedIn {
  if (session === null) throw new Error("a row for sessions was answered without one")
  return session
}

// How are the fields of a JSON body read?
// A body is an object whose fields are texts, read by the same kind of value as a parameter of a query. Every mistake is reported with its
// field, unknown fields too. A body that is not JSON, or not an object, is refused in one sentence.

/** A body that was read as the question of a row, or the answer that names its mistakes. */
export const asQuestion = <Value>(read: ReadFields<Value>): ReadQuestion<Value> =>
  read.ok ? { ok: true, question: read.value } : { ok: false, answer: answerError(400, describeIssues(read.issues)) }

/** Reads the fields of a body by a table; a field that is not in it is refused. */
const readFields = <Table extends ParameterTable>(table: Table, text: string): ReadQuestion<ValuesOf<Table>> =>
  asQuestion(
    readBodyWith(text, Object.keys(table), (body, reader) => {
      const values: Record<string, unknown> = {}
      for (const [path, { expected, isRequired, read }] of Object.entries(table)) {
        const field = Object.hasOwn(body, path) ? body[path] : undefined
        if (field === undefined || (field === null && !isRequired)) {
          if (isRequired) reader.report(path, sayExpected(expected, undefined))
          continue
        }
        const value = typeof field === "string" ? read(field) : undefined
        if (value === undefined) reader.report(path, `Expected ${expected}, got ${showValue(field)}`)
        else values[path] = value
      }
      return values as ValuesOf<Table>
    }),
  )

/** What a row has that reads its question from the fields of its body, unless something else refuses it before. */
export const takesFields = <Table extends ParameterTable, Context = unknown>(
  fields: Table,
  refuse: (context: Context) => Answer | null = () => null,
) =>
  ({
    fields,
    takesBody: true,
    read: ({ body }: { readonly body: string }, context: Context): ReadQuestion<ValuesOf<Table>> => {
      const refused = refuse(context)
      return refused === null ? readFields(fields, body) : { ok: false, answer: refused }
    },
  }) as const

export const email = textThat("an e-mail address", isEmailAddress, {
  description: "An e-mail address.",
  example: "ada@example.com",
})
export const name = textThat("1 to 100 characters on one line", text => NAME_PATTERN.test(text), {
  description: "A name.",
  example: "Ada",
})
export const language: Parameter<Language | undefined> = optional(
  choice(LANGUAGES, { description: "The language of mails; by default that of `Accept-Language`." }),
)

// Which services does the page of an account use? The page itself is loaded on first use; these are declared before.

/** What the page shows: an account, its keys, use, webhooks and plan. */
export const PAGE_NEEDS = {
  accounts: Accounts,
  billing: Billing,
  meter: Meter,
  plans: Plans,
  sessions: Sessions,
  site: MountedSite,
  storage: Storage,
  webhooks: Webhooks,
} as const

/** Further services that its forms use. */
export const FORM_NEEDS = {
  ...PAGE_NEEDS,
  affiliates: Affiliates,
  clients: Clients,
  signup: Signup,
  targets: Targets,
} as const

export type PageContext = ContextOf<typeof PAGE_NEEDS>
export type FormContext = ContextOf<typeof FORM_NEEDS>

// How is an account written for its owner?

export const Plan = Schema.Literals(PLAN_IDS)

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

export const User = makeBody("User", "The owner of the session.", USER.schemas)

export const SignedOut = makeBody("SignedOut", "The session has ended.", { ok: Schema.Boolean })
