/**
 * The service as a definition of Effect's HTTP interfaces: for the OpenAPI document and the rendered reference.
 *
 * It is made from the table of endpoints and answers no requests.
 */

import { Effect, Layer } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { API_VERSION } from "../../answers/meta.ts"
import { notices } from "../../data-files/notices.generated.ts"
import { EVENT_TYPES } from "../../events/followers/subscription.ts"
import type { Surface } from "../../settings/settings.ts"
import { declareRow } from "../pipeline/describe-row.ts"
import { MountedSite } from "../pipeline/mounted-site.ts"
import { type EndpointGroup, lookupGroup, mountGroups } from "../routes/all-endpoints.ts"
import { Reference } from "../routes/operations/reference-endpoints.ts"
import { describeEvent } from "../routes/webhook-schemas.ts"
import { COMMON_HEADERS, completeReference } from "./openapi.ts"
import { REFERENCE_SCRIPT, REFERENCE_STYLE, writeReference } from "./reference-page.ts"

function makeReference(site: MountedSite["Service"]): Reference["Service"] {
  const describe = () => OpenApi.fromApi(declareApi(site.surfaces, [site.publicUrl]))
  let page: string | undefined
  return {
    describe,
    render: () => {
      page ??= writeReference(describe())
      return page
    },
    script: REFERENCE_SCRIPT,
    style: REFERENCE_STYLE,
  }
}

export const layerReference = Layer.effect(Reference, Effect.map(MountedSite, makeReference))

const ABOUT =
  "Visa requirements as data. Answers are not legal advice; unknown is unknown. `Accept: application/problem+json` returns errors as problems (RFC 9457), with the same members. An unknown field of a body is refused; an unknown parameter of a query is ignored."

const HEADERS = `Headers of answers: ${Object.entries(COMMON_HEADERS)
  .map(([name, words]) => `\`${name}\`, ${words}`)
  .join("; ")}.`

/** Adds what the service sends to webhooks: a request for each type of event, whose body is described like that of an endpoint. */
function addWebhooks<Document extends Record<string, unknown>>(document: Document): Document {
  const [first, ...others] = EVENT_TYPES.map(type =>
    HttpApiEndpoint.post(type, `/${type}`, { payload: describeEvent(type) }).annotateMerge(
      OpenApi.annotations({ identifier: type, summary: `The event ${type}` }),
    ),
  ) as unknown as [HttpApiEndpoint.Constraint, ...HttpApiEndpoint.Constraint[]]
  const events = HttpApiGroup.make("events").add(first as never, ...(others as never[]))
  const { paths, components } = OpenApi.fromApi(HttpApi.make("webhooks").add(events))
  const webhooks = Object.entries(paths).map(([path, { post }]) => {
    const { summary, requestBody } = post as { readonly summary?: string; readonly requestBody?: unknown }
    const responses = { "2XX": { description: "The event is accepted; any other answer is a failure." } }
    return [path.slice(1), { post: { summary, requestBody, responses } }]
  })
  const own = document.components as typeof components
  return {
    ...document,
    webhooks: Object.fromEntries(webhooks),
    components: { ...own, schemas: { ...components.schemas, ...own.schemas } },
  }
}

/** A group of the table as a group of the definition. */
function declareGroup({ id, title, description, endpoints }: EndpointGroup): HttpApiGroup.Constraint {
  const [first, ...others] = endpoints.map(declareRow)
  const made = HttpApiGroup.make(id).add(first as never, ...(others as never[]))
  return made.annotateMerge(OpenApi.annotations({ title, description })) as never
}

/** The groups of some surfaces, for the OpenAPI document; `servers` are the addresses under which the service is reached. */
export function declareApi(
  surfaces: readonly Surface[],
  servers: readonly string[] = [],
): HttpApi.HttpApi<"landfall", HttpApiGroup.Constraint> {
  const groups = mountGroups(surfaces)
  const empty = HttpApi.make("landfall").annotateMerge(
    OpenApi.annotations({
      title: "Landfall",
      version: API_VERSION,
      description: `${ABOUT} ${HEADERS}\n\n${notices.text}`,
      license: { name: "MIT" },
      servers: servers.map(url => ({ url })),
      transform: document => completeReference(groups.includes(lookupGroup) ? addWebhooks(document) : document, groups),
    }),
  )
  return empty.add(...(groups.map(declareGroup) as unknown as [never])) as never
}
