import { Effect, Redacted } from "effect"
import { describe } from "vitest"
import { makeDeployment } from "../storage/deployment.ts"
import { describeChanges } from "./changes-suite.ts"
import { describeFacts } from "./facts-suite.ts"
import { describeFanOut } from "./fan-out-suite.ts"
import { describeFeed } from "./feed-suite.ts"
import { describeHistory } from "./history-suite.ts"
import { describeKeptHistory } from "./kept-history-suite.ts"
import { describeReceivers } from "./receiver-suite.ts"
import { describeRepair } from "./repair-suite.ts"

const secret = Redacted.make(Buffer.alloc(32, 7).toString("base64"))

describe("on a file,", () => {
  const makePlace = Effect.map(makeDeployment, deployment => ({ ...deployment, secret }))
  describeChanges(makePlace)
  describeFacts(makePlace)
  describeFeed(makePlace)
  describeFanOut(makePlace)
  describeHistory(makePlace)
  describeKeptHistory(makePlace)
  describeReceivers(makePlace)
  describeRepair(makePlace)
})
