/** The visa service's data endpoints: paths, parameters and statuses, for validation and for the reference. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { REQUIREMENTS } from "../../../src/index.ts"
import { Access, AccessRule } from "../access.ts"
import { NotFound, SchemaErrors, TooLarge, TooManyRequests } from "../schema-errors.ts"
import { choice, text } from "../validation.ts"
import { CHECK_PATH } from "./check.ts"
import { DecisionAnswer, DecisionRefused, DecisionRequest } from "./decision-schemas.ts"
import { LANGUAGES } from "./languages.ts"
import {
  BulkAnswer,
  CheckAnswer,
  ComparisonAnswer,
  GroupAnswer,
  LiveEvent,
  Markdown,
  RecentAnswer,
  ScoreAnswer,
  StatsAnswer,
  TooManyListeners,
  VisaAnswer,
  Withdrawn,
} from "./schemas.ts"
import { VISA_PATH } from "./visa.ts"

const Code = text("an ISO 3166-1 alpha-3 code in capital letters, such as FRA", /^[A-Z]{3}$/)
const GROUP = "2 to 10 distinct ISO 3166-1 alpha-3 codes, separated by commas"
const GroupCodes = text(GROUP, /^[A-Z]{3}(,[A-Z]{3}){1,9}$/).check(
  Schema.makeFilter(codes => new Set(codes.split(",")).size === codes.split(",").length, { expected: GROUP }),
)
const Destinations = text("at most 25 ISO 3166-1 alpha-3 codes, separated by commas", /^[A-Z]{3}(,[A-Z]{3}){0,24}$/)
const Lang = choice(LANGUAGES.map(language => language.code))
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

const visa = HttpApiEndpoint.get("visa", VISA_PATH, {
  query: { passport: Code, destination: Code, lang: Schema.optionalKey(Lang) },
  success: [VisaAnswer, Markdown],
  error: [NotFound, TooManyRequests],
}).annotateMerge(
  OpenApi.annotations({
    summary: "Full record of one pair",
    description:
      "Everything that is known, as the caller's plan shows it, in one of fifteen languages. What is not known is absent. Costs one request.",
  }),
)

const bulk = HttpApiEndpoint.get("bulk", "/api/v1/visa/bulk", {
  query: {
    passport: Code,
    destination: Schema.optionalKey(Destinations),
    lang: Schema.optionalKey(Lang),
    fields: Schema.optionalKey(choice(["all", "core"])),
  },
  success: BulkAnswer,
  error: [NotFound, TooManyRequests],
})
  .annotate(AccessRule, { feature: "bulk" })
  .annotateMerge(
    OpenApi.annotations({
      summary: "Many destinations of one passport",
      description:
        "At most 25 destinations by commas, or every destination without any. `fields=core` leaves the extended fields out. Costs one request for each pair with a record, or one in all without destinations (`meta.pairs_charged`).",
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

/** What the feed was asked with. Clients still send it, and nothing that they send is refused. */
const CHANGES_PARAMETERS = [
  ["passport", { type: "string" }],
  ["destination", { type: "string" }],
  ["since", { type: "string" }],
  ["type", { type: "string" }],
  ["severity", { type: "string", enum: ["minor", "major"] }],
  ["wishlist", { type: "string" }],
  ["limit", { type: "integer", minimum: 1, maximum: 200, default: 50 }],
  ["offset", { type: "integer", minimum: 0, default: 0 }],
].map(([name, schema]) => ({ name, in: "query", required: false, description: "Ignored.", schema }))

const changes = HttpApiEndpoint.get("changes", "/api/v1/visa/changes", {
  error: Withdrawn,
}).annotateMerge(
  OpenApi.annotations({
    summary: "Feed of policy changes (withdrawn)",
    description:
      "Always 503, and no evidence that nothing has changed. It comes back when every event names a verified official source.",
    deprecated: true,
    // A definition always names a success; this endpoint has none.
    transform: ({ responses: { 204: _, ...responses }, ...operation }) => ({
      ...operation,
      parameters: CHANGES_PARAMETERS,
      responses,
    }),
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
  .add(visa)
  .add(check)
  .add(bulk)
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
