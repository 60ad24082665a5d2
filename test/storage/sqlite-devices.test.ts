import { Effect, Redacted } from "effect"
import { describe } from "vitest"
import { makeDeployment } from "./deployment.ts"
import { describeDevices } from "./devices-suite.ts"

const secret = Redacted.make(Buffer.alloc(32, 7).toString("base64"))

describe("on a file,", () => {
  describeDevices(Effect.map(makeDeployment, deployment => ({ ...deployment, secret })))
})
