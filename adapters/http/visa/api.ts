/** The visa service's data endpoints: paths, parameters and statuses, for validation and for the reference. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { REQUIREMENTS } from "../../../src/index.ts"
import { Access, AccessRule } from "../access.ts"
import { NotFound, SchemaErrors, TooLarge, TooManyRequests } from "../schema-errors.ts"
import { text } from "../validation.ts"
import { CHECK_PATH } from "./check.ts"
import {
  CheckAnswer,
  ComparisonAnswer,
  DecisionAnswer,
  DecisionRefused,
  DecisionRequest,
  GroupAnswer,
  LiveEvent,
  Markdown,
  RecentAnswer,
  ScoreAnswer,
  StatsAnswer,
  TooManyListeners,
  Withdrawn,
} from "./schemas.ts"

const Code = text("an ISO 3166-1 alpha-3 code in capital letters, such as FRA", /^[A-Z]{3}$/)
const GROUP = "2 to 10 distinct ISO 3166-1 alpha-3 codes, separated by commas"
const GroupCodes = text(GROUP, /^[A-Z]{3}(,[A-Z]{3}){1,9}$/).check(
  Schema.makeFilter(codes => new Set(codes.split(",")).size === codes.split(",").length, { expected: GROUP }),
)
const AllowedRequirements = text(
  `requirements out of ${REQUIREMENTS.join(", ")}, separated by commas`,
  new RegExp(`^(${REQUIREMENTS.join("|")})(,(${REQUIREMENTS.join("|")}))*$`),
)

const check = HttpApiEndpoint.get("check", CHECK_PATH, {
  query: { passport: Code, destination: Code },
  success: [CheckAnswer, Markdown],
  error: [NotFound, TooManyRequests],
})
  .annotate(AccessRule, { allowsKeyless: true })
  .annotateMerge(
    OpenApi.annotations({
      summary: "Quick check of one pair",
      description:
        "What is needed to enter, and for how long. Needs no key from the service's own site, from localhost and from browser extensions. Costs one request.",
    }),
  )

const group = HttpApiEndpoint.get("group", "/api/v1/visa/group", {
  query: { passports: GroupCodes, allow: Schema.optionalKey(AllowedRequirements) },
  success: GroupAnswer,
  error: [NotFound, TooManyRequests],
})
  .annotate(AccessRule, { feature: "group" })
  .annotateMerge(
    OpenApi.annotations({
      summary: "Where a group can go",
      description:
        "Every destination that all of 2 to 10 distinct passports can enter, easiest first. `allow` names the requirements that qualify; visa_free, eta, visa_on_arrival and e_visa by default. Costs one request.",
    }),
  )

const decision = HttpApiEndpoint.post("decision", "/api/v1/visa/decision", {
  payload: DecisionRequest,
  success: DecisionAnswer,
  error: [DecisionRefused, NotFound, TooLarge, TooManyRequests],
}).annotateMerge(
  OpenApi.annotations({
    summary: "Does anything block this itinerary?",
    description:
      "Every step with what is known and what is not, and every blocker. Costs one request for each distinct country, stops and transit together (`meta.pairs_charged`).",
  }),
)

const stats = HttpApiEndpoint.get("stats", "/api/v1/visa/stats", { success: StatsAnswer }).annotateMerge(
  OpenApi.annotations({ summary: "Coverage statistics", description: "May be cached for an hour." }),
)

const changes = HttpApiEndpoint.get("changes", "/api/v1/visa/changes", {
  error: Withdrawn,
}).annotateMerge(
  OpenApi.annotations({
    summary: "Feed of policy changes (withdrawn)",
    description: "Always 503. Parameters are ignored. Use webhooks instead.",
    deprecated: true,
    // A definition always names a success; this endpoint has none.
    transform: ({ responses: { 204: _, ...responses }, ...operation }) => ({ ...operation, responses }),
  }),
)

const score = HttpApiEndpoint.get("score", "/api/v1/visa/score", {
  query: { passport: Code },
  success: ScoreAnswer,
  error: NotFound,
})
  .middleware(SchemaErrors)
  .annotateMerge(
    OpenApi.annotations({
      summary: "Mobility score of a passport",
      description: "Score, rank among all passports, and what the score is made of.",
    }),
  )

const compare = HttpApiEndpoint.get("compare", "/api/v1/visa/score/compare", {
  query: { passport1: Code, passport2: Code },
  success: ComparisonAnswer,
  error: NotFound,
})
  .middleware(SchemaErrors)
  .annotateMerge(
    OpenApi.annotations({
      summary: "Two passports side by side",
      description: "Their scores, what only one of them opens, and the score of both together.",
    }),
  )

const live = HttpApiEndpoint.get("live", "/api/v1/visa/live", {
  success: HttpApiSchema.StreamSse({ data: LiveEvent }),
  error: TooManyListeners,
}).annotateMerge(
  OpenApi.annotations({
    summary: "Live activity",
    description:
      "Server-sent events: each answered question is one `data:` line; a comment every two seconds without any.",
  }),
)

const liveRecent = HttpApiEndpoint.get("liveRecent", "/api/v1/visa/live/recent", {
  success: RecentAnswer,
}).annotateMerge(OpenApi.annotations({ summary: "Recent activity", description: "May be cached for five seconds." }))

/** Endpoints that take a key. */
export const visaGroup = HttpApiGroup.make("visa")
  .add(check)
  .add(group)
  .middleware(SchemaErrors)
  .add(decision)
  .middleware(Access)
  .annotateMerge(OpenApi.annotations({ title: "Visa", description: "What a passport's holder needs to enter." }))

/** Endpoints that are open to all. */
export const visaPublicGroup = HttpApiGroup.make("visaPublic")
  .add(stats)
  .add(changes)
  .add(score)
  .add(compare)
  .add(live)
  .add(liveRecent)
  .annotateMerge(OpenApi.annotations({ title: "Visa, public", description: "Needs no key." }))
