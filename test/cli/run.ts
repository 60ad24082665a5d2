/**
 * Runs the command line in this process: the same commands, printer and exit codes as `adapters/cli/main.ts`, without the second that a process needs to load them.
 * Signals, pipes and a full disk are tested on a bundle of `bin.ts`, by `spawnCli`.
 */
import { spawnSync } from "node:child_process"
import { Console } from "node:console"
import { Readable, Writable } from "node:stream"
import { landfall } from "../../adapters/cli/landfall.ts"
import { NO_SCREEN, type Screen } from "../../adapters/cli/print.ts"
import { bundleCli } from "./bundle.ts"

/** The surroundings of a command. */
export interface Surroundings {
  /** Variables of the environment; none where none is given. */
  readonly env?: Readonly<Record<string, string>>
  /** The working folder; the repository where none is given. */
  readonly cwd?: string
  /** What stands on the standard input; it is empty where nothing is given. */
  readonly stdin?: string
  /** The width and colours of both streams; a pipe by default. */
  readonly screen?: Screen
  /** Whether the command runs until it is stopped: it is told to as soon as it is ready. */
  readonly serves?: boolean
}

/** How a command ended, and what it printed. */
export interface Ended {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

/** What `serve`, `worker` and `webhook listen` print when they are ready. */
const READY = /^(?:Reference: |landfall (?:delivers from the database|listens for webhooks) )/m

function collect() {
  const chunks: Buffer[] = []
  const read = () => Buffer.concat(chunks).toString()
  const { promise: ready, resolve } = Promise.withResolvers<void>()
  const stream = new Writable({
    write(chunk, _, done) {
      chunks.push(chunk)
      if (READY.test(String(chunk))) resolve()
      done()
    },
  })
  return { stream, read, ready }
}

/** Runs a command as `main.ts` does, with its streams and surroundings given. One that was to end, and serves, is stopped and fails. */
export async function runCli(
  args: readonly string[],
  { env = {}, cwd, stdin = "", screen = NO_SCREEN, serves = false }: Surroundings = {},
) {
  const [stdout, stderr] = [collect(), collect()]
  const stop = new AbortController()
  stdout.ready.then(() => stop.abort())
  const before = process.cwd()
  if (cwd !== undefined) process.chdir(cwd)
  try {
    const status = await landfall(args, {
      console: new Console({ stdout: stdout.stream, stderr: stderr.stream, colorMode: false }),
      stdout: screen,
      stderr: screen,
      env,
      input: Readable.from([Buffer.from(stdin)]),
      readInput: () => new TextEncoder().encode(stdin),
      signal: stop.signal,
    })
    if (stop.signal.aborted && !serves)
      throw new Error(`landfall ${args.join(" ")} was to end, and serves:\n${stdout.read()}`)
    return { status, stdout: stdout.read(), stderr: stderr.read() } satisfies Ended
  } finally {
    if (cwd !== undefined) process.chdir(before)
  }
}

/** Runs a command in the repository. */
export const run = (...args: readonly string[]): Promise<Ended> => runCli(args)

/** Runs the executable in a process of its own, as an operator does. */
export function spawnCli(args: readonly string[], { env = {}, cwd, stdin = "" }: Surroundings = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bundleCli(), ...args], {
    input: stdin,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, NO_COLOR: "1", ...env },
    cwd,
  })
  return { status, stdout, stderr }
}
