/** The command line as a process: its arguments, its streams and its signals. */
import * as NodeRuntime from "@effect/platform-node-shared/NodeRuntime"
import { Effect } from "effect"
import { isService } from "./commands.ts"
import { type EndingSignal, makeTeardown } from "./failure.ts"
import { landfall, nodeServices } from "./landfall.ts"
import { readScreen } from "./print.ts"

const screenOf = (stream: NodeJS.WriteStream) => readScreen(stream, process.env, process.argv.slice(2))

let signal: EndingSignal | null = null
for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.on(name, () => {
    signal ??= name
  })
}
// A closed terminal, or Ctrl+\ in it, ends a command as SIGTERM does. Node itself does not ignore the first where `nohup` has, so nothing is lost.
for (const name of ["SIGHUP", "SIGQUIT"] as const) {
  process.on(name, () => {
    signal ??= name
    process.kill(process.pid, "SIGTERM")
  })
}

landfall({ stdout: screenOf(process.stdout), stderr: screenOf(process.stderr) }).pipe(
  Effect.provide(nodeServices),
  NodeRuntime.runMain({ teardown: makeTeardown(() => (isService(process.argv.slice(2)) ? null : signal)) }),
)
