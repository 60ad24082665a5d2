/**
 * How is the memory of a service kept small, and what is short-lived in a service and in a batch?
 *
 * Node 24 lets that space grow to 128 MB beside `--max-old-space-size`, and V8 reads its limit only while the process starts. A service
 * that was started without the limit therefore replaces itself once: the same program with the same arguments and the flag before them. The
 * number of the process, its parent and its streams stay the same. It then has the limits of the C library too (mallopt(3)), which reads
 * them only at the start: otherwise a buffer of up to 32 MB may stay in memory after it was freed, and each thread has buffers of its own.
 *
 * V8 also makes an object at once among the old ones where many that were made at the same place have survived. What is kept of the first
 * questions about a destination is made where later requests make what they discard, and such an object keeps all that it refers to until
 * the whole heap is collected. In a service and in a batch this is switched off.
 */
import { setFlagsFromString } from "node:v8"

/** The largest size of each half of the space, in MB: what Node had until version 22. */
const SEMI_SPACE_MB = 16

const FLAG = "max-semi-space-size"
const IS_GIVEN = /--max[-_]semi[-_]space[-_]size\b/

/** A freed buffer from this size on, in bytes, goes back to the system, and so does what is free at the end of the memory. */
const MALLOC_LIMITS = { MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: "131072", MALLOC_TRIM_THRESHOLD_: "131072" }

/** The parts of `process` that say how it was started. */
export type Started = Pick<NodeJS.Process, "argv" | "execArgv" | "execPath" | "platform"> & {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The connection to a parent that has forked this process. */
  readonly channel?: unknown
}

/**
 * The arguments that start the process again with the limit; null where it has one, where another process has forked it (the connection between them
 * would be lost), and where a process cannot be replaced (Windows).
 */
export function limitYoungGeneration(started: Started): readonly string[] | null {
  const { argv, execArgv, execPath, env, channel, platform } = started
  if (platform === "win32" || channel !== undefined) return null
  if (IS_GIVEN.test(`${execArgv.join(" ")} ${env.NODE_OPTIONS ?? ""}`)) return null
  return [execPath, ...execArgv, `--${FLAG}=${SEMI_SPACE_MB}`, ...argv.slice(1)]
}

/**
 * Lets the heap of a service grow to twice what is in use before all of it is collected. For a small heap V8 would allow a third, and collect
 * it several times a second where strangers send bodies or ask for much: each collection stops the event loop for some ten milliseconds.
 */
export function collectSeldom(): void {
  setFlagsFromString("--heap-growing-percent=100")
}

/** Makes every object young, in this thread and in those that it starts. */
export function keepObjectsYoung(): void {
  setFlagsFromString("--no-allocation-site-pretenuring")
}

/** Replaces this process by one that has the limit; returns where that is not needed or not possible. */
export function restartWithLimit(): void {
  const args = limitYoungGeneration(process)
  // Not all versions of Node have it, and its permissions may forbid it.
  if (args === null || process.execve === undefined || process.permission?.has("child") === false) return
  process.execve(process.execPath, args, { ...MALLOC_LIMITS, ...process.env })
}
