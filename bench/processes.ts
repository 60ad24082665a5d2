/** What benches of whole processes share: a folder, processes that write lines, and new databases. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { createInterface } from "node:readline"
import { Effect } from "effect"
import { bundleInto } from "../test/cli/bundle.ts"
import { startPostgres } from "../test/storage/postgres-server.ts"
import { runStatements } from "../test/storage/run-statements.ts"
import { option } from "./measure.ts"

/** Makes a folder that is removed with this process. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "landfall-bench-"))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export interface Started {
  readonly child: ChildProcess
  /** The next line of the process, parsed as JSON. */
  readonly read: <Line>() => Promise<Line>
  /** Writes a line to its standard input. */
  readonly tell: (line: string) => void
  /** Waits until it has ended. */
  readonly whenEnded: () => Promise<void>
}

/** Bundles one of the programs in this folder, which then starts in half the time; returns the path of the bundle. */
export const bundleProgram = (name: string): string =>
  join(
    bundleInto(makeFolder(), {
      [name]: `bench/${name}.ts`,
      checkpoints: "adapters/storage/checkpoint-thread.ts",
    }),
    `dist/${name}.js`,
  )

/** Starts one of the programs in this folder, or a bundle of one, which writes lines of JSON. */
export function startProcess(script: string, args: readonly string[], cwd?: string): Started {
  const path = resolve(import.meta.dirname, script)
  const child = spawn(process.execPath, [path, ...args], { cwd, stdio: ["pipe", "pipe", "inherit"] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const read = async <Line>(): Promise<Line> => {
    const { done, value } = await lines.next()
    if (done === true) throw new Error(`${script} ${args.join(" ")} ended before it was done`)
    return JSON.parse(value) as Line
  }
  const whenEnded = async () => {
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
  }
  return { child, read, whenEnded, tell: line => child.stdin.write(`${line}\n`) }
}

const TICKS_A_SECOND = 100

/** The name of a process or thread by its folder in /proc, and its seconds of CPU. */
export function readCpu(folder: string): readonly [name: string, seconds: number] {
  const [, name = "", rest = ""] = /\((.*)\) (.*)/.exec(readFileSync(`${folder}/stat`, "utf8")) ?? []
  const fields = rest.split(" ")
  return [name, (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND]
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

/** The PostgreSQL to use; all benches of a smoke test share one. */
export const POSTGRES_OPTION = {
  type: "string",
  ...(process.env.BENCH_POSTGRES === undefined ? {} : { default: process.env.BENCH_POSTGRES }),
} as const

/** Which engines a bench runs on, and where PostgreSQL is. */
export const ENGINE_OPTIONS = { postgres: POSTGRES_OPTION, only: option("sqlite,postgres") } as const

/** Does something on each selected engine. */
export async function onEngines(
  { postgres, only }: { readonly postgres?: string; readonly only: string },
  work: (withDatabase: WithDatabase, engine: "sqlite" | "postgres") => Promise<void>,
): Promise<void> {
  const engines = await makeDatabases(postgres, { isDurable: true })
  try {
    for (const engine of ["sqlite", "postgres"] as const) {
      if (only.split(",").includes(engine)) await work(engines[engine], engine)
    }
  } finally {
    await engines.stop()
  }
}
