import { resolve } from "node:path"
import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { parseDatabaseUrl } from "../../adapters/storage/database-url.ts"

const EXPECTED =
  "expected file:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE, for example file:./landfall.db or postgres://landfall@localhost/landfall"

describe("parseDatabaseUrl", () => {
  it.effect.each([
    ["file:./a.db", resolve("a.db")],
    ["file:/var/lib/a.db", "/var/lib/a.db"],
    ["file:///var/lib/a%20b.db", "/var/lib/a b.db"],
  ] as const)("reads %s as a file", ([url, path]) =>
    Effect.gen(function* () {
      const { open: _, ...location } = yield* parseDatabaseUrl(url)
      assert.deepStrictEqual(location, { engine: "sqlite", label: path, path })
    }),
  )

  it.effect.each([
    ["postgres://lucia:hunter2@db.example/visas", "PostgreSQL at db.example:5432, database visas"],
    ["postgresql://lucia@db:6000/a%20b?sslmode=require", "PostgreSQL at db:6000, database a b"],
    ["postgres://[::1]/visas?connect_timeout=3&application_name=x", "PostgreSQL at [::1]:5432, database visas"],
    ["postgres:///visas?host=/run/postgresql", "PostgreSQL at /run/postgresql, database visas"],
  ] as const)("reads %s as PostgreSQL, and names it without a secret", ([url, label]) =>
    Effect.gen(function* () {
      const location = yield* parseDatabaseUrl(url)
      assert.strictEqual(location.engine, "postgres")
      assert.strictEqual(location.label, label)
      assert.isNull(location.path)
      assert.notInclude(inspect(location, { depth: null, showHidden: true }), "hunter2")
    }),
  )

  it.effect.each([
    ["mysql://lucia:hunter2@db/visas", 'the scheme "mysql:" is not supported'],
    ["landfall.db", "there is no scheme"],
    ["file:", "no file is named"],
    ["file:data/", "no file is named"],
    ["file:a.db?mode=ro", '"?", "#" and NUL are not allowed in it'],
    ["file://elsewhere/a.db", "the path cannot be read"],
    ["postgres://lucia:hunter2@:5432/visas", "the URL cannot be read"],
    ["postgres://lucia:hunter2@db:70000/visas", "the URL cannot be read"],
    ["postgres:///visas", "no host is named"],
    ["postgres://lucia:hunter2@db", "no database is named"],
    ["postgres://lucia:hunter2@db/visas/more", "no database is named"],
    ["postgres://lucia:hunter#2@db/visas", '"#" is not allowed in it; in a password it is written %23'],
    [
      "postgres://lucia:100%@db/visas",
      'a "%" in the user, the password or the database is not followed by two hexadecimal digits',
    ],
    [
      "postgres://lucia:hunter2@db/visas?ssl_mode=require",
      'the parameter "ssl_mode" is not known; known: application_name, connect_timeout, host, options, sslmode',
    ],
    [
      "postgres://lucia:hunter2@db/visas?sslmode=on",
      "the sslmode is not one of disable, prefer, require, verify-ca, verify-full",
    ],
    ["postgres://lucia:hunter2@db/visas?connect_timeout=soon", "the connect_timeout is not a whole number of seconds"],
  ] as const)("refuses %s with the expected form, without the password", ([url, found]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(parseDatabaseUrl(url))
      assert.strictEqual(error._tag, "DatabaseUrlRefused")
      assert.strictEqual(error.message, `LANDFALL_DATABASE_URL: ${found}; ${EXPECTED}`)
    }),
  )
})
