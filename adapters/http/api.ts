/** Everything that the service answers over HTTP, in one definition: routes, validation and the reference come from it. */
import { HttpApi, type HttpApiGroup, OpenApi } from "effect/http-api"
import type { Surface } from "./config.ts"
import { completeReference } from "./openapi.ts"
import { operationsGroup } from "./operations/api.ts"
import { visaGroup, visaPublicGroup } from "./visa/api.ts"
import { API_VERSION } from "./visa/meta.ts"

const emptyApi = HttpApi.make("landfall")
  .annotate(HttpApi.QueryParseOptions, { errors: "all", reportInput: true })
  .annotate(HttpApi.ParamsParseOptions, { errors: "all", reportInput: true })
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", reportInput: true, onExcessProperty: "error" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Landfall",
      version: API_VERSION,
      description: "Visa requirements as data. Answers are not legal advice; unknown is unknown.",
      license: { name: "MIT" },
      transform: completeReference,
    }),
  )

/** The whole service, for its handlers. */
export const landfallApi = emptyApi.add(operationsGroup).add(visaGroup).add(visaPublicGroup)

/** The definition of what is mounted: the whole service, or those groups of it that are. */
export type LandfallApi = typeof landfallApi

const groupsBySurface: Readonly<Record<Surface, readonly HttpApiGroup.Constraint[]>> = {
  visa: [visaGroup, visaPublicGroup],
  lookup: [],
  spots: [],
  mcp: [],
}

/** Defines the service with some of its surfaces; the operations are always there. */
export function mountApi(surfaces: readonly Surface[]): LandfallApi {
  const groups = surfaces.flatMap(surface => groupsBySurface[surface])
  const mounted = groups.reduce<HttpApi.HttpApi<"landfall", never>>(
    (api, group) => api.add(group as never),
    emptyApi.add(operationsGroup) as never,
  )
  // Handlers are bound to groups by name, so those of the whole service fit any part of it.
  return mounted as unknown as LandfallApi
}
