/**
 * A folder for what the processes of a run share, removed at its end, or by the next run if this one is killed: the bundle of the command line (`test/cli/bundle.ts`), and what Node has compiled.
 * A process that starts from the sources reads and strips hundreds of files; one that finds them compiled starts in half the time.
 *
 * Temporary files are in memory where there is room: hundreds of databases are made, and each commit waits for the disk. No test cuts the power,
 * and whoever kills a process finds what it wrote in memory as on a disk.
 */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs"
import { join } from "node:path"

const CACHE = join(import.meta.dirname, "../node_modules/.cache")

const MEMORY = "/dev/shm"
const ROOM_BYTES = 2 ** 31

/** Whether programs in it may run is asked as well: a clone that nobody else may enter has PostgreSQL copied among the temporary files. */
function hasRoomInMemory(): boolean {
  try {
    const mount = readFileSync("/proc/mounts", "utf8").match(/^\S+ \/dev\/shm tmpfs (\S+)/m)
    const { bavail, bsize } = statfsSync(MEMORY)
    return mount !== null && !mount[1]?.split(",").includes("noexec") && bavail * bsize >= ROOM_BYTES
  } catch {
    return false
  }
}

/** Makes a folder that is named after this process. Those of processes that have ended are removed: nobody else did. */
function makeRunFolder(parent: string, name: string): string {
  for (const other of readdirSync(parent)) {
    const pid = other.startsWith(`${name}-`) ? /-(\d+)-\w{6}$/.exec(other)?.[1] : undefined
    if (pid === undefined || isRunning(Number(pid))) continue
    try {
      rmSync(join(parent, other), { recursive: true, force: true })
    } catch {
      // It belongs to somebody else.
    }
  }
  return mkdtempSync(join(parent, `${name}-${process.pid}-`))
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of somebody else may not be asked.
    return (error as NodeJS.ErrnoException).code !== "ESRCH"
  }
}

export default function setup(): () => void {
  mkdirSync(CACHE, { recursive: true })
  const folder = makeRunFolder(CACHE, "test-run")
  // The workers have these from the process that starts them, and so has whatever they start.
  process.env.TEST_RUN_FOLDER = folder
  process.env.NODE_COMPILE_CACHE = join(folder, "compiled")
  const inMemory =
    process.env.TMPDIR === undefined && hasRoomInMemory() ? makeRunFolder(MEMORY, "landfall-run") : undefined
  if (inMemory !== undefined) {
    // The database runs as somebody else.
    chmodSync(inMemory, 0o755)
    process.env.TMPDIR = inMemory
  }
  return () => {
    for (const each of [folder, inMemory]) if (each !== undefined) rmSync(each, { recursive: true, force: true })
  }
}
