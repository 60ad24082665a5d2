/** The file that the copying thread starts with (`checkpoints.ts`). */
import { workerData } from "node:worker_threads"
import { makeCopier } from "./copy-log.ts"

const STEP_MS = 100

setInterval(makeCopier(workerData as string), STEP_MS)
