/** The command line as a process: its arguments, its streams and its signals. */
import { readFileSync } from "node:fs"
import { describeFileError } from "../files/file-errors.ts"
import type { Surroundings } from "./command.ts"
import { landfall } from "./landfall.ts"
import { readScreen } from "./print.ts"

/** Runs the command line in this process, and ends the process where a signal has stopped it. */
export async function runProcess(provide?: Surroundings["provide"]): Promise<void> {
  const { argv, env, stdout, stderr, stdin } = process
  const args = argv.slice(2)
  const stop = new AbortController()
  // Node itself does not ignore SIGHUP where `nohup` has, so nothing is lost.
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const) process.on(name, () => stop.abort(name))
  stdout.on("error", (cause: NodeJS.ErrnoException) => {
    // The reader has closed the pipe, as `head` does.
    if (cause.code === "EPIPE") return
    stderr.write(`stdout: ${describeFileError(cause)}\n`)
    process.exitCode = 1
  })
  const code = await landfall(args, {
    console,
    stdout: readScreen(stdout, env, args),
    stderr: readScreen(stderr, env, args),
    env,
    input: stdin,
    // By its descriptor, because a stream would read a folder as an empty file.
    readInput: () => readFileSync(stdin.fd),
    signal: stop.signal,
    ...(provide && { provide }),
  })
  if (stop.signal.aborted) process.exit(code)
  if (code !== 0) process.exitCode = code
}
