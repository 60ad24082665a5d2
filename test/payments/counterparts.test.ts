import { spawnSync } from "node:child_process"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it } from "vitest"

it("local-stripe names a port that is in use, in one sentence and without a stack", async () => {
  const taken = createServer()
  await new Promise<void>(resolve => taken.listen(0, "127.0.0.1", resolve))
  const { port } = taken.address() as AddressInfo
  const ended = spawnSync(process.execPath, ["examples/payments/local-stripe.ts", String(port)], { encoding: "utf8" })
  taken.close()
  expect([ended.status, ended.stdout, ended.stderr]).toEqual([
    1,
    "",
    `Port ${port} of 127.0.0.1 is in use. Give another as the first argument.\n`,
  ])
})
