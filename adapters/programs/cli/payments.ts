/** `landfall payments list`: what was paid for single calls, the newest first. */
import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { loadDeployment } from "./load-deployment.ts"
import { jsonFlag, printJson, printTable } from "./outcome.ts"

const AT_MOST = 1_000

const list = Command.make(
  "list",
  {
    limit: Flag.Int("limit").pipe(
      Flag.withDescription("How many to list at most, the newest first"),
      Flag.withDefault(50),
    ),
    json: jsonFlag,
  },
  Effect.fnUntraced(function* ({ limit, json }) {
    const { Storage, onDeployment } = yield* loadDeployment
    const found = yield* Effect.gen(function* () {
      const { payments } = yield* Storage
      return yield* payments.list(Number.MAX_SAFE_INTEGER, Math.max(1, Math.min(limit, AT_MOST)))
    }).pipe(onDeployment({ makesDatabase: false }))
    // Parts that could be submitted again are not shown.
    const shown = found.map(({ sealed_payment: _, settlement, ...row }) => ({
      ...row,
      transaction:
        settlement === null ? null : (JSON.parse(settlement) as { transaction?: string }).transaction || null,
    }))
    if (json) return yield* printJson(shown)
    if (shown.length === 0) return yield* Console.log("Nothing was paid by the call.")
    const rows = shown.map(row => [
      row.id,
      new Date(row.created_at).toISOString(),
      row.state,
      `${Number(row.amount) / 1e6} USD`,
      row.question,
      row.payer,
      row.transaction ?? row.error ?? "",
    ])
    yield* printTable(["number", "when", "state", "amount", "for", "payer", "transaction"], rows)
  }),
).pipe(
  Command.withDescription("List payments for single calls"),
  Command.withExamples([{ command: "landfall payments list --limit 10", description: "The newest ten" }]),
)

export const payments = Command.make("payments").pipe(
  Command.withDescription("Show what was paid by the call"),
  Command.withSubcommands([list]),
)
