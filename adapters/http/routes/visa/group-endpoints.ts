/** `GET /api/v1/visa/group`: where can these travellers go together? */
import { writeGroup } from "../../../answers/group.ts"
import { describe } from "../../pipeline/describe-row.ts"
import { endpoint } from "../../pipeline/endpoint.ts"
import { REVALIDATED } from "../../pipeline/http-answer.ts"
import { answerWritten } from "./outcomes.ts"
import { allow, passports } from "./visa-parameters.ts"
import { GroupAnswer } from "./visa-schemas.ts"

/** Every destination that all of a group can enter, easiest first. */
export const group = endpoint({
  name: "group",
  method: "GET",
  path: "/api/v1/visa/group",
  surface: "visa",
  access: { kind: "key", feature: "group" },
  parameters: { passports, allow },
  cost: () => ({ charge: 1 }),
  keepAs: ({ passports, allow }) => `${passports}/${allow ?? ""}`,
  answer: (question, { dataset }) => answerWritten(writeGroup(dataset, question), REVALIDATED),
})

export const groupEndpoints = /* @__PURE__ */ (() =>
  [
    describe(group, {
      summary: "Where a group can go",
      description:
        "Every destination that all of 2 to 10 distinct passports can enter, easiest first. `allow` names the requirements that qualify; visa_free, eta, visa_on_arrival and e_visa by default. Costs one request.",
      success: GroupAnswer,
      errors: [404],
    }),
  ] as const)()
