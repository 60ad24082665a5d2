/** What do benches of whole processes have in common? A folder, processes that say things line by line, and new databases. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Effect } from "effect"
import { startPostgres } from "../test/storage/postgres-server.ts"
import { runStatements } from "../test/storage/run-statements.ts"

/** Makes a folder that is removed with this process. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "landfall-bench-"))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export interface Started {
  readonly child: ChildProcess
  /** The next line that the process says, read as JSON. */
  readonly read: <Line>() => Promise<Line>
}

/** Starts one of the programs beside this file, which says lines of JSON. */
export function startProcess(script: string, args: readonly string[], cwd?: string): Started {
  const path = join(import.meta.dirname, script)
  const child = spawn(process.execPath, [path, ...args], { cwd, stdio: ["pipe", "pipe", "inherit"] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const read = async <Line>(): Promise<Line> => {
    const { done, value } = await lines.next()
    if (done === true) throw new Error(`${script} ${args.join(" ")} ended before it was done`)
    return JSON.parse(value) as Line
  }
  return { child, read }
}

/** Does something with a new database of an engine. */
export type WithDatabase = <A>(work: (databaseUrl: string) => Promise<A>) => Promise<A>

/** New databases on each engine: on the PostgreSQL of a URL, or on one that runs until `stop`. */
export async function makeDatabases(postgresUrl: string | undefined, options?: Parameters<typeof startPostgres>[0]) {
  const folder = makeFolder()
  const server = postgresUrl === undefined ? await startPostgres(options) : null
  const serverUrl = postgresUrl ?? (server?.urlOf("postgres") as string)
  let databases = 0
  const sqlite: WithDatabase = async work => {
    const path = join(folder, `bench-${++databases}.db`)
    const done = await work(`file:${path}`)
    for (const ending of ["", "-wal", "-shm"]) rmSync(path + ending, { force: true })
    return done
  }
  const postgres: WithDatabase = async work => {
    const name = `landfall_bench_${process.pid}_${++databases}`
    await Effect.runPromise(runStatements(serverUrl, [`CREATE DATABASE ${name}`]))
    const url = new URL(serverUrl)
    url.pathname = `/${name}`
    const done = await work(url.href)
    await Effect.runPromise(runStatements(serverUrl, [`DROP DATABASE ${name} WITH (FORCE)`]))
    return done
  }
  return { sqlite, postgres, stop: async () => server?.stop() }
}
