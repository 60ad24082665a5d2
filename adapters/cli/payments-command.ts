/** `landfall payments list`: what was paid for single calls, the newest first. */
import { Console } from "effect"
import { Command, Flag } from "effect/cli"
import { makeCommand } from "./command.ts"
import { printJson, printTable } from "./command-outcome.ts"
import { onDeployment } from "./load-deployment.ts"

const AT_MOST = 1_000

const list = makeCommand("list", {
  about: "List payments for single calls",
  examples: { "landfall payments list --limit 10": "The newest ten" },
  takes: {
    limit: Flag.Int("limit").pipe(
      Flag.withDescription("How many to list at most, the newest first"),
      Flag.withDefault(50),
    ),
  },
  *run({ limit, json }) {
    const found = yield* onDeployment(({ storage }) =>
      storage.payments.list(Number.MAX_SAFE_INTEGER, Math.max(1, Math.min(limit, AT_MOST))),
    )
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
  },
})

export const payments = Command.make("payments").pipe(
  Command.withDescription("Show the payments for single calls"),
  Command.withSubcommands([list]),
)
