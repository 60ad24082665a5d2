/** The command line as a process: its arguments, its streams and its signals. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { teardown } from "./failure.ts"
import { landfall } from "./landfall.ts"
import { readScreen } from "./screen.ts"

const screenOf = (stream: NodeJS.WriteStream) => readScreen(stream, process.env, process.argv.slice(2))

landfall({ stdout: screenOf(process.stdout), stderr: screenOf(process.stderr) }).pipe(
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({ teardown }),
)
