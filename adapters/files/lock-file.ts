/**
 * How do programs take turns on one folder? With a file that exists while one of them works.
 *
 * The file names the process and its machine. A file of a process of this machine that has ended is taken over. Nothing is known about
 * processes of another machine, so their file stays until somebody deletes it.
 */
import { randomUUID } from "node:crypto"
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"

interface LockHolder {
  readonly pid: number
  readonly host: string
  /** Identifies the lock: a UUID. */
  readonly id: string
}

/** A lock that was taken, or its holder: `process 4711 of web-1`. */
export type TakenLock =
  | { readonly ok: true; readonly release: () => void }
  | { readonly ok: false; readonly holder: string }

const errorCode = (cause: unknown) => (cause as NodeJS.ErrnoException).code

const readText = (path: string): string | null => {
  try {
    return readFileSync(path, "utf8")
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") return null
    throw cause
  }
}

function readHolder(text: string): LockHolder | null {
  try {
    const { pid, host, id } = JSON.parse(text)
    const isWhole = Number.isSafeInteger(pid) && pid > 0 && typeof host === "string" && /^[\da-f-]{36}$/.test(id)
    return isWhole ? { pid, host, id } : null
  } catch {
    return null
  }
}

function hasEnded({ pid, host }: LockHolder): boolean {
  if (host !== hostname()) return false
  try {
    process.kill(pid, 0)
    return false
  } catch (cause) {
    // EPERM: it is there, and another user's.
    return errorCode(cause) === "ESRCH"
  }
}

// Says whether the file was made: false where there is one.
function create(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: "wx" })
    return true
  } catch (cause) {
    if (errorCode(cause) === "EEXIST") return false
    throw cause
  }
}

/** Takes a lock, or says who holds it. Throws what the file system throws. */
export function takeLock(path: string): TakenLock {
  const text = JSON.stringify({ pid: process.pid, host: hostname(), id: randomUUID() } satisfies LockHolder)
  while (!create(path, text)) {
    const found = readText(path)
    if (found === null) continue
    const holder = readHolder(found)
    // Half a file: the lock is being taken just now.
    if (holder === null) return { ok: false, holder: "an unknown process" }
    if (!hasEnded(holder)) return { ok: false, holder: `process ${holder.pid} of ${holder.host}` }
    const turn = `${path}.${holder.id}`
    if (!create(turn, text)) return { ok: false, holder: "an unknown process" }
    // Only one process at a time has the turn after this lock, and the previous one has replaced the lock.
    if (readText(path) === found) {
      renameSync(turn, path)
      break
    }
    rmSync(turn, { force: true })
  }
  return {
    ok: true,
    release: () => {
      if (readText(path) === text) rmSync(path, { force: true })
    },
  }
}
