/**
 * Which services does every process of a deployment have?
 *
 * Its database and its time, its plans, its secret and its accounts. A command of an operator needs no more; a worker and a service use these
 * (`layers.ts`). They are in a separate file, because a command starts faster without the others.
 */
import { Layer } from "effect"
import { Accounts } from "../accounts/accounts.ts"
import { Plans } from "../plans/plans.ts"
import { DeploymentSecret } from "../secrets/deployment-secret.ts"
import type { ServiceConfig } from "../settings/config.ts"
import { DatabaseClock } from "../storage/database-clock.ts"
import { layerStorage, type Opener } from "../storage/migrations.ts"

export const layerDeployment = (
  { databaseUrl, secret }: Pick<ServiceConfig, "databaseUrl" | "secret">,
  opener: Opener,
) =>
  Accounts.layer.pipe(
    Layer.provideMerge(DeploymentSecret.layer({ databaseUrl, secret })),
    Layer.provideMerge(Plans.layer()),
    Layer.provideMerge(DatabaseClock.layer),
    Layer.provideMerge(layerStorage(databaseUrl, opener)),
  )
