/**
 * `/api/v1/visa/team-keys`: keys for the people of a team, who share the account's quota.
 *
 * These keys have every scope except `team`. They are shown in full once, later only by their first characters. Deactivating one is final
 * and keeps its record.
 */

import { Effect } from "effect"
import { HttpApiSchema } from "effect/http-api"
import type { AccountKey } from "../../../accounts/account.ts"
import { Accounts } from "../../../accounts/accounts.ts"
import { actingAs } from "../../../accounts/audit-trail.ts"
import { TEAM_KEY_SCOPES } from "../../../accounts/key-limits.ts"
import { MAXIMUM_TEAM_KEYS } from "../../../accounts/named-key-records.ts"
import { type AnswerContext, endpoint } from "../../pipeline/endpoint.ts"
import { answerJson, NOT_STORED } from "../../pipeline/http-answer.ts"
import { answerError } from "../../pipeline/http-errors.ts"
import { idOf } from "../../pipeline/parameters.ts"
import { cutPage, type PageAsked, pageAbove, WHOLE_PAGE } from "../pages.ts"
import { accountOf } from "./account-answers.ts"
import { TeamKeyDeactivated, TeamKeyMade, TeamKeys } from "./account-schemas.ts"
import { refuseHandingOut } from "./key-endpoints.ts"
import { name, takesFields } from "./read-fields.ts"

const PATH = "/api/v1/visa/team-keys"
const shared = { path: PATH, surface: "visa", access: { kind: "key", feature: "teamKeys", scope: "team" } } as const
const id = idOf({ description: "The id of the team key." })

/** A team key in its wire form. */
export const writeTeamKey = ({ id, name, isActive, keyPrefix, createdAt }: AccountKey) => ({
  id,
  name,
  active: isActive,
  key_prefix: keyPrefix,
  created_at: createdAt,
})

const listTeamKeys = endpoint({
  ...shared,
  name: "listTeamKeys",
  method: "GET",
  needs: { accounts: Accounts },
  parameters: WHOLE_PAGE,
  answer: (asked: PageAsked, context) => {
    const page = pageAbove(asked)
    return Effect.map(context.accounts.listTeamKeys(accountOf(context), page), found => {
      const { items: team_keys, next_cursor } = cutPage(found, page, writeTeamKey)
      return answerJson(200, { team_keys, next_cursor }, NOT_STORED)
    })
  },
  summary: "List team keys",
  description: "Includes deactivated ones; only the beginning of a key is shown.",
  success: TeamKeys,
})

const createTeamKey = endpoint({
  ...shared,
  name: "createTeamKey",
  method: "POST",
  needs: { accounts: Accounts },
  parameters: {},
  ...takesFields({ name }, (context: AnswerContext) => refuseHandingOut(context, TEAM_KEY_SCOPES)),
  answer: ({ name }: { name: string }, context) =>
    context.accounts.createTeamKey(accountOf(context), name).pipe(
      actingAs("key"),
      Effect.map(({ teamKey, key }) => {
        const message = "Keep the key: it is shown whole only in this answer. It shares the quota of the account."
        return answerJson(201, { team_key: { ...writeTeamKey(teamKey), key }, message }, NOT_STORED)
      }),
      Effect.catchTags({
        TooManyTeamKeys: () =>
          Effect.succeed(answerError(400, `An account may have at most ${MAXIMUM_TEAM_KEYS} active team keys.`)),
        AccountNotFound: Effect.die,
      }),
    ),
  summary: "Make a team key",
  description: "It shares the quota of the account. Only this answer shows it whole.",
  success: TeamKeyMade.pipe(HttpApiSchema.status(201)),
  errors: [400, 503],
})

const deleteTeamKey = endpoint({
  ...shared,
  name: "deleteTeamKey",
  method: "DELETE",
  needs: { accounts: Accounts },
  parameters: { id },
  answer: ({ id }, context) =>
    context.accounts.deactivateTeamKey(accountOf(context), id).pipe(
      actingAs("key"),
      Effect.map(({ id, name }) => answerJson(200, { deactivated: true, team_key: { id, name } }, NOT_STORED)),
      Effect.catchTag("TeamKeyNotFound", () => Effect.succeed(answerError(404, "There is no team key of this id."))),
    ),
  summary: "Deactivate a team key",
  description: "This is final; the record is kept.",
  success: TeamKeyDeactivated,
  errors: [404, 503],
})

export const teamKeyEndpoints = [listTeamKeys, createTeamKey, deleteTeamKey] as const
