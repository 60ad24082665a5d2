/** `GET /api/v1/visa/bulk`: the records of one passport, for a list of destinations or for all of them. */

import type { Language } from "../../../../src/full.ts"
import { DEFAULT_LANGUAGE } from "../../../answers/answer-languages.ts"
import { type WeighedBulk, weighBulk, writeBulk } from "../../../answers/visa-answers.ts"
import { Plans } from "../../../plans/plans.ts"
import { choice, endpoint, optional } from "../../pipeline/endpoint.ts"
import { JSON_TYPE, REVALIDATED, streamText } from "../../pipeline/http-answer.ts"
import { answerWithout, destinations, lang, localisedFactsOf, passport } from "./visa-endpoints.ts"
import { BulkAnswer } from "./visa-schemas.ts"

const fields = optional(
  choice(["all", "core"], {
    description: "`core` omits the extended fields.",
    example: "core",
    default: "all",
  }),
)

/** Up to this many records are written at once; more are written while they are sent. */
const WHOLE_RECORDS = 25

/** Many destinations of one passport. */
const bulk = endpoint("GET /api/v1/visa/bulk", {
  name: "bulk",
  surface: "visa",
  access: { kind: "key", feature: "bulk" },
  needs: { plans: Plans },
  parameters: { passport, destination: destinations, lang, fields },
  language: ({ lang }): Language => lang ?? DEFAULT_LANGUAGE,
  read: ({ query }, context) => {
    const { passport, destination, fields } = query
    const { bulkCharge } = context.plans
    return {
      ok: true,
      question: weighBulk(context.dataset, { passport, destinations: destination, fields }, bulkCharge),
    }
  },
  // At least one request has to be left, so that a spent quota is noticed before the records are looked up.
  cost: ({ passport, destinations, charge }: WeighedBulk) => ({ charge: Math.max(1, charge), passport, destinations }),
  answer: (weighed, context) => {
    const { plan, upgradeUrl } = context
    const outcome = writeBulk(localisedFactsOf(context), weighed, { plan: plan ?? "free", upgradeUrl })
    const { charge } = weighed
    if (outcome.kind !== "found") return { ...answerWithout(outcome), charge }
    const isLong = weighed.recorded.length > WHOLE_RECORDS
    const body = isLong ? streamText(outcome.body) : [...outcome.body].join("")
    return { status: 200, contentType: JSON_TYPE, headers: REVALIDATED, body, charge }
  },
  summary: "Many destinations of one passport",
  description:
    "At most 25 destinations, separated by commas; every destination by default. `fields=core` omits the extended fields. Costs one request for each pair with a record, or one in all without destinations (`meta.pairs_charged`).",
  success: BulkAnswer,
  errors: [404],
})

export const bulkEndpoints = [bulk] as const
