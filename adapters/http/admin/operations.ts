/**
 * What can an operator see and do without SQL?
 *
 * One table of operations. Each declares its fields and its answer; the endpoints of the operators' address, its pages and `landfall
 * operate` are made from it. A view changes nothing. An action is written into the audit trail with the operator's name.
 */

import { readFile, stat } from "node:fs/promises"
import { Effect, Schema } from "effect"
import type { Dataset } from "../../../src/engine.ts"
import { Accounts } from "../../accounts/accounts.ts"
import { type AuditAction, actingAs, makeAuditTrail } from "../../accounts/audit-trail.ts"
import { type InstallRefused, installDataset, rollBack } from "../../events/install-dataset.ts"
import { refuseLarge } from "../../files/dataset-size.ts"
import type { MeterState } from "../../quota/meter.ts"
import { PLAN_IDS } from "../../settings/feature-options.ts"
import { MOST_COUNTED, type ReceiverRow } from "../../storage/operations-repository.ts"
import { Storage } from "../../storage/storage.ts"
import type { Unavailable } from "../../storage/storage-errors.ts"
import { below } from "../../storage/table-statements.ts"
import { DELIVERY_STATES } from "../../storage/tables.ts"
import { formatInstant, utcMonthAt } from "../../time/utc-calendar.ts"
import { Webhooks } from "../../webhooks/webhooks.ts"
import { choice, idOf, optional, type ParameterTable, textThat, type ValuesOf } from "../pipeline/endpoint.ts"
import { cutPage, type PageAsked, pageBelow, pageParameters } from "../routes/pages.ts"

// What is an operation of an operator?
// A view, which changes nothing, or an action. Each declares its fields and its answer; the endpoints of the operators' address, its pages
// and `landfall operate` are made from it.

/** An operation cannot be carried out; the message says why. */
class OperationRefused extends Schema.TaggedError<OperationRefused>()("OperationRefused", {
  message: Schema.String,
}) {}

/** The operator of an operation, and data that only some processes have. */
export interface Operating {
  readonly operator: string
  readonly nowMs: number
  /** The dataset that is answered from while none is installed. */
  readonly configured: Dataset
  /** The counts of this process; null on the command line. */
  readonly readMeter: (() => MeterState) | null
}

export type OperationRow = Readonly<Record<string, string | number | boolean | null>>

/** The answer to a view: its lines, and where the next page begins. */
export interface Viewed {
  readonly rows: readonly OperationRow[]
  readonly next_cursor?: string | null
}

/** The services that operations use. */
export type OperationServices = Storage | Accounts | Webhooks

type Running<Answer> = Effect.Effect<Answer, OperationRefused | Unavailable, OperationServices>

interface Described {
  readonly name: string
  readonly summary: string
  readonly fields: ParameterTable
}

/** Something that an operator looks at. */
export interface View extends Described {
  readonly isAct: false
  readonly run: (values: Readonly<Record<string, unknown>>, operating: Operating) => Running<Viewed>
}

/** Something that an operator does; the answer is a sentence. */
export interface Act extends Described {
  readonly isAct: true
  /** The view that shows its form. */
  readonly beside: string
  readonly run: (values: Readonly<Record<string, unknown>>, operating: Operating) => Running<string>
}

export type Operation = View | Act

const view = <const Table extends ParameterTable>(
  name: string,
  summary: string,
  fields: Table,
  run: (values: ValuesOf<Table>, operating: Operating) => Running<Viewed>,
): View => ({ name, summary, fields, isAct: false, run: run as View["run"] })

const act = <const Table extends ParameterTable>(
  name: string,
  { beside, summary }: { readonly beside: string; readonly summary: string },
  fields: Table,
  run: (values: ValuesOf<Table>, operating: Operating) => Running<string>,
): Act => ({ name, beside, summary, fields, isAct: true, run: run as Act["run"] })

const account = idOf({ description: "The id of the account." })
const webhook = idOf({ description: "The id of the webhook." })

/** Refuses a number that nothing has. */
const noSuch = (what: string, id: number) => () => new OperationRefused({ message: `there is no ${what} ${id}` })

// What does an operator see? Pages of records over all accounts; no key, secret or token is among them.

const PAGE = 50
/** How waiting rows are counted: more would cost most when there is most to do. */
const COUNTED = `counted up to ${MOST_COUNTED.toLocaleString("en")}`
const paged = pageParameters(PAGE)
const yes = choice(["yes"], { description: "Only receivers that fail." })

type Page = ReturnType<typeof pageBelow>

/** Shows a page of records, the newest first. */
const showPage = <Row extends { readonly id: number }>(
  { limit = PAGE, cursor }: PageAsked,
  read: (storage: Storage["Service"], page: Page) => Effect.Effect<readonly Row[], Unavailable>,
  write: (row: Row) => OperationRow,
) =>
  Effect.gen(function* () {
    const page = pageBelow({ limit, cursor })
    const { items: rows, next_cursor } = cutPage(yield* read(yield* Storage, page), page, write)
    return { rows, next_cursor } satisfies Viewed
  })

/** Shows records that fit on one page. */
const showAll = <Row>(
  read: (storage: Storage["Service"]) => Effect.Effect<readonly Row[], Unavailable>,
  write: (row: Row) => OperationRow,
) => Effect.map(Effect.flatMap(Storage, read), found => ({ rows: found.map(write) }) satisfies Viewed)

const STOPPED = "stopped: "

/** Why a receiver gets nothing, in a sentence; null where the last attempt was taken. */
function explainReceiver(row: ReceiverRow): string | null {
  if (row.disabled_because !== null) return `${STOPPED}${row.disabled_because}`
  if (row.account_disabled === 1) return "its account is disabled"
  if (row.last_error !== null) return row.last_error
  if (row.last_status === null) return Number(row.waiting) > 0 ? "nothing was tried yet" : null
  return row.last_status >= 300 ? `it answered HTTP ${row.last_status}` : null
}

/** The transaction of a settlement; empty where the facilitator named none. */
const readTransaction = (settlement: string | null): string =>
  (settlement === null ? null : (JSON.parse(settlement) as { readonly transaction?: string }).transaction) || ""

/** What an operator is shown first: rows of a view that say that something is wrong, in a sentence each, and what helps. */
export interface Trouble {
  readonly view: string
  readonly given: Readonly<Record<string, string>>
  readonly isWrong: (row: OperationRow, nowMs: number) => boolean
  readonly say: (row: OperationRow) => string
  /** An act on a row, with its fields. */
  readonly help?: (
    row: OperationRow,
  ) => { readonly act: string; readonly fields: Readonly<Record<string, string>> } | null
}

/** Work that is due for so long is not only waiting for its turn. */
const LATE_MS = 10 * 60_000

export const TROUBLES: readonly Trouble[] = [
  {
    view: "receivers",
    given: { failing: "yes" },
    isWrong: ({ why }) => why !== null,
    say: ({ webhook: id, why, failing_since, waiting, given_up, next_at }) =>
      [
        `Webhook ${id} gets nothing${failing_since === null ? "" : ` since ${failing_since}`}: ${why}.`,
        `Deliveries: ${waiting} waiting, ${given_up} given up.`,
        ...(next_at === null || String(why).startsWith(STOPPED) ? [] : [`The next attempt is at ${next_at}.`]),
      ].join(" "),
    help: ({ webhook: id, why, last_delivery }) => {
      if (String(why).startsWith(STOPPED)) return { act: "switch-on", fields: { webhook: String(id) } }
      if (last_delivery === null) return null
      return { act: "replay", fields: { webhook: String(id), delivery: String(last_delivery) } }
    },
  },
  {
    view: "nodes",
    given: {},
    isWrong: ({ refused }) => refused !== null,
    say: ({ node, refused, why }) => `Process ${node} refuses installation ${refused}: ${why}.`,
  },
  {
    view: "queues",
    given: {},
    isWrong: ({ waiting, due_since }, nowMs) =>
      Number(waiting) > 0 && due_since !== null && nowMs - Date.parse(String(due_since)) > LATE_MS,
    say: ({ kind, waiting, due_since }) => `The queue ${kind} is late: ${waiting} waiting, due since ${due_since}.`,
  },
]

/** Says whether there was more of something bad than the day before: a few more are chance. */
const judgeCount = (count: number, before: number): string =>
  count === 0 ? "none" : count > 2 * before + 2 ? "look" : "as usual"

/** Every view, in the order in which they are offered. */
const VIEWS: readonly View[] = [
  view(
    "receivers",
    `Receivers of webhooks, and why one fails; deliveries are ${COUNTED}`,
    { failing: optional(yes), account: optional(account), ...paged },
    values => {
      const which = { accountId: values.account ?? null, isFailing: values.failing === "yes" }
      return showPage(
        values,
        ({ operations }, page) => operations.listReceivers(page, which),
        row => ({
          webhook: row.id,
          account: row.account_id,
          url: row.url,
          why: explainReceiver(row),
          waiting: Number(row.waiting),
          given_up: Number(row.given_up),
          failing_since: formatInstant(row.failing_since),
          next_at: formatInstant(row.next_at),
          last_delivery: row.last_delivery,
          last_at: formatInstant(row.last_at),
          last_status: row.last_status,
        }),
      )
    },
  ),
  view(
    "deliveries",
    "Deliveries of a webhook",
    { webhook, state: optional(choice(DELIVERY_STATES, { description: "Only those." })), ...paged },
    values =>
      showPage(
        values,
        ({ deliveries }, page) => deliveries.list({ webhookId: values.webhook, state: values.state ?? null, ...page }),
        row => ({
          delivery: row.id,
          type: row.type,
          state: row.state,
          attempts: row.attempt,
          created_at: formatInstant(row.created_at),
          next_attempt_at: row.state === "pending" ? formatInstant(row.due_at) : null,
          last_status: row.last_status,
          last_error: row.last_error,
        }),
      ),
  ),
  view("accounts", "Accounts and their use this month", paged, (values, { nowMs }) =>
    showPage(
      values,
      ({ operations }, page) => operations.listAccounts(page, utcMonthAt(nowMs).name),
      row => ({
        account: row.id,
        email: row.email,
        plan: row.plan,
        state: row.is_disabled === 1 ? "disabled" : row.is_confirmed === 1 ? "confirmed" : "unconfirmed",
        used: Number(row.used),
        since: row.created_at,
      }),
    ),
  ),
  view("keys", "Keys of an account", { account }, values =>
    Effect.flatMap(Accounts, accounts => accounts.listKeys(values.account)).pipe(
      Effect.map(found => ({
        rows: found.map(key => ({
          key: key.id,
          kind: key.kind,
          name: key.name,
          active: key.isActive,
          scopes: key.scopes.join(", "),
          from: key.allowedAddresses.join(", "),
          expires_at: formatInstant(key.expiresAt),
          last_used_at: formatInstant(key.lastUsedAt),
          used: key.used,
        })),
      })),
      Effect.catchTag("AccountNotFound", noSuch("account", values.account)),
    ),
  ),
  view("refusals", "Requests that this process refused because of a limit, since its start", {}, (_, { readMeter }) =>
    readMeter === null
      ? new OperationRefused({ message: "only a service knows what it has refused: ask at its operators' address" })
      : Effect.succeed({
          rows: readMeter().refusals.map(({ pool, reason, plan, count }) => ({ pool, reason, plan, count })),
        }),
  ),
  view("jobs", "Jobs, the newest hundred", {}, () =>
    showAll(
      ({ operations }) => operations.listJobs(100),
      ({ id, account_id, created_at, completed_at, ...counts }) => ({
        job: id,
        account: account_id,
        ...counts,
        created_at: formatInstant(created_at),
        completed_at: formatInstant(completed_at),
      }),
    ),
  ),
  view("queues", `Waiting work by kind, ${COUNTED}, and since when`, {}, () =>
    showAll(
      ({ operations }) => operations.countQueues,
      ({ kind, waiting, due_since }) => ({ kind, waiting: Number(waiting), due_since: formatInstant(due_since) }),
    ),
  ),
  view(
    "day",
    `The last 24 hours and the 24 before; requests by UTC day; deliveries are ${COUNTED}`,
    {},
    (_, { nowMs }) =>
      showAll(
        ({ operations }) => operations.countDay(nowMs),
        ({ what, is_bad, last, before }) => {
          const [count, earlier] = [Number(last), Number(before)]
          return { what, count, day_before: earlier, state: is_bad === 1 ? judgeCount(count, earlier) : null }
        },
      ),
  ),
  view("payments", "Payments for single calls", paged, values =>
    showPage(
      values,
      ({ payments }, { beforeId, limit }) => payments.list({ id: below(beforeId) }, { order: ["id DESC"], limit }),
      row => ({
        payment: row.id,
        at: formatInstant(row.created_at),
        state: row.state,
        usd: Number(row.amount) / 1e6,
        question: row.question,
        payer: row.payer,
        transaction: readTransaction(row.settlement),
        error: row.error,
      }),
    ),
  ),
  view(
    "installations",
    "Installed datasets; without one the configured dataset is used",
    paged,
    (values, { configured: { version, asOf } }) => {
      const initial = { installation: null, kind: "configured", version, as_of: asOf, installed_at: null }
      const seen = showPage(
        values,
        ({ operations }, page) => operations.listInstallations(page),
        row => ({
          installation: row.id,
          kind: row.kind,
          version: row.version ?? version,
          as_of: row.as_of ?? asOf,
          installed_at: row.installed_at,
        }),
      )
      if (values.cursor !== undefined) return seen
      return Effect.map(seen, ({ rows, next_cursor }) => ({ rows: [...rows, initial], next_cursor }))
    },
  ),
  view("nodes", "Processes that are alive, what they answer from, and what they refuse", {}, (_, { nowMs }) =>
    showAll(
      ({ nodes }) => nodes.listAlive(nowMs),
      ({ id, version, step, installation_id, refused_id, refused_because, alive_until }) => ({
        node: id,
        version,
        step,
        installation: installation_id === 0 ? null : installation_id,
        refused: refused_id,
        why: refused_because,
        alive_until: formatInstant(alive_until),
      }),
    ),
  ),
  view("audit", "Changes, and who made them", { account: optional(account), ...paged }, values =>
    showPage(
      values,
      ({ audit }, { beforeId, limit }) =>
        audit.list(
          { id: below(beforeId), ...(values.account !== undefined && { account_id: values.account }) },
          { order: ["id DESC"], limit },
        ),
      ({ account_id, ...row }) => ({ ...row, account: account_id }),
    ),
  ),
]

// What does an operator do? Each act is written into the audit trail with the operator's name, in the transaction of the act where it has
// one.

const path = textThat("the path of a file", text => text !== "" && !text.includes("\0"), {
  description: "The path of a dataset file on the machine of the service.",
})

/** Writes an act that is not one of an account's keys or plan into the trail; the deployment itself has the number 0. */
const note = (accountId: number, action: AuditAction, detail: string) =>
  Effect.flatMap(Storage, storage => makeAuditTrail(storage).note(accountId, action, detail))

/** Carries an act out under the operator's name. */
const by =
  ({ operator }: Operating) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    actingAs(`operator ${operator}`)(work)

/** The first four bytes of every dataset file. */
const MAGIC = "LNDF"

/** Reads a dataset file; of any other file it tells nothing, not even whether it exists. */
const readDataset = (file: string): Effect.Effect<Uint8Array, OperationRefused> =>
  Effect.tryPromise({
    try: async () => {
      // What is no file might never end.
      const found = await stat(file)
      const bytes = found.isFile() && refuseLarge(found.size) === null ? await readFile(file) : new Uint8Array()
      if (Buffer.from(bytes.subarray(0, MAGIC.length)).toString("latin1") !== MAGIC) throw new Error("another file")
      return bytes
    },
    catch: () =>
      new OperationRefused({ message: `${file} is not a dataset file of up to 32 MiB that the service can read` }),
  })

const orRefused = <A, R>(work: Effect.Effect<A, InstallRefused | Unavailable, R>) =>
  Effect.catchTag(work, "InstallRefused", ({ message }) => Effect.fail(new OperationRefused({ message })))

const ACTS: readonly Act[] = [
  act(
    "set-plan",
    { beside: "accounts", summary: "Change the plan of an account" },
    { account, plan: choice(PLAN_IDS, { description: "The plan." }) },
    (values, operating) =>
      Effect.flatMap(Accounts, accounts => accounts.setPlan(values.account, values.plan)).pipe(
        by(operating),
        Effect.as(`Account ${values.account} is on the plan ${values.plan}.`),
        Effect.catchTag("AccountNotFound", noSuch("account", values.account)),
      ),
  ),
  act(
    "end-key",
    { beside: "keys", summary: "End a key for good" },
    { key: idOf({ description: "The id of the key." }) },
    (values, operating) =>
      Effect.flatMap(Accounts, accounts => accounts.revokeKey(values.key)).pipe(
        by(operating),
        Effect.map(({ id, accountId }) => `Key ${id} of account ${accountId} no longer works.`),
        Effect.catchTag("NoSuchKey", noSuch("key", values.key)),
      ),
  ),
  act("switch-on", { beside: "receivers", summary: "Resume a stopped receiver" }, { webhook }, (values, operating) =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const row = yield* storage.webhooks.find({ id: values.webhook })
      if (row === undefined) return yield* noSuch("webhook", values.webhook)()
      if (row.disabled_because === null) return `Webhook ${row.id} was not stopped.`
      yield* storage.transact(
        Effect.andThen(storage.webhooks.enable(row.id), note(row.account_id, "webhook_enabled", `webhook ${row.id}`)),
      )
      return `Webhook ${row.id} is sent to again.`
    }).pipe(by(operating)),
  ),
  act(
    "replay",
    { beside: "deliveries", summary: "Send a delivery again" },
    { webhook, delivery: idOf({ description: "The id of the delivery." }) },
    (values, operating) =>
      Effect.gen(function* () {
        const { transact, webhooks } = yield* Storage
        const { test, ...live } = yield* Webhooks
        const row = yield* webhooks.find({ id: values.webhook })
        if (row === undefined) return yield* noSuch("webhook", values.webhook)()
        const { replay } = row.is_test === 1 ? test : live
        const { nowMs } = operating
        const found = yield* transact(
          Effect.tap(replay(row.account_id, row.id, values.delivery), repeated =>
            repeated.due_at >= nowMs
              ? note(row.account_id, "delivery_replayed", `delivery ${repeated.id} to webhook ${row.id}`)
              : Effect.void,
          ),
        )
        return `Delivery ${found.id} is ${found.due_at >= nowMs ? "sent again" : "under way already"}.`
      }).pipe(
        by(operating),
        Effect.catchTag("NoSuchWebhook", noSuch("delivery", values.delivery)),
        Effect.catchTag("TriedTooOften", ({ message, retryAfterSeconds }) =>
          Effect.fail(new OperationRefused({ message: `${message} Try again in ${retryAfterSeconds} seconds.` })),
        ),
      ),
  ),
  act(
    "install",
    { beside: "installations", summary: "Install a dataset, and notify the subscribers of its changes" },
    { file: path },
    (values, operating) =>
      Effect.gen(function* () {
        const bytes = yield* readDataset(values.file)
        const { before, after, changes } = yield* orRefused(installDataset(operating.configured, bytes))
        yield* note(0, "dataset_installed", `${after} after ${before}`)
        return `${before} → ${after}: ${changes.length} policies change.`
      }).pipe(by(operating)),
  ),
  act(
    "roll-back",
    { beside: "installations", summary: "Return to the dataset before the last installation" },
    {},
    (_, operating) =>
      Effect.gen(function* () {
        const { before, after } = yield* orRefused(rollBack(operating.configured))
        yield* note(0, "dataset_rolled_back", `${after} after ${before}`)
        return `${before} → ${after}.`
      }).pipe(by(operating)),
  ),
]

export const OPERATIONS: readonly Operation[] = [...VIEWS, ...ACTS]

export const findOperation = (name: string): Operation | undefined =>
  OPERATIONS.find(operation => operation.name === name)
