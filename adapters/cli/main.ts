/** The command line as a process: its arguments, its streams and its signals. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { describeFileError } from "../data/file-errors.ts"
import { landfall, teardown } from "./landfall.ts"

process.stdout.on("error", (cause: NodeJS.ErrnoException) => {
  // The reader has seen enough, as `head` does.
  if (cause.code === "EPIPE") return
  process.stderr.write(`stdout: ${describeFileError(cause)}\n`)
  process.exitCode = 1
})

const takesColours = (stream: NodeJS.WriteStream) => stream.isTTY === true && stream.hasColors()

landfall({ stdout: takesColours(process.stdout), stderr: takesColours(process.stderr) }).pipe(
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({ teardown }),
)
