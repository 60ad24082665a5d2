/**
 * On which deployment does an operator's command work?
 *
 * On the one that the environment names, as `landfall serve` reads it: `LANDFALL_DATABASE_URL` and `LANDFALL_SECRET`. A running
 * service notices within a second what is changed here. Only a command that makes the first account makes a database; every other
 * one refuses a missing file, because a misspelt path would otherwise be an empty deployment.
 */
import { existsSync } from "node:fs"
import { Effect, Logger } from "effect"
import type { Account } from "../../customers/accounts/account.ts"
import { Accounts } from "../../customers/accounts/accounts.ts"
import { actingAs } from "../../customers/accounts/audit-trail.ts"
import type { Plans } from "../../customers/plans/plans.ts"
import { keepSecret, readSetting } from "../../platform/settings/config.ts"
import { settings } from "../../platform/settings/settings.ts"
import { parseDatabaseUrl } from "../../platform/storage/database-url.ts"
import type { Storage } from "../../platform/storage/storage.ts"
import { layerDeployment } from "../run/deployment.ts"
import { CommandFailed } from "./outcome.ts"

// stdout is for answers only.
const toStderr = Logger.layer([Logger.withConsoleError(Logger.formatSimple)])

/** Runs a command on the deployment of the environment; a failure to open it ends it with 1. */
export const onDeployment =
  (options: { readonly makesDatabase: boolean }) =>
  <A, E extends { readonly message: string }, R>(
    work: Effect.Effect<A, E, R>,
  ): Effect.Effect<A, CommandFailed, Exclude<R, Accounts | Storage | Plans>> =>
    Effect.gen(function* () {
      const databaseUrl = yield* readSetting(settings.rows.databaseUrl)
      const secret = keepSecret(yield* readSetting(settings.rows.secret)) ?? undefined
      const location = yield* parseDatabaseUrl(databaseUrl)
      if (location.path !== null && !options.makesDatabase && !existsSync(location.path)) {
        const message = `there is no database file ${location.path}; LANDFALL_DATABASE_URL names the one to use`
        return yield* new CommandFailed({ message })
      }
      return yield* Effect.provide(actingAs("operator")(work), layerDeployment({ databaseUrl, secret }))
    }).pipe(
      Effect.mapError(error =>
        error instanceof CommandFailed ? error : new CommandFailed({ message: error.message }),
      ),
      Effect.provide(toStderr),
    ) as Effect.Effect<A, CommandFailed, Exclude<R, Accounts | Storage | Plans>>

/** Finds an account by its number or its e-mail address. */
export const findAccount = (named: string): Effect.Effect<Account, CommandFailed, Accounts> =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const isNumber = /^\d{1,9}$/.test(named)
    const account = yield* (isNumber ? accounts.findAccount(Number(named)) : accounts.findAccountByEmail(named)).pipe(
      Effect.mapError(({ message }) => new CommandFailed({ message })),
    )
    if (account !== null) return account
    const what = isNumber ? `with the number ${named}` : `with the e-mail address ${named}`
    return yield* new CommandFailed({
      message: `there is no account ${what}`,
      code: "not_found",
      field: "account",
      given: named,
    })
  })
