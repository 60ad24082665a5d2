/**
 * The service as a definition of Effect's HTTP interfaces: for the OpenAPI document, the rendered reference and typed clients.
 *
 * It is made from the table of endpoints and answers no requests.
 */
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { API_VERSION } from "../../answers/meta.ts"
import { notices } from "../../data-files/notices.generated.ts"
import { EVENT_TYPES } from "../../events/followers/subscription.ts"
import type { Surface } from "../../settings/settings.ts"
import type { Described } from "../pipeline/describe-row.ts"
import {
  accountGroup,
  type EndpointGroup,
  lookupGroup,
  mountGroups,
  operationsGroup,
  spotsGroup,
  visaGroup,
  visaPublicGroup,
} from "../routes/all-endpoints.ts"
import { describeEvent } from "../routes/webhook-schemas.ts"
import { COMMON_HEADERS, completeReference } from "./openapi.ts"

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

const makeEmptyApi = (groups: readonly EndpointGroup[], servers: readonly string[]) =>
  HttpApi.make("landfall").annotateMerge(
    OpenApi.annotations({
      title: "Landfall",
      version: API_VERSION,
      description: `${ABOUT} ${HEADERS}\n\n${notices.text}`,
      license: { name: "MIT" },
      servers: servers.map(url => ({ url })),
      transform: document => completeReference(groups.includes(lookupGroup) ? addWebhooks(document) : document, groups),
    }),
  )

type Declarations<Endpoints extends readonly Described<unknown>[]> = {
  readonly [Place in keyof Endpoints]: Endpoints[Place] extends Described<infer Declaration> ? Declaration : never
}

const annotate = <Declaration>(
  declaration: Declaration,
  { row, summary, description, isDeprecated }: Described<unknown>,
) => {
  const words = OpenApi.annotations({
    // Names are unique over all groups, and become names of functions in generated clients.
    identifier: row.name,
    summary,
    ...(description === undefined ? {} : { description }),
    ...(isDeprecated === true ? { deprecated: true } : {}),
  })
  return (
    declaration as HttpApiEndpoint.Constraint & { annotateMerge: (given: typeof words) => Declaration }
  ).annotateMerge(words)
}

/** A group of the table as a group of the definition. */
function declareGroup<const Id extends string, const Endpoints extends readonly Described<unknown>[]>(
  group: EndpointGroup<Endpoints> & { readonly id: Id },
): HttpApiGroup.HttpApiGroup<Id, Extract<Declarations<Endpoints>[number], HttpApiEndpoint.Constraint>> {
  const { id, title, description, endpoints } = group
  const declared = endpoints.map(described => annotate(described.declare(), described) as HttpApiEndpoint.Constraint)
  const [first, ...others] = declared as [HttpApiEndpoint.Constraint, ...HttpApiEndpoint.Constraint[]]
  const made = HttpApiGroup.make(id).add(first as never, ...(others as never[]))
  return made.annotateMerge(OpenApi.annotations({ title, description })) as never
}

/** The groups of some surfaces, for the OpenAPI document; `servers` are the addresses under which the service is reached. */
export function declareApi(
  surfaces: readonly Surface[],
  servers: readonly string[] = [],
): HttpApi.HttpApi<"landfall", HttpApiGroup.Constraint> {
  const groups = mountGroups(surfaces)
  const declared = groups.map(declareGroup)
  return makeEmptyApi(groups, servers).add(...(declared as unknown as [never])) as never
}

/** The whole service, for a typed client: `HttpApiClient.make(makeLandfallApi())`. */
export const makeLandfallApi = () =>
  makeEmptyApi([], [])
    .add(declareGroup(visaGroup))
    .add(declareGroup(visaPublicGroup))
    .add(declareGroup(accountGroup))
    .add(declareGroup(lookupGroup))
    .add(declareGroup(spotsGroup))
    .add(declareGroup(operationsGroup))
