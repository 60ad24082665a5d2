/**
 * Which services do the faces need besides those of customers, delivery and knowledge?
 *
 * The mounted site, the clients, the current activity, and parts that are made on first use: the reference and the MCP server.
 */
import { Clock, Effect, Layer } from "effect"
import { Accounts } from "../accounts/accounts.ts"
import { Targets } from "../events/followers/target-guard.ts"
import { LiveDataset } from "../events/live-dataset.ts"
import { layerReference } from "../http/openapi/reference.ts"
import { LiveActivity } from "../http/pipeline/activity.ts"
import { Clients } from "../http/pipeline/client-address.ts"
import { RequestMetrics } from "../http/pipeline/metrics.ts"
import { MountedSite } from "../http/pipeline/mounted-site.ts"
import { Lifecycle, ThisProcess } from "../http/pipeline/process-state.ts"
import { Mcp } from "../http/routes/mcp/mcp-endpoints.ts"
import { MadeFeeds } from "../http/routes/visa/change-feed-endpoints.ts"
import type { McpReply, McpRequest } from "../mcp/web.ts"
import { Meter } from "../quota/meter.ts"
import type { ServiceConfig } from "../settings/config.ts"
import { upgradeUrl } from "../settings/site-links.ts"

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
export const layerFaces = (config: ServiceConfig) =>
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
