/**
 * The file that the watching thread starts with: it kills its process when the event loop stands still.
 *
 * It counts in steps of its own and in processor time, never by a clock: a process that was suspended, or that waits for a processor on a
 * busy machine, does not hang. A loop that waits without computing, for example for a disk, has longer.
 */
import { writeSync } from "node:fs"
import { workerData } from "node:worker_threads"

export interface Watched {
  /** See `ProcessState`. */
  readonly signs: Int32Array
  readonly rows: readonly string[]
}

const STEP_MS = 1_000
/** A loop hangs after this many steps without a sign, most of which it spent computing. */
const HANGS = { steps: 5, cpuMs: 4_000 }
/** A loop hangs after this many steps in any case. */
const MOST_STEPS = 60

/** A thread's own stderr passes through the loop that hangs. */
const STDERR = 2

const { signs, rows } = workerData as Watched

function kill(): never {
  const latest = rows[Atomics.load(signs, 1)] ?? "none"
  const message = "the event loop hangs: this process is killed, so that another can be started"
  const line = { time: new Date().toISOString(), level: "error", message, latest_request: latest, pid: process.pid }
  try {
    writeSync(STDERR, `${JSON.stringify(line)}\n`)
  } finally {
    process.kill(process.pid, "SIGKILL")
  }
  throw new Error("a process has outlived its end")
}

let known = -1
let steps = 0
let cpu = process.cpuUsage()
setInterval(() => {
  const count = Atomics.load(signs, 0)
  if (count !== known) {
    known = count
    steps = 0
    cpu = process.cpuUsage()
    return
  }
  steps++
  const { user, system } = process.cpuUsage(cpu)
  if (steps >= MOST_STEPS || (steps >= HANGS.steps && (user + system) / 1_000 >= HANGS.cpuMs)) kill()
}, STEP_MS)
