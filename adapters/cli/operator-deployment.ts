/**
 * On which deployment does an operator's command work?
 *
 * On the one that the environment names, as `landfall serve` reads it: `LANDFALL_DATABASE_URL` and `LANDFALL_SECRET`. A running
 * service notices within a second what is changed here. No command makes a database or changes its tables but `landfall migrate`: a misspelt
 * path would otherwise be an empty deployment.
 */
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { Accounts } from "../accounts/accounts.ts"
import { actingAs } from "../accounts/audit-trail.ts"
import { openConfiguredDataset } from "../events/install-dataset.ts"
import type { Plans } from "../plans/plans.ts"
import type { DeploymentSecret } from "../secrets/deployment-secret.ts"
import { keepSecret, readSetting } from "../settings/config.ts"
import { settings } from "../settings/settings.ts"
import { layerDeployment } from "../start/deployment.ts"
import { Storage } from "../storage/storage.ts"
import type { Running } from "./command.ts"
import { runEffect } from "./effects.ts"

type Services = Accounts | Storage | Plans | DeploymentSecret

/** A deployment that is open; what is run on it is done in the name of its operator. */
export interface Deployment {
  readonly accounts: Accounts["Service"]
  readonly storage: Storage["Service"]
  run<Value, Error extends { readonly message: string }>(work: Effect.Effect<Value, Error, Services>): Promise<Value>
}

/** Opens the deployment of the environment until the command ends. */
export async function openDeployment(at: Running): Promise<Deployment> {
  const databaseUrl = await runEffect(at, readSetting(settings.rows.databaseUrl))
  const secret = keepSecret(await runEffect(at, readSetting(settings.rows.secret))) ?? undefined
  const scope = Scope.makeUnsafe()
  at.onEnd(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const services = await runEffect(at, Layer.buildWithScope(layerDeployment({ databaseUrl, secret }, "command"), scope))
  return {
    accounts: Context.get(services, Accounts),
    storage: Context.get(services, Storage),
    run: work => runEffect(at, Effect.provideContext(actingAs("operator")(work), services)),
  }
}

/** The dataset that the deployment uses while nothing is installed, as `landfall serve` reads it. */
export const openConfigured = (at: Running) =>
  runEffect(at, Effect.flatMap(readSetting(settings.rows.datasetPath), openConfiguredDataset))
