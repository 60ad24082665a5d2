/**
 * One PostgreSQL for a run of the tests. It starts beside the first tests, and whoever needs it waits for it: a run that needs none is not
 * held up. `LANDFALL_TEST_POSTGRES_URL` names another server to be used instead (a user who may make databases).
 */
import { randomUUID } from "node:crypto"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { findFreePort, nameDatabase, type PostgresServer, startPostgres, waitUntil } from "./postgres-server.ts"

/** Where the tests find their server. */
export interface SharedPostgres {
  /** Of a database that is there. */
  readonly url: string
  /** Null for a server that is there already; else the files of which one will be there, when it is ready or why it will not be. */
  readonly starting: { readonly readyFile: string; readonly failureFile: string } | null
}

declare module "vitest" {
  export interface ProvidedContext {
    postgres: SharedPostgres
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.LANDFALL_TEST_POSTGRES_URL
  if (given !== undefined && given !== "") {
    project.provide("postgres", { url: given, starting: null })
    return async () => undefined
  }
  const port = await findFreePort()
  const password = randomUUID()
  const folder = mkdtempSync(join(tmpdir(), "landfall-postgres-run-"))
  const starting = { readyFile: join(folder, "ready"), failureFile: join(folder, "failure") }
  project.provide("postgres", { url: nameDatabase({ port, password }, "postgres"), starting })
  const started: Promise<PostgresServer | undefined> = startPostgres({ port, password }).then(
    server => {
      writeFileSync(starting.readyFile, "")
      return server
    },
    cause => {
      writeFileSync(starting.failureFile, cause instanceof Error ? cause.message : String(cause))
      return undefined
    },
  )
  return async () => {
    const server = await started
    await server?.stop()
    rmSync(folder, { recursive: true })
  }
}

/** Waits until the server of this run is there; answers the address of a database in it. */
export async function waitForPostgres({ url, starting }: SharedPostgres): Promise<string> {
  if (starting === null) return url
  await waitUntil(
    () => existsSync(starting.readyFile),
    () => (existsSync(starting.failureFile) ? readFileSync(starting.failureFile, "utf8") : undefined),
  )
  return url
}
