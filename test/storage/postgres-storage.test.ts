import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { makePostgresClient } from "../../adapters/storage/postgres-client.ts"
import { IS_WHOLE } from "../sample.ts"
import { makePostgresDeployment } from "./postgres-deployment.ts"
import { describeStorage } from "./storage-suite.ts"

describe("on PostgreSQL,", () => {
  describeStorage(makePostgresDeployment, IS_WHOLE)

  it.live("sessions have limits of time, and the one that brings the tables up to date has none", () =>
    Effect.gen(function* () {
      const { databaseUrl } = yield* makePostgresDeployment
      const limits = (isLimited: boolean) =>
        Effect.gen(function* () {
          const sql = yield* makePostgresClient(Redacted.make(databaseUrl), { isLimited })
          const [row] = yield* sql<{ statement: string; lock: string }>`SELECT
            current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock`
          return [row?.statement, row?.lock]
        }).pipe(Effect.scoped)
      assert.deepStrictEqual(yield* limits(true), ["15s", "5s"])
      assert.deepStrictEqual(yield* limits(false), ["0", "0"])
    }),
  )
})
