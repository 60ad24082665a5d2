/**
 * Which values does a deployment keep once for all of its processes?
 *
 * Texts by name. Most are written once and never changed: a second process reads what the first one wrote.
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

  /** The values whose names begin with a text. */
  listValues: (beginning: string) =>
    database.ask(
      sql => sql<{ name: string; value: string }>`SELECT name, value FROM deployment
        WHERE substr(name, 1, ${sql.literal(String(beginning.length))}) = ${beginning} ORDER BY name`,
    ),

  /** Writes a value in place of the stored one. */
  putValue: (name: string, value: string) =>
    database.insertAll("deployment", [{ name, value }], "ON CONFLICT (name) DO UPDATE SET value = excluded.value"),

  removeValue: (name: string) => database.run(sql => sql`DELETE FROM deployment WHERE name = ${name}`),
})
