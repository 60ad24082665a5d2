/**
 * On which deployment does an operator's command work?
 *
 * On the one that the environment names, as `landfall serve` reads it: `LANDFALL_DATABASE_URL` and `LANDFALL_SECRET`. A running
 * service notices within a second what is changed here. No command makes a database or changes its tables but `landfall migrate`: a misspelt
 * path would otherwise be an empty deployment.
 */
import { Effect, Logger } from "effect"
import type { Account } from "../accounts/account.ts"
import { Accounts } from "../accounts/accounts.ts"
import { actingAs } from "../accounts/audit-trail.ts"
import type { Plans } from "../plans/plans.ts"
import type { DeploymentSecret } from "../secrets/deployment-secret.ts"
import { keepSecret, readSetting } from "../settings/config.ts"
import { settings } from "../settings/settings.ts"
import { layerDeployment } from "../start/deployment.ts"
import { Storage } from "../storage/storage.ts"
import { readWhole } from "../validation/fields.ts"
import { argument } from "./command.ts"
import { type CommandEnded, failCommand, failed } from "./failure.ts"

// stdout is for answers only.
const toStderr = Logger.layer([Logger.withConsoleError(Logger.formatSimple)])

/** The services that a command uses. */
export interface Deployment {
  readonly accounts: Accounts["Service"]
  readonly storage: Storage["Service"]
  /** Finds an account by its number or its e-mail address. */
  readonly findAccount: (named: string) => Effect.Effect<Account, CommandEnded>
}

/** `ACCOUNT`: a number or an e-mail address. */
export const account = argument("The account's number, or its e-mail address")

type Services = Accounts | Storage | Plans | DeploymentSecret

/** Does something on the deployment of the environment, in the name of its operator; a failure to open it ends the command with 1. */
export const onDeployment = <A, E extends { readonly message: string }, R>(
  work: (deployment: Deployment) => Effect.Effect<A, E, R>,
) =>
  Effect.gen(function* () {
    const databaseUrl = yield* readSetting(settings.rows.databaseUrl)
    const secret = keepSecret(yield* readSetting(settings.rows.secret)) ?? undefined
    const opened = Effect.gen(function* () {
      const accounts = yield* Accounts
      return yield* work({ accounts, storage: yield* Storage, findAccount: makeAccountFinder(accounts) })
    })
    return yield* Effect.provide(actingAs("operator")(opened), layerDeployment({ databaseUrl, secret }, "command"))
  }).pipe(Effect.mapError(failCommand), Effect.provide(toStderr)) as Effect.Effect<
    A,
    CommandEnded,
    Exclude<R, Services>
  >

/** Does something with an account. */
export const onAccount = <A, E extends { readonly message: string }, R>(
  named: string,
  work: (account: Account, deployment: Deployment) => Effect.Effect<A, E, R>,
) => onDeployment(deployment => Effect.flatMap(deployment.findAccount(named), account => work(account, deployment)))

const makeAccountFinder =
  (accounts: Accounts["Service"]): Deployment["findAccount"] =>
  named => {
    const isNumber = /^\d+$/.test(named)
    const message = `there is no account with the ${isNumber ? "number" : "e-mail address"} ${named}`
    const none = failed(message, { code: "not_found", field: "account", given: named })
    // No account has the number 0.
    return (isNumber ? accounts.findAccount(readWhole(named) ?? 0) : accounts.findAccountByEmail(named)).pipe(
      Effect.mapError(({ message }) => failed(message)),
      Effect.flatMap(found => (found === null ? Effect.fail(none) : Effect.succeed(found))),
    )
  }
