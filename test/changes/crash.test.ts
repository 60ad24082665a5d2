import { spawnSync } from "node:child_process"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { bundleProgram } from "../cli/bundle.ts"
import { runCli } from "../cli/run.ts"
import { makeFolder, startTestService } from "../http/service.ts"
import { startReceiver } from "../webhooks/receiver.ts"
import { writeWorld } from "./datasets.ts"

let folder = ""
beforeAll(() => {
  folder = makeFolder()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const JSON_BODY = { "content-type": "application/json" }

/** What a deployment in a folder of its own is started with. */
function configure(name: string) {
  const home = join(folder, name)
  const env = {
    LANDFALL_DATASET: writeWorld(folder, { version: "world.1", days: 90 }),
    LANDFALL_DATABASE_URL: `file:${home}.db`,
    LANDFALL_WEBHOOK_ALLOW_PRIVATE: "true",
  }
  return { env, folder: home, changed: writeWorld(folder, { version: "world.2", days: 30 }) }
}

describe("a process that is killed", () => {
  it.each([["installed"], ["fanning-out"]])("loses no event: %s", async moment => {
    const { env, changed } = configure(moment)
    await using receiver = await startReceiver()
    const first = await startTestService({ env, folder })
    const made = await first.askAs("business", "/api/v1/visa/webhooks", {
      method: "POST",
      headers: JSON_BODY,
      body: JSON.stringify({ url: receiver.url }),
    })
    assert.strictEqual(made.status, 201, made.text)
    await receiver.until(({ length }) => length === 1)
    await first.stop()

    const killed = spawnSync(process.execPath, [
      bundleProgram("killed-process"),
      env.LANDFALL_DATABASE_URL,
      changed,
      moment,
    ])
    assert.strictEqual(killed.signal, "SIGKILL", String(killed.stderr))
    const isTold = () => receiver.received.some(({ event }) => event.type === "visa.policy_changed")
    assert.isFalse(isTold())

    const second = await startTestService({ env, folder })
    await receiver.until(isTold)
    await second.stop()
    const changes = receiver.received.filter(({ event }) => event.type === "visa.policy_changed")
    assert.strictEqual(new Set(changes.map(({ event }) => event.id)).size, 1)
  })
})

describe("landfall dataset install and rollback", () => {
  it("change the answers of a running service, notify its subscribers, and report it", async () => {
    const { env, changed } = configure("commands")
    await using receiver = await startReceiver()
    const running = await startTestService({ env, folder })
    await running.askAs("business", "/api/v1/visa/webhooks", {
      method: "POST",
      headers: JSON_BODY,
      body: JSON.stringify({ url: receiver.url }),
    })
    const landfall = (...args: string[]) => runCli(["dataset", ...args], { env })
    const tried = await landfall("install", changed, "--dry-run")
    assert.strictEqual(
      tried.stdout.split("\n")[0],
      "world.1 → world.2: would be installed. 1 policy changes, 1 of them majorly.",
    )
    assert.include(tried.stdout, receiver.url)
    assert.strictEqual((await landfall("rollback")).status, 1)
    const installed = JSON.parse((await landfall("install", changed, "--json")).stdout)
    assert.deepInclude(installed, {
      is_dry_run: false,
      installation: 1,
      before: "world.1",
      after: "world.2",
      announced: 0,
    })
    await receiver.until(received => received.some(({ event }) => event.type === "visa.policy_changed"))
    const again = await landfall("install", changed)
    assert.strictEqual(again.status, 1)
    assert.include(again.stderr, `${changed}: dataset world.2 is installed already`)
    assert.match((await landfall("rollback")).stdout, /^world\.2 → world\.1: is installed\./)
    await receiver.until(received => received.filter(({ event }) => event.type === "visa.policy_changed").length === 2)
    await running.stop()
  })
})
