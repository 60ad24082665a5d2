/**
 * A deployment in a temporary folder, and processes that run on it: each with its own connection, caches and counts, as if
 * it were a process of the operating system.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer, type Redacted, Scope } from "effect"
import { Accounts } from "../../adapters/accounts/accounts.ts"
import { Plans } from "../../adapters/plans/plans.ts"
import { Meter, type MeterOptions } from "../../adapters/quota/meter.ts"
import { DeploymentSecret } from "../../adapters/secrets/deployment-secret.ts"
import { layerStorage } from "../../adapters/storage/migrations.ts"
import { AreIdsCounted } from "../../adapters/storage/table-statements.ts"

/** What a process has to know of its deployment. */
export interface DatabasePlace {
  readonly databaseUrl: string
  readonly secret?: Redacted.Redacted<string> | undefined
  readonly folder?: string
  readonly databasePath?: string
}

/** A deployment on a file. */
export interface Deployment extends DatabasePlace {
  readonly folder: string
  readonly databasePath: string
}

/** A new empty folder, removed with the scope. */
export const makeFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "landfall-"))),
  folder => Effect.sync(() => rmSync(folder, { recursive: true })),
)

/** A deployment that was never started. */
export const makeDeployment = Effect.map(makeFolder, (folder): Deployment => {
  const databasePath = join(folder, "landfall.db")
  return { folder, databasePath, databaseUrl: `file:${databasePath}` }
})

/** Accounts, and what they stand on. */
export const layerAccounts = (
  deployment: DatabasePlace,
  secret: Redacted.Redacted<string> | undefined = deployment.secret,
) =>
  Accounts.layer.pipe(
    Layer.provideMerge(DeploymentSecret.layer({ databaseUrl: deployment.databaseUrl, secret })),
    Layer.provideMerge(Plans.layer()),
    Layer.provideMerge(layerStorage(deployment.databaseUrl)),
  )

/** Everything that a process of a deployment has. */
export const layerProcess = (
  deployment: DatabasePlace,
  secret?: Redacted.Redacted<string>,
  options: MeterOptions = {},
) => Layer.provideMerge(Meter.layerWith(options), layerAccounts(deployment, secret))

/** Builds a layer of its own, shared with nobody, until the scope ends. Its ids are 1, 2, 3, so that tests can name them. */
export const build = <Provided, Failure, Needed>(layer: Layer.Layer<Provided, Failure, Needed>) =>
  Effect.provideService(
    Effect.flatMap(Scope.Scope, scope => Layer.buildWithMemoMap(layer, Layer.makeMemoMapUnsafe(), scope)),
    AreIdsCounted,
    true,
  )

/** Starts a process, which stops with the scope. */
export const startProcess = (deployment: DatabasePlace, secret?: Redacted.Redacted<string>, options?: MeterOptions) =>
  build(layerProcess(deployment, secret, options))

type ProcessServices = Layer.Success<ReturnType<typeof layerProcess>>

/** Runs an effect in a process that starts before it and stops after it. */
export const inProcess =
  (deployment: DatabasePlace, secret?: Redacted.Redacted<string>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.scoped(
      Effect.flatMap(startProcess(deployment, secret), services =>
        Effect.provideContext(effect as Effect.Effect<A, E, R | ProcessServices>, services),
      ),
    )
