/**
 * Which values does a deployment keep once for all of its processes?
 *
 * Texts by name, each written once and never changed: a second process reads what the first one wrote.
 */
import { Effect } from "effect"
import type { Database } from "./database.ts"

/** The statements on the values of a deployment. */
export const makeDeploymentRepository = (database: Database) => ({
  /** A value, or undefined where none was written. */
  findValue: (name: string) =>
    Effect.map(
      database.askOne(sql => sql<{ value: string }>`SELECT value FROM deployment WHERE name = ${name}`),
      row => row?.value,
    ),

  /** Writes a value unless there is one, and returns the stored one. */
  keepValue: (name: string, value: string) =>
    database.transact(
      Effect.gen(function* () {
        yield* database.change(
          sql => sql`INSERT INTO deployment (name, value) VALUES (${name}, ${value}) ON CONFLICT (name) DO NOTHING`,
        )
        const row = yield* database.askOne(
          sql => sql<{ value: string }>`SELECT value FROM deployment WHERE name = ${name}`,
        )
        return row!.value
      }),
    ),
})
