/** What does an operator do? Each act is written into the audit trail with the operator's name, in the transaction of the act where it has one. */
import { readFile, stat } from "node:fs/promises"
import { Clock, Effect } from "effect"
import { Accounts } from "../../accounts/accounts.ts"
import { type AuditAction, actingAs, makeAuditTrail } from "../../accounts/audit-trail.ts"
import { type InstallRefused, installDataset, rollBack } from "../../events/install-dataset.ts"
import { PLAN_IDS } from "../../settings/feature-options.ts"
import { Storage } from "../../storage/storage.ts"
import type { Unavailable } from "../../storage/storage-errors.ts"
import { Webhooks } from "../../webhooks/webhooks.ts"
import { choice, idOf, type Parameter } from "../pipeline/parameters.ts"
import { type Act, account, act, noSuch, type Operating, OperationRefused, webhook } from "./operation.ts"

const path: Parameter<string> = {
  expected: "the path of a file",
  isRequired: true,
  document: { type: "string", description: "The path of a dataset file on the machine of the service." },
  read: text => (text === "" || text.includes("\0") ? undefined : text),
}

/** Writes an act that is not one of an account's keys or plan into the trail; the deployment itself has the number 0. */
const note = (accountId: number, action: AuditAction, detail: string) =>
  Effect.flatMap(Storage, storage => makeAuditTrail(storage).note(accountId, action, detail))

/** Carries an act out under the operator's name. */
const by =
  ({ operator }: Operating) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    actingAs(`operator ${operator}`)(work)

/** The largest dataset file that is read. */
const MAXIMUM_DATASET_BYTES = 32 * 1_048_576
/** The first four bytes of every dataset file. */
const MAGIC = "LNDF"

/** Reads a dataset file; of any other file it tells nothing, not even whether it exists. */
const readDataset = (file: string): Effect.Effect<Uint8Array, OperationRefused> =>
  Effect.tryPromise({
    try: async () => {
      // What is no file might never end.
      const found = await stat(file)
      const bytes = found.isFile() && found.size <= MAXIMUM_DATASET_BYTES ? await readFile(file) : new Uint8Array()
      if (Buffer.from(bytes.subarray(0, MAGIC.length)).toString("latin1") !== MAGIC) throw new Error("another file")
      return bytes
    },
    catch: () =>
      new OperationRefused({ message: `${file} is not a dataset file of up to 32 MiB that the service can read` }),
  })

const orRefused = <A, R>(work: Effect.Effect<A, InstallRefused | Unavailable, R>) =>
  Effect.catchTag(work, "InstallRefused", ({ message }) => Effect.fail(new OperationRefused({ message })))

export const ACTS: readonly Act[] = [
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
        Effect.catchTag("KeyNotFound", noSuch("key", values.key)),
      ),
  ),
  act("switch-on", { beside: "receivers", summary: "Resume a stopped receiver" }, { webhook }, (values, operating) =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const [row] = yield* storage.webhooks.findAll([values.webhook])
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
        const [row] = yield* webhooks.findAll([values.webhook])
        if (row === undefined) return yield* noSuch("webhook", values.webhook)()
        const { replay } = row.is_test === 1 ? test : live
        const nowMs = yield* Clock.currentTimeMillis
        const found = yield* transact(
          Effect.tap(replay(row.account_id, row.id, values.delivery), repeated =>
            repeated !== null && repeated.due_at >= nowMs
              ? note(row.account_id, "delivery_replayed", `delivery ${repeated.id} to webhook ${row.id}`)
              : Effect.void,
          ),
        )
        if (found === null) return yield* noSuch("delivery", values.delivery)()
        return `Delivery ${found.id} is ${found.due_at >= nowMs ? "sent again" : "under way already"}.`
      }).pipe(
        by(operating),
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
