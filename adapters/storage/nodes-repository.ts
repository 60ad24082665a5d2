/**
 * Which processes serve and work on this database now?
 *
 * Each notes every few seconds that it is alive, which version it is, from which installation it answers and which it has refused. Steps of
 * the tables and events wait for those that are behind, and operators see them.
 */
import { Effect } from "effect"
import { VERSION } from "../settings/package-version.ts"
import type { Database } from "./database.ts"
import type { Unavailable } from "./storage-errors.ts"

// Which values does a deployment keep once for all of its processes?
// Texts by name. Most are written once and never changed: a second process reads what the first one wrote.

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

/** The state of a node. */
export interface NodeRow {
  readonly id: string
  readonly version: string
  /** The newest step of the tables that it knows. */
  readonly step: number
  /** The installation that it answers from; 0 where that is none. */
  readonly installation_id: number
  /** The newer installation that it cannot open; null where there is none. */
  readonly refused_id: number | null
  readonly refused_because: string | null
  /** Epoch milliseconds, by the database's time. */
  readonly alive_until: number
}

/** The statements on nodes. */
export const makeNodesRepository = (database: Database) => ({
  /** Notes the state of a node. It need not survive a power cut. */
  note: (node: Omit<NodeRow, "version" | "step">): Effect.Effect<void, Unavailable> =>
    database.transact(
      database.insertAll(
        "nodes",
        [{ ...node, version: VERSION, step: database.knownSteps.length }],
        `ON CONFLICT (id) DO UPDATE SET installation_id = excluded.installation_id, refused_id = excluded.refused_id,
          refused_because = excluded.refused_because, alive_until = excluded.alive_until`,
      ),
      { isDurable: false },
    ),

  /** Forgets a node that ends. */
  forget: (id: string) => database.run(sql => sql`DELETE FROM nodes WHERE id = ${id}`),

  /** Forgets nodes that have not been alive since an instant; returns their number. */
  forgetLost: (beforeMs: number) =>
    database.countChanged(sql => sql`DELETE FROM nodes WHERE alive_until < ${beforeMs} RETURNING id`),

  /** The nodes that are alive. */
  list: (nowMs: number) =>
    database.ask(
      sql => sql<NodeRow>`SELECT id, version, step, installation_id, refused_id, refused_because, alive_until FROM nodes
        WHERE alive_until > ${nowMs} ORDER BY id`,
    ),

  /** The ids of those that answer from an installation before a given one. */
  listBehind: (installationId: number, nowMs: number) =>
    database.askValues(
      sql => sql<{ id: string }>`SELECT id FROM nodes
        WHERE installation_id < ${installationId} AND alive_until > ${nowMs} ORDER BY id`,
    ),
})
