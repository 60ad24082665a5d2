/**
 * All endpoints of the service, in the order of the reference.
 *
 * A group is a part of the reference; its surface says whether it is mounted. An endpoint is in the file of its family, with its answer; a
 * new family is one more line here.
 */

import type { Surface } from "../../settings/settings.ts"
import type { Described } from "../pipeline/describe-row.ts"
import type { Endpoint, NeedsOf } from "../pipeline/endpoint.ts"
import { accountEndpoints, auditEndpoints } from "./accounts/account-endpoints.ts"
import { accountPageRows } from "./accounts/account-page-endpoints.ts"
import { affiliateEndpoints, billingEndpoints } from "./accounts/billing-endpoints.ts"
import { keyEndpoints, teamKeyEndpoints } from "./accounts/key-endpoints.ts"
import { signupEndpoints } from "./accounts/signup-endpoints.ts"
import { countryEndpoints, lookupEndpoints } from "./lookup/lookup-endpoints.ts"
import { healthEndpoints, mcpRows, referenceRows } from "./operations/operations-endpoints.ts"
import { listPageRows } from "./site/page-endpoints.ts"
import { spotsEndpoints } from "./spots/spot-endpoints.ts"
import { changeFeedEndpoints, changesEndpoints, liveEndpoints } from "./visa/changes-endpoints.ts"
import { deviceEndpoints } from "./visa/device-endpoints.ts"
import { bulkEndpoints, jobEndpoints } from "./visa/job-endpoints.ts"
import {
  coverageEndpoints,
  decisionEndpoints,
  groupEndpoints,
  pairEndpoints,
  scoreEndpoints,
} from "./visa/visa-endpoints.ts"
import { subscriptionEndpoints, webhookEndpoints } from "./webhook-endpoints.ts"
import { paymentEndpoints } from "./x402/payment-endpoints.ts"

/** Endpoints that belong together in the reference. */
export interface EndpointGroup<Endpoints extends readonly Described[] = readonly Described[]> {
  readonly id: string
  readonly title: string
  readonly description: string
  /** The surface of the group; null if it is always mounted. */
  readonly surface: Surface | null
  readonly endpoints: Endpoints
}

const group = <const Endpoints extends readonly Described[]>(definition: EndpointGroup<Endpoints>) => definition

const visaGroup = /* @__PURE__ */ group({
  id: "visa",
  title: "Visa",
  description: "What a passport's holder needs to enter.",
  surface: "visa",
  endpoints: [
    ...pairEndpoints,
    ...bulkEndpoints,
    ...groupEndpoints,
    ...decisionEndpoints,
    ...deviceEndpoints,
    ...jobEndpoints,
    ...webhookEndpoints,
    ...paymentEndpoints,
  ],
})

const visaPublicGroup = /* @__PURE__ */ group({
  id: "visaPublic",
  title: "Visa, public",
  description: "Needs no key.",
  surface: "visa",
  endpoints: [...scoreEndpoints, ...coverageEndpoints, ...changesEndpoints, ...changeFeedEndpoints, ...liveEndpoints],
})

const accountGroup = /* @__PURE__ */ group({
  id: "account",
  title: "Account",
  description:
    "Registration, sign-in, keys and use. Most endpoints need the session of the cookie `svc_token`, from the service's own pages or a program.",
  surface: "visa",
  endpoints: [
    ...signupEndpoints,
    ...accountEndpoints,
    ...keyEndpoints,
    ...teamKeyEndpoints,
    ...auditEndpoints,
    ...billingEndpoints,
    ...affiliateEndpoints,
  ],
})

const lookupGroup = /* @__PURE__ */ group({
  id: "lookup",
  title: "Lookup",
  description: "One pair in a version that can be pinned; the key is a bearer token.",
  surface: "lookup",
  endpoints: [...lookupEndpoints, ...countryEndpoints, ...subscriptionEndpoints],
})

const spotsGroup = /* @__PURE__ */ group({
  id: "spots",
  title: "Spots",
  description: "Places that travellers care about. A key is optional.",
  surface: "spots",
  endpoints: spotsEndpoints,
})

const operationsGroup = /* @__PURE__ */ group({
  id: "operations",
  title: "Operations",
  description: "For the operators of the service.",
  surface: null,
  endpoints: healthEndpoints,
})

/** Every group, in the order of the reference. */
export const GROUPS = [visaGroup, visaPublicGroup, accountGroup, lookupGroup, spotsGroup, operationsGroup] as const

/** The groups of some surfaces, and those that are always mounted. */
export const mountGroups = (surfaces: readonly Surface[]): readonly EndpointGroup[] =>
  GROUPS.filter(({ surface }: EndpointGroup) => surface === null || surfaces.includes(surface))

/** The services that the rows of every surface need. */
export type RowNeeds = NeedsOf<
  | (typeof GROUPS)[number]["endpoints"][number]
  | (typeof mcpRows)[number]
  | (typeof referenceRows)[number]
  | (typeof accountPageRows)[number]
  | ReturnType<typeof listPageRows>[number]
>

export const mountRows = (surfaces: readonly Surface[]): readonly Endpoint[] => [
  ...mountGroups(surfaces).flatMap(({ endpoints }) => endpoints),
  ...(surfaces.includes("mcp") ? mcpRows : []),
  ...referenceRows,
  ...(surfaces.includes("visa") ? accountPageRows : []),
  ...listPageRows(),
]
