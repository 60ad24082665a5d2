/** After each attack: the process lives, and never had more memory than a container of 512 MB. */
import { afterEach, assert, inject } from "vitest"
import { send } from "../http/service.ts"
import { readPeakMb } from "./peak-memory.ts"

const CONTAINER_MB = 512

afterEach(async ({ task }) => {
  const { pid, url } = inject("victim")
  const { status } = await send(url, "/healthz")
  assert.strictEqual(status, 200)
  const peakMb = readPeakMb(pid)
  if (peakMb === null) return
  console.log(`${peakMb.toFixed(0)} MB at most after: ${task.name}`)
  assert.isBelow(peakMb, CONTAINER_MB, "the most memory that the process had, in MB")
})
