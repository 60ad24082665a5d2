/**
 * `GET /api/v1/visa/changes`: the withdrawn feed of changes.
 *
 * It comes back only when every event has a named, verified official source. Until then it answers that it is unavailable, which does not
 * mean that nothing has changed.
 */

import { endpoint } from "../../pipeline/endpoint.ts"
import { answerJson, NOT_STORED } from "../../pipeline/http-answer.ts"
import { MountedSite } from "../../pipeline/mounted-site.ts"
import { optional, type Parameter, type ParameterDocument } from "../../pipeline/parameters.ts"
import { Withdrawn } from "./visa-schemas.ts"

const RETRY_AFTER_SECONDS = 86_400

const ignored = (document: Omit<ParameterDocument, "description">): Parameter<string | undefined> =>
  optional({
    expected: "anything",
    isRequired: true,
    document: { description: "Ignored.", ...document },
    read: text => text,
  })

/** The withdrawn feed: always 503. */
const changes = endpoint({
  name: "changes",
  method: "GET",
  path: "/api/v1/visa/changes",
  surface: "visa",
  access: { kind: "public" },
  needs: { site: MountedSite },
  parameters: {},
  answer: (_, context) => {
    const body = {
      error: "The feed of policy changes is withdrawn. That does not mean that nothing has changed.",
      status: "unavailable",
      contact: context.site.contact,
    }
    return answerJson(503, body, [...NOT_STORED, "retry-after", String(RETRY_AFTER_SECONDS)])
  },
  summary: "Feed of policy changes (withdrawn)",
  description:
    "Always 503, which does not mean that nothing has changed. The feed returns when every event has a verified official source.",
  isDeprecated: true,
  // Parameters of the withdrawn feed. Clients still send them, and none is refused.
  ignores: {
    passport: ignored({ type: "string" }),
    destination: ignored({ type: "string" }),
    since: ignored({ type: "string" }),
    type: ignored({ type: "string" }),
    severity: ignored({ type: "string", enum: ["minor", "major"] }),
    wishlist: ignored({ type: "string" }),
    limit: ignored({ type: "integer", minimum: 1, maximum: 200, default: 50 }),
    offset: ignored({ type: "integer", minimum: 0, default: 0 }),
  },
  errors: [Withdrawn],
})

export const changesEndpoints = [changes] as const
