/** `GET /api/v1/visa/stats`: the coverage of the data. */

import { describeStats } from "../../../answers/stats.ts"
import { describe } from "../../pipeline/describe-row.ts"
import { endpoint } from "../../pipeline/endpoint.ts"
import { answerJson } from "../../pipeline/http-answer.ts"
import { StatsAnswer } from "./visa-schemas.ts"

/** How long the statistics may be cached. */
const STATS_MAX_AGE_SECONDS = 3_600

export const stats = endpoint({
  name: "stats",
  method: "GET",
  path: "/api/v1/visa/stats",
  surface: "visa",
  access: { kind: "public" },
  parameters: {},
  keepAs: () => "",
  answer: (_, { dataset }) =>
    answerJson(200, describeStats(dataset), ["cache-control", `public, max-age=${STATS_MAX_AGE_SECONDS}`]),
})

export const coverageEndpoints = /* @__PURE__ */ (() =>
  [
    describe(stats, {
      summary: "Coverage statistics",
      description: "May be cached for an hour.",
      success: StatsAnswer,
    }),
  ] as const)()
