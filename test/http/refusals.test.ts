/**
 * How long is the refusal of a line, and does a refusal say what is required? `test/time` sends the same bodies to every endpoint and tool, and checks the time and length of their refusals.
 */
import { assert, describe, it } from "vitest"
import { judgeBody, writeMistakes } from "../../adapters/batch/lines/judge-body.ts"
import { embeddedDataset } from "../../src/index.ts"
import { share } from "../share.ts"
import { listBodies, MOST_REFUSAL_BYTES } from "../time/shapes.ts"
import { findBodySchema, nameRow, REFERENCE, ROWS } from "../time/time-fuzz.ts"
import { startWithPersonas } from "./personas.ts"

const running = share(() => startWithPersonas())

const operations = ROWS.flatMap(row => {
  const schema = findBodySchema(row)
  return schema === undefined ? [] : [{ ...row, name: nameRow(row), schema }]
})

/** The body of a decision, which a line of a batch or of a job has too. */
const decision = operations.find(({ path }) => path === "/api/v1/visa/decision")!

it("a refused line of a batch or of a job is short, whatever the line", () => {
  const lengths = listBodies(REFERENCE, decision.schema).map(([name, make]) => {
    const { outcome } = judgeBody(embeddedDataset(), JSON.parse(make(1)), null)
    return [name, outcome.ok ? 0 : Buffer.byteLength(writeMistakes(outcome))] as const
  })
  assert.deepStrictEqual(
    lengths.filter(([, length]) => length > MOST_REFUSAL_BYTES),
    [],
  )
})

describe("a field that is required and missing is named as required", () => {
  it.each(operations)("$name", async ({ method, path, schema }) => {
    const { required = [] } = REFERENCE.open(schema)
    const key = running.keys[path.endsWith("/simulate") ? "test" : "business"]
    const cookie = `svc_token=${running.sessions.pro}`
    const headers = { "content-type": "application/json", "x-api-key": key, authorization: `Bearer ${key}`, cookie }
    const reply = await running.ask(path.replace(/:\w+/, "1"), { method, headers, body: "{}" })
    const said = reply.text.match(/Missing, expected|It is required/g) ?? []
    // The lookup names the first mistake only.
    const expected = path.startsWith("/webhooks") ? required.slice(0, 1) : required
    if (reply.status === 400) for (const name of expected) assert.include(reply.text, name)
    assert.isAtLeast(said.length, reply.status === 400 ? expected.length : 0, reply.text)
  })
})
