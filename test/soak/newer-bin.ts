/** `landfall` of a newer version: the same code, which knows a step of the tables more that adds and one that removes. */
import * as NodeRuntime from "@effect/platform-node-shared/NodeRuntime"
import { Effect } from "effect"
import { makeTeardown } from "../../adapters/cli/failure.ts"
import { landfall, nodeServices } from "../../adapters/cli/landfall.ts"
import { readScreen } from "../../adapters/cli/print.ts"
import { KnownSteps } from "../../adapters/storage/tables.ts"
import { NEWER_RUNNING_STEPS } from "../storage/newer-steps.ts"

const screenOf = (stream: NodeJS.WriteStream) => readScreen(stream, process.env, process.argv.slice(2))

landfall({ stdout: screenOf(process.stdout), stderr: screenOf(process.stderr) }).pipe(
  Effect.provideService(KnownSteps, NEWER_RUNNING_STEPS),
  Effect.provide(nodeServices),
  NodeRuntime.runMain({ teardown: makeTeardown(() => null) }),
)
