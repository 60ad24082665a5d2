/** `landfall operate`: the views and acts of operators, on a deployment, from the table that their pages are made from. */
import { userInfo } from "node:os"
import { Clock, Console, Effect } from "effect"
import { openConfiguredDataset } from "../events/install-dataset.ts"
import { findOperation, OPERATIONS } from "../http/admin/operations.ts"
import { readParameters } from "../http/pipeline/endpoint.ts"
import { readSetting } from "../settings/config.ts"
import { settings } from "../settings/settings.ts"
import { describeIssues } from "../validation/fields.ts"
import { Webhooks } from "../webhooks/webhooks.ts"
import { makeCommand, optionalArgument, restArguments, text } from "./command.ts"
import { failed, wrong } from "./failure.ts"
import { onDeployment } from "./operator-deployment.ts"
import { table } from "./print.ts"

/** The user of this machine; empty if it is not known. */
function readOwnName(): string {
  try {
    return userInfo().username
  } catch {
    return ""
  }
}

export const operate = makeCommand("operate", {
  examples: {
    "landfall operate receivers failing=yes": "Failing receivers, with the reason",
    "landfall operate switch-on webhook=3": "Resume a stopped receiver",
  },
  takes: {
    name: optionalArgument("The view or action"),
    field: restArguments("FIELD=VALUE", "Its fields, as FIELD=VALUE"),
    operator: text("NAME", "The name for the audit trail; that of the user of this machine when absent"),
  },
  *run({ name: named, field: fields, operator, json }) {
    if (named === undefined) {
      const list = OPERATIONS.map(({ name, summary, fields }) => [name, Object.keys(fields).join(" "), summary])
      return {
        json: OPERATIONS.map(({ name, summary, isAct }) => ({ name, summary, is_act: isAct })),
        text: [table(["name", "takes", "what"], list)],
      }
    }
    const operation = findOperation(named)
    if (operation === undefined) {
      const names = OPERATIONS.map(({ name }) => name).join(", ")
      throw wrong(`${named}: one of ${names} is expected.`)
    }
    const unnamed = fields.find(field => !field.includes("="))
    if (unnamed !== undefined) throw wrong(`${unnamed}: FIELD=VALUE is expected.`)
    const given = Object.fromEntries(
      fields.map(field => [field.slice(0, field.indexOf("=")), field.slice(field.indexOf("=") + 1)]),
    )
    const unknown = Object.keys(given).find(field => !Object.hasOwn(operation.fields, field))
    if (unknown !== undefined) {
      const known = Object.keys(operation.fields).join(", ") || "nothing"
      throw wrong(`${unknown}: ${operation.name} does not take it; it takes ${known}.`)
    }
    const read = readParameters(operation.fields, given)
    if (!read.ok) throw wrong(describeIssues(read.issues))
    const operating = {
      operator: operator ?? readOwnName(),
      nowMs: yield* Clock.currentTimeMillis,
      configured: yield* Effect.flatMap(readSetting(settings.rows.datasetPath), openConfiguredDataset).pipe(
        Effect.mapError(({ message }) => failed(message)),
      ),
      readMeter: null,
    }
    if (operation.isAct) {
      const message = yield* onDeployment(() => Effect.provide(operation.run(read.values, operating), Webhooks.layer))
      return { json: { message }, text: [message] }
    }
    const viewed = yield* onDeployment(() => Effect.provide(operation.run(read.values, operating), Webhooks.layer))
    const [first] = viewed.rows
    if (first === undefined) return { json: viewed, text: ["There are none."] }
    if (typeof viewed.next_cursor === "string" && !json)
      yield* Console.error(`There are more: ${operation.name} cursor=${viewed.next_cursor}`)
    const columns = Object.keys(first)
    const heads = columns.map(column => column.replaceAll("_", " "))
    const rows = viewed.rows.map(row => columns.map(column => (row[column] ?? "–") as string | number))
    return { json: viewed, text: [table(heads, rows)] }
  },
})
