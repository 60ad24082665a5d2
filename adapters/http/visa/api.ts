/** The visa service's data endpoints: paths, parameters, statuses and bodies, for validation and for the reference. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { REQUIREMENTS } from "../../../src/index.ts"
import { Access, AccessRule } from "../access.ts"
import { BadRequest, NotFound, SchemaErrors, TooManyRequests } from "../schema-errors.ts"
import { text } from "../validation.ts"
import { CHECK_PATH } from "./check.ts"
import { LANGUAGES } from "./languages.ts"

const CODE = "an ISO 3166-1 alpha-3 code in capital letters, such as FRA"
export const Code = text(CODE, /^[A-Z]{3}$/)

const Markdown = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/markdown" }))

const Meta = Schema.Struct({
  lang: Schema.String,
  api_version: Schema.String,
  dataset_version: Schema.String,
  coverage: Schema.String,
  languages: Schema.Int,
}).annotate({ identifier: "Meta" })

const checkFields = {
  passport: Schema.String,
  destination: Schema.String,
  requirement: Schema.Literals(REQUIREMENTS),
  requirement_status: Schema.optionalKey(Schema.Literal("uncertain")),
  visa_free_days: Schema.NullOr(Schema.Int).annotate({
    description: "Allowed stay in days; null when it is no fixed number.",
  }),
  visa_required: Schema.Boolean.annotate({ description: "False exactly for visa_free and eta." }),
  home: Schema.optionalKey(Schema.Literal(true)),
  source_url: Schema.NullOr(Schema.String),
  last_verified: Schema.NullOr(Schema.String),
}

const CheckRecord = Schema.Struct(checkFields).annotate({ identifier: "CheckRecord" })

/** The body of a quick check: the record flat, and once more in `data`. */
export const CheckAnswer = Schema.Struct({ ...checkFields, data: CheckRecord, meta: Meta }).annotate({
  identifier: "CheckAnswer",
  description: "The quick check record.",
})

const statisticsFields = {
  coverage: Schema.Struct({
    visa_details: Schema.Int,
    passports: Schema.Int,
    destinations: Schema.Int,
    passport_index_pairs: Schema.Int,
    translations: Schema.Int,
    languages: Schema.Int,
  }),
  supported_languages: Schema.Array(
    Schema.Struct({ code: Schema.Literals(LANGUAGES.map(language => language.code)), name: Schema.String }),
  ),
  api_version: Schema.String,
}

/** The body of the statistics. */
export const StatsAnswer = Schema.Struct({
  ...statisticsFields,
  data: Schema.Struct(statisticsFields).annotate({ identifier: "Statistics" }),
  meta: Meta,
}).annotate({ identifier: "StatsAnswer", description: "How much the service knows." })

const ActivityEvent = Schema.Struct({
  passport: Schema.String,
  destination: Schema.String,
  timestamp: Schema.String.annotate({ description: "ISO 8601, UTC." }),
}).annotate({ identifier: "ActivityEvent" })

const Unavailable = Schema.Struct({ error: Schema.String })
  .annotate({ description: "Too many clients listen already." })
  .pipe(HttpApiSchema.status(503))

const Withdrawn = Schema.Struct({ error: Schema.String, status: Schema.Literal("unavailable"), contact: Schema.String })
  .annotate({ identifier: "Withdrawn", description: "The feed is withdrawn." })
  .pipe(HttpApiSchema.status(503))

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
        "Says what is needed to enter, and for how long. Needs no key from the service's own site, from localhost and from browser extensions. Costs one request.",
    }),
  )

const stats = HttpApiEndpoint.get("stats", "/api/v1/visa/stats", { success: StatsAnswer }).annotateMerge(
  OpenApi.annotations({ summary: "Coverage statistics", description: "Public; may be cached for an hour." }),
)

const changes = HttpApiEndpoint.get("changes", "/api/v1/visa/changes", {
  success: HttpApiSchema.NoContent.annotate({ description: "Never: the feed is withdrawn." }),
  error: Withdrawn,
}).annotateMerge(
  OpenApi.annotations({
    summary: "Feed of policy changes (withdrawn)",
    description: "Always 503. Parameters are ignored. Use webhooks instead.",
    deprecated: true,
  }),
)

const live = HttpApiEndpoint.get("live", "/api/v1/visa/live", {
  success: HttpApiSchema.StreamSse({ data: ActivityEvent }),
  error: Unavailable,
}).annotateMerge(
  OpenApi.annotations({
    summary: "Live activity",
    description:
      "Server-sent events: each answered question is one `data:` line; a comment every two seconds without any.",
  }),
)

const liveRecent = HttpApiEndpoint.get("liveRecent", "/api/v1/visa/live/recent", {
  success: Schema.Struct({ events: Schema.Array(ActivityEvent), count: Schema.Int }).annotate({
    identifier: "RecentActivity",
    description: "The last events, newest first, at most fifty.",
  }),
}).annotateMerge(
  OpenApi.annotations({ summary: "Recent activity", description: "Public; may be cached for five seconds." }),
)

/** Endpoints that take a key. */
export const visaGroup = HttpApiGroup.make("visa")
  .add(check)
  .middleware(SchemaErrors)
  .middleware(Access)
  .annotateMerge(OpenApi.annotations({ title: "Visa", description: "What a passport's holder needs to enter." }))

/** Endpoints that are open to all. */
export const visaPublicGroup = HttpApiGroup.make("visaPublic")
  .add(stats)
  .add(changes)
  .add(live)
  .add(liveRecent)
  .middleware(SchemaErrors)
  .annotateMerge(OpenApi.annotations({ title: "Visa, public", description: "Needs no key." }))

export { BadRequest }
