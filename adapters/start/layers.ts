/**
 * Which services does a process have?
 *
 * Each description adds to the one below: a deployment (`deployment.ts`), a worker, a service. `serve`, a worker, a mounted service and a command
 * take theirs from here, so that a service is composed in one place.
 */
import { Clock, Effect, Layer } from "effect"
import { Accounts } from "../accounts/accounts.ts"
import { endDemoAccounts } from "../accounts/demo-accounts.ts"
import { Sessions } from "../accounts/sessions.ts"
import { Signup } from "../accounts/signup.ts"
import { Jobs } from "../batch/jobs/jobs.ts"
import { Affiliates } from "../billing/affiliates.ts"
import { Billing } from "../billing/billing.ts"
import { Targets } from "../events/followers/target-guard.ts"
import { openConfiguredDataset } from "../events/install-dataset.ts"
import { LiveDataset } from "../events/live-dataset.ts"
import { layerReference } from "../http/openapi/openapi.ts"
import { Lifecycle, LiveActivity, MountedSite, RequestMetrics, ThisProcess } from "../http/pipeline/process-state.ts"
import { Mcp } from "../http/routes/operations/operations-endpoints.ts"
import { MadeFeeds } from "../http/routes/visa/changes-endpoints.ts"
import { deliveryOf, Mails } from "../mail/mails.ts"
import type { McpReply, McpRequest } from "../mcp/web.ts"
import { Devices } from "../push/devices.ts"
import { readPushAccounts } from "../push/pusher.ts"
import { Backlog } from "../queue/work-metrics.ts"
import { Meter } from "../quota/meter.ts"
import type { ServiceConfig } from "../settings/config.ts"
import { upgradeUrl } from "../settings/site-links.ts"
import { LiveSpots } from "../spots/import-spots.ts"
import type { Opener } from "../storage/migrations.ts"
import { Clients } from "../validation/addresses.ts"
import { Webhooks } from "../webhooks/webhooks.ts"
import { Payments } from "../x402/payments.ts"
import { layerDeployment } from "./deployment.ts"

// Which services do the faces need besides those of customers, delivery and knowledge? The mounted site, the clients, the current activity, and
// parts that are made on first use: the reference and the MCP server.

const layerMcp = Layer.effect(
  Mcp,
  Effect.gen(function* () {
    const { today, localisedFacts } = yield* LiveDataset
    const { findCaller } = yield* Accounts
    const meter = yield* Meter
    const site = yield* MountedSite
    const clock = yield* Clock.Clock
    const open = async () => {
      // Loaded here, because few ask for it and a start should not wait for it.
      const { makeMcpWeb } = await import("../mcp/web.ts")
      return makeMcpWeb({
        knowledge: {
          readDataset: () => today(clock.currentTimeMillisUnsafe()),
          loadFacts: (dataset, language) => localisedFacts.load(dataset, language),
        },
        meter,
        findCaller,
        upgradeUrl: upgradeUrl(site),
        publicUrl: site.publicUrl,
        clock,
        origins: site.origins,
      })
    }
    let opened: Promise<(request: McpRequest) => Promise<McpReply>> | undefined
    return async request => {
      opened ??= open()
      return (await opened)(request)
    }
  }),
)

/** Services that only the faces need. */
const layerFaces = (config: ServiceConfig) =>
  Layer.mergeAll(layerMcp, layerReference, Lifecycle.layer).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        MountedSite.layer(config),
        Clients.layer(config.trustedProxies),
        LiveActivity.layer,
        MadeFeeds.layer,
        RequestMetrics.layer,
        ThisProcess.layer,
        Layer.succeed(Targets, { allowsPrivate: config.webhookAllowsPrivate }),
      ),
    ),
  )

/** The dataset and the push accounts that a configuration names, opened. */
export const openConfigured = Effect.fnUntraced(function* (config: ServiceConfig) {
  const pushAccounts = yield* readPushAccounts(config)
  return { config, dataset: yield* openConfiguredDataset(config.datasetPath), pushAccounts }
})

/** A configuration with the files that it names. */
export type Configured = Effect.Success<ReturnType<typeof openConfigured>>

/** The services for background work. */
export const layerWorker = ({ config, dataset }: Configured, opener: Opener = "worker") =>
  Layer.mergeAll(Billing.layer(config.stripe), Payments.layer(config.x402), Backlog.layer).pipe(
    Layer.provideMerge(Affiliates.layer),
    Layer.provideMerge(Layer.mergeAll(LiveDataset.layer(dataset), Mails.layer(deliveryOf(config)))),
    Layer.provideMerge(layerDeployment(config, opener)),
  )

/** The services that answer requests, and those for background work. */
export const layerService = (configured: Configured) => {
  const { config, pushAccounts } = configured
  return layerFaces(config).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Sessions.layer,
        Signup.layer({ revealsKey: config.registerRevealsKey }),
        LiveSpots.layer,
        Webhooks.layer,
        Devices.layer(pushAccounts.map(({ platform }) => platform)),
        Jobs.layer,
        config.mode === "production" ? Layer.effectDiscard(endDemoAccounts) : Layer.empty,
      ),
    ),
    // Jobs are charged to the quotas that requests are.
    Layer.provideMerge(Meter.layer),
    Layer.provideMerge(layerWorker(configured, "service")),
  )
}
