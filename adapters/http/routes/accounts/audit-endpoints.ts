/** `GET /api/v1/visa/audit`: changes of the account's keys, plan and address, with who made them. */
import { Storage } from "../../../storage/storage.ts"
import { describe, NotSetUp } from "../../pipeline/describe-row.ts"
import { endpoint } from "../../pipeline/endpoint.ts"
import { answerJson, NOT_STORED } from "../../pipeline/http-answer.ts"
import { cutPage, type PageAsked, pageBelow, pageParameters } from "../pages.ts"
import { accountOf } from "../webhook-answers.ts"
import { AuditTrail } from "./account-schemas.ts"

const PAGE = 20

/** The changes, the newest first. */
const readAudit = endpoint({
  name: "readAudit",
  method: "GET",
  path: "/api/v1/visa/audit",
  surface: "visa",
  access: { kind: "key", scope: "team" },
  needs: { storage: Storage },
  parameters: pageParameters(PAGE),
  answer: ({ limit = PAGE, cursor }: PageAsked, context) => {
    const page = pageBelow({ limit, cursor })
    return context.run(context.storage.audit.listBelow(accountOf(context), page)).then(found => {
      const { items: audit, next_cursor } = cutPage(found, page, ({ account_id: _, ...line }) => line)
      return answerJson(200, { audit, next_cursor }, NOT_STORED)
    })
  },
})

export const auditEndpoints = /* @__PURE__ */ (() =>
  [
    describe(readAudit, {
      summary: "Changes of the account",
      description:
        "Keys, plan, address and sessions of the account, the newest change first. No line holds a key or an address.",
      success: AuditTrail,
      error: [NotSetUp],
    }),
  ] as const)()
