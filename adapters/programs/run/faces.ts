/**
 * Which services do the faces need besides those of customers, delivery and knowledge?
 *
 * The mounted site, the clients, the current activity, and parts that are made on first use: the reference and the MCP server.
 */
import { Clock, Effect, Layer } from "effect"
import { Accounts } from "../../customers/accounts/accounts.ts"
import { Meter } from "../../customers/metering/meter.ts"
import { LiveDataset } from "../../delivery/changes/live-dataset.ts"
import { Targets } from "../../delivery/followers/target-guard.ts"
import { Mcp } from "../../faces/http/endpoints/mcp/mcp.ts"
import { MadeFeeds } from "../../faces/http/endpoints/visa/change-feeds.ts"
import { LiveActivity } from "../../faces/http/pipeline/activity.ts"
import { Clients } from "../../faces/http/pipeline/client-address.ts"
import { Lifecycle } from "../../faces/http/pipeline/lifecycle.ts"
import { RequestMetrics } from "../../faces/http/pipeline/metrics.ts"
import { MountedSite } from "../../faces/http/pipeline/mounted-site.ts"
import { ThisProcess } from "../../faces/http/pipeline/process-state.ts"
import { layerReference } from "../../faces/http/reference/reference.ts"
import type { McpReply, McpRequest } from "../../faces/mcp/web.ts"
import type { ServiceConfig } from "../../platform/settings/config.ts"
import { upgradeUrl } from "../../platform/settings/site-links.ts"

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
      const { makeMcpWeb } = await import("../../faces/mcp/web.ts")
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
