/**
 * Deployments on the PostgreSQL of this run: one database a file of tests, in which each deployment has a schema of its own, so that making
 * one takes a millisecond.
 */
import { randomUUID } from "node:crypto"
import { Effect, Redacted } from "effect"
import { inject } from "vitest"
import { waitForPostgres } from "./postgres-setup.ts"
import { runStatements } from "./run-statements.ts"

/** A deployment that processes on any machine share. */
export interface PostgresDeployment {
  readonly databaseUrl: string
  readonly secret: Redacted.Redacted<string>
}

const named = (url: string, database: string): string => {
  const named = new URL(url)
  named.pathname = `/${database}`
  return named.href
}

let fileDatabase: Promise<string> | undefined

/** The database of this file of tests. */
const findFileDatabase = Effect.promise(() => {
  fileDatabase ??= (async () => {
    const url = await waitForPostgres(inject("postgres"))
    const name = `landfall_${randomUUID().replaceAll("-", "")}`
    await Effect.runPromise(runStatements(url, [`CREATE DATABASE ${name}`]))
    return named(url, name)
  })()
  return fileDatabase
})

/** A deployment that was never started. */
export const makePostgresDeployment: Effect.Effect<PostgresDeployment> = Effect.gen(function* () {
  const url = yield* findFileDatabase
  const schema = `s_${randomUUID().replaceAll("-", "")}`
  yield* Effect.orDie(runStatements(url, [`CREATE SCHEMA ${schema}`]))
  const databaseUrl = new URL(url)
  databaseUrl.searchParams.set("options", `-c search_path=${schema}`)
  return { databaseUrl: databaseUrl.href, secret: Redacted.make(Buffer.alloc(32, 7).toString("base64")) }
})
