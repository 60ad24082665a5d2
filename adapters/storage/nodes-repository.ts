/**
 * What do all processes of a deployment share?
 *
 * Values by name, most of which are written once: a second process reads what the first one wrote. The processes that serve or work now:
 * each notes every few seconds that it is alive, which version it is, from which installation it answers and which it has refused. Steps of
 * the tables and events wait for those that are behind, and operators see them. And the spots that the operator has imported instead of
 * those of the package: one row a spot, its fields as JSON, because a set is always read whole; none where it was never changed.
 */
import { Effect } from "effect"
import { VERSION } from "../settings/package-version.ts"
import type { Database } from "./database.ts"
import type { Unavailable } from "./storage-errors.ts"
import { above, below, bumpCounter, makeTable, readCounter } from "./table-statements.ts"
import type { Row } from "./tables.ts"

/** The statements on the values of a deployment. */
export const makeDeploymentRepository = (database: Database) => {
  const { find, insertAll, put, remove } = makeTable(database, "deployment")
  /** A value, or undefined where none was written. */
  const findValue = (name: string) => Effect.map(find({ name }), row => row?.value)
  return {
    findValue,
    put,
    remove,

    /** Writes a value unless there is one, and returns the stored one. */
    keepValue: (name: string, value: string): Effect.Effect<string, Unavailable> =>
      database.transact(
        Effect.andThen(
          insertAll([{ name, value }], "ON CONFLICT (name) DO NOTHING"),
          Effect.map(findValue(name), found => found!),
        ),
      ),

    /** The values whose names begin with a text. */
    listValues: (beginning: string) =>
      database.ask(
        sql => sql<Row<"deployment">>`SELECT name, value FROM deployment
          WHERE substr(name, 1, ${sql.literal(String(beginning.length))}) = ${beginning} ORDER BY name`,
      ),
  }
}

/**
 * The state of a node: the newest step of the tables that it knows, the installation that it answers from (0 for none), the newer one that it
 * cannot open, and until when it counts as alive, by the database's time.
 */
type NodeRow = Row<"nodes">

/** The statements on nodes. */
export const makeNodesRepository = (database: Database) => {
  const nodes = makeTable(database, "nodes")
  return {
    ...nodes,

    /** Notes the state of a node. It need not survive a power cut. */
    note: (node: Omit<NodeRow, "version" | "step">): Effect.Effect<void, Unavailable> =>
      database.transact(nodes.put([{ ...node, version: VERSION, step: database.knownSteps.length }], "id"), {
        isDurable: false,
      }),

    /** Forgets nodes that have not been alive since an instant; returns their number. */
    forgetLost: (beforeMs: number) =>
      database.countChanged(sql => sql`DELETE FROM nodes WHERE alive_until < ${beforeMs} RETURNING id`),

    /** The nodes that are alive. */
    listAlive: (nowMs: number) => nodes.list({ alive_until: above(nowMs) }, { order: ["id"] }),

    /** The ids of those that answer from an installation before a given one. */
    listBehind: (installationId: number, nowMs: number) =>
      Effect.map(
        nodes.list({ installation_id: below(installationId), alive_until: above(nowMs) }, { order: ["id"] }),
        found => found.map(({ id }) => id),
      ),
  }
}

/** A spot as it is stored; `body` is JSON. */
export type SpotRow = Row<"spots">

/** The statements on spots. */
export const makeSpotsRepository = (database: Database) => {
  const { list, put } = makeTable(database, "spots")
  return {
    /** Announces a change of the set; the second of two simultaneous changes waits here for the first. */
    nextRevision: bumpCounter(database, "spots_revision"),
    /** The number of the set's last change: 0 where it never was. */
    readRevision: readCounter(database, "spots_revision"),
    list,
    /** Writes spots, replacing those with the same ids. */
    put: (rows: readonly SpotRow[]) => put(rows, "id"),

    remove: (ids: readonly string[]) =>
      database.runSome(ids, (sql, some) => sql`DELETE FROM spots WHERE ${sql.in("id", some)}`),
  }
}
