/** `landfall operate`: the views and acts of operators, on a deployment, from the table that their pages are made from. */
import { userInfo } from "node:os"
import { Effect } from "effect"
import { findOperation, OPERATIONS } from "../http/admin/operations.ts"
import { readParameters } from "../http/pipeline/endpoint.ts"
import { describeIssues } from "../validation/fields.ts"
import { Webhooks } from "../webhooks/webhooks.ts"
import { makeCommand, optionalArgument, restArguments, text } from "./command.ts"
import { wrong } from "./failure.ts"
import { openConfigured, openDeployment } from "./operator-deployment.ts"
import { records } from "./print.ts"

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
  async run({ name: named, field: fields, operator = readOwnName(), json }, at) {
    if (named === undefined) {
      const list = OPERATIONS.map(({ name, summary, fields }) => ({
        name,
        takes: Object.keys(fields).join(" "),
        what: summary,
      }))
      return {
        json: OPERATIONS.map(({ name, summary, isAct }) => ({ name, summary, is_act: isAct })),
        text: [records(list)],
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
    const operating = { operator, nowMs: Date.now(), configured: await openConfigured(at), readMeter: null }
    const { run } = await openDeployment(at)
    if (operation.isAct) {
      const message = await run(Effect.provide(operation.run(read.values, operating), Webhooks.layer))
      return { json: { message }, text: [message] }
    }
    const viewed = await run(Effect.provide(operation.run(read.values, operating), Webhooks.layer))
    if (typeof viewed.next_cursor === "string" && !json)
      at.console.error(`There are more: ${operation.name} cursor=${viewed.next_cursor}`)
    return { json: viewed, text: [viewed.rows.length === 0 ? "There are none." : records(viewed.rows)] }
  },
})
