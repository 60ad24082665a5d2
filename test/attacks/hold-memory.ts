/** After each attack: the process lives, and never had more memory than a container of 512 MB. */
import { readFileSync } from "node:fs"
import { afterEach, assert, inject } from "vitest"
import { send } from "../http/service.ts"

const CONTAINER_MB = 512

/** The most memory that a process has ever had, in MB; null if the system does not report it (Linux does). */
function readPeakMb(pid: number): number | null {
  const status = process.platform === "linux" ? readFileSync(`/proc/${pid}/status`, "utf8") : ""
  const kilobytes = /VmHWM:\s+(\d+) kB/.exec(status)?.[1]
  return kilobytes === undefined ? null : Number(kilobytes) / 1_024
}

afterEach(async ({ task }) => {
  const { pid, url } = inject("victim")
  const { status } = await send(url, "/healthz")
  assert.strictEqual(status, 200)
  const peakMb = readPeakMb(pid)
  if (peakMb === null) return
  console.log(`${peakMb.toFixed(0)} MB at most after: ${task.name}`)
  assert.isBelow(peakMb, CONTAINER_MB, "the most memory that the process had, in MB")
})
