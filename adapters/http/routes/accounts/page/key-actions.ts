/** What do the forms of keys do? They make, replace and end keys. A whole key is shown only in the answer that makes it. */
import { Effect } from "effect"
import { actingAs } from "../../../../accounts/audit-trail.ts"
import { SCOPES } from "../../../../accounts/key-limits.ts"
import { MAXIMUM_TEAM_KEYS, type MadeKey } from "../../../../accounts/named-key-records.ts"
import { readNewKey } from "../../../../accounts/read-new-key.ts"
import { lowestPlanWith } from "../../../../plans/plans.ts"
import { choice, idOf, optional, type Parameter } from "../../../pipeline/parameters.ts"
import { name } from "../read-fields.ts"
import {
  type Acting,
  done,
  freshly,
  goBack,
  gone,
  type OwnersForm,
  readText,
  refuse,
  type Sent,
  show,
  withFields,
  wrong,
} from "./forms.ts"

const sure: Parameter<string> = choice(["yes"], { description: "That the key is to be replaced." })

const replaceKey = (sent: OwnersForm, fields: { readonly end_team_keys: string | undefined }): Acting =>
  sent.context.accounts.regenerateKey(sent.account.id, { endsTeamKeys: fields.end_team_keys === "yes" }).pipe(
    actingAs("owner"),
    Effect.flatMap(({ key }) => show(sent, { notices: [done("said.key_replaced", {}, key)] })),
    Effect.catchTag("AccountNotFound", gone(sent)),
  )

const makeKey = (sent: OwnersForm): Acting =>
  sent.context.accounts.ensureKey(sent.account.id).pipe(
    actingAs("owner"),
    Effect.flatMap(() => goBack(sent, null)),
    Effect.catchTag("AccountNotFound", gone(sent)),
  )

const makeTeamKey = withFields({ name }, (sent, { name }) => {
  const { accounts, plans } = sent.context
  if (!plans.byId[sent.account.plan].features.teamKeys) {
    return refuse(sent, 403, wrong("team_keys.needed", { plan: lowestPlanWith("teamKeys", plans) ?? "–" }))
  }
  return accounts.createTeamKey(sent.account.id, name).pipe(
    actingAs("owner"),
    Effect.flatMap(({ key }) => show(sent, { notices: [done("said.team_key_made", { name }, key)] })),
    Effect.catchTags({
      TooManyTeamKeys: () => refuse(sent, 400, wrong("wrong.team_keys", { count: MAXIMUM_TEAM_KEYS })),
      AccountNotFound: gone(sent),
    }),
  )
})

const endTeamKey = withFields({ id: idOf({ description: "The team key." }) }, (sent, { id }) =>
  sent.context.accounts.deactivateTeamKey(sent.account.id, id).pipe(
    actingAs("owner"),
    Effect.flatMap(() => goBack(sent, "team_key_ended")),
    Effect.catchTag("TeamKeyNotFound", () => refuse(sent, 404, wrong("wrong.team_key"))),
  ),
)

const keyId = { id: idOf({ description: "The key." }) }
const noSuchKey = (sent: Sent) => () => refuse(sent, 404, wrong("wrong.key"))

/** Shows a whole key, once. */
const showMade = (sent: Sent) =>
  Effect.flatMap(({ accountKey: { name }, key }: MadeKey) =>
    show(sent, { notices: [done("said.team_key_made", { name }, key)] }),
  )

const makeNamedKey = (sent: OwnersForm): Acting => {
  const { accounts } = sent.context
  const { name, mode, until, from } = sent.form
  const addresses = readText(from)
    .split(/[\s,]+/)
    .filter(text => text !== "")
  const read = readNewKey(
    {
      name,
      mode,
      scopes: SCOPES.filter(scope => sent.form[`scope_${scope}`] === "yes"),
      allowed_addresses: addresses,
      ...(until === undefined || until === "" ? {} : { expires_at: `${readText(until)}T00:00:00Z` }),
    },
    sent.context.nowMs,
  )
  if (!read.ok) return refuse(sent, 400, wrong("wrong.key"))
  const { name: called, ...limits } = read.value
  return accounts.createKey(sent.account.id, called, limits).pipe(
    actingAs("owner"),
    showMade(sent),
    Effect.catchTags({
      TooManyKeys: ({ limit }) => refuse(sent, 400, wrong("wrong.keys", { count: limit })),
      AccountNotFound: gone(sent),
    }),
  )
}

const rotateKey = withFields(keyId, (sent, { id }) =>
  sent.context.accounts
    .rotateKey(sent.account.id, id)
    .pipe(
      actingAs("owner"),
      showMade(sent),
      Effect.catchTags({ NoSuchKey: noSuchKey(sent), AccountNotFound: gone(sent) }),
    ),
)

const endKey = withFields(keyId, (sent, { id }) =>
  sent.context.accounts.endKey(sent.account.id, id).pipe(
    actingAs("owner"),
    Effect.flatMap(() => goBack(sent, "key_ended")),
    Effect.catchTags({ NoSuchKey: noSuchKey(sent), FirstKey: noSuchKey(sent) }),
  ),
)

/** What the forms of keys do, by their names. */
export const KEY_ACTIONS: Readonly<Record<string, (sent: OwnersForm) => Acting>> = {
  make_key: freshly(makeKey),
  replace_key: freshly(withFields({ sure, end_team_keys: optional(sure) }, replaceKey)),
  make_named_key: freshly(makeNamedKey),
  rotate_key: freshly(rotateKey),
  end_key: endKey,
  make_team_key: freshly(makeTeamKey),
  end_team_key: endTeamKey,
}
