import { Effect, Redacted } from "effect"
import { describe } from "vitest"
import { makeDeployment } from "../storage/deployment.ts"
import { describeJobs } from "./jobs-suite.ts"

const secret = Redacted.make(Buffer.alloc(32, 7).toString("base64"))

describe("jobs on a file,", () => {
  describeJobs(Effect.map(makeDeployment, deployment => ({ ...deployment, secret })))
})
