/** The steps of a newer version: one that adds, and one that removes what the version before it uses. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { STEPS, type Step } from "../../adapters/storage/tables.ts"

const run = (statement: string): Step["run"] =>
  Effect.flatMap(SqlClient.SqlClient, sql => Effect.asVoid(sql.unsafe(statement)))

const added = STEPS.length + 1

const newer = (remove: string): readonly Step[] => [
  ...STEPS,
  { name: "add_note", run: run("ALTER TABLE accounts ADD COLUMN note TEXT") },
  { name: "remove_old", needs: added, run: run(remove) },
]

/** The last one removes what this version uses. */
export const NEWER_STEPS = newer("DROP TABLE affiliate_clicks")

/** The same for a program with this version's code, which works without what the last one removes. */
export const NEWER_RUNNING_STEPS = newer("DROP INDEX events_dated")
