/** Which site does this process serve? Its address, its surfaces, and the sites whose pages may check without a key. */
import { Context, Layer } from "effect"
import type { ServiceConfig } from "../../settings/config.ts"
import { isLoopbackHost } from "../../settings/hosts.ts"
import type { Surface } from "../../settings/settings.ts"
import type { Site } from "../../settings/site-links.ts"

export interface MountedSiteShape extends Site {
  readonly surfaces: readonly Surface[]
  /** Origins of the site's own pages. */
  readonly origins: readonly string[]
  /** Whether requests from its own machine need no key to check: not in production, where a proxy may be on the same machine. */
  readonly trustsOwnMachine: boolean
}

/** The site of this process. Its address is corrected when the port is known. */
export class MountedSite extends Context.Service<MountedSite, MountedSiteShape>()("landfall/http/MountedSite") {
  static readonly layer = ({
    publicUrl,
    contact,
    pageSendsDataset,
    surfaces,
    siteOrigins,
    host,
    mode,
  }: ServiceConfig) =>
    Layer.succeed(MountedSite, {
      publicUrl,
      contact,
      pageSendsDataset,
      surfaces,
      origins: [new URL(publicUrl).origin, ...siteOrigins],
      trustsOwnMachine: mode === "development" && isLoopbackHost(host),
    })
}
