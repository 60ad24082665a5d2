/** `landfall` of a newer version: the same code, which knows a step of the tables more that adds and one that removes. */
import { Effect } from "effect"
import { runProcess } from "../../adapters/cli/main.ts"
import { KnownSteps } from "../../adapters/storage/tables.ts"
import { NEWER_RUNNING_STEPS } from "../storage/newer-steps.ts"

await runProcess(Effect.provideService(KnownSteps, NEWER_RUNNING_STEPS))
