import { describe } from "vitest"
import { IS_WHOLE } from "../sample.ts"
import { makePostgresDeployment } from "../storage/postgres-deployment.ts"
import { describeChanges } from "./changes-suite.ts"
import { describeFacts } from "./facts-suite.ts"
import { describeFanOut } from "./fan-out-suite.ts"
import { describeFeed } from "./feed-suite.ts"
import { describeHistory } from "./history-suite.ts"
import { describeKeptHistory } from "./kept-history-suite.ts"
import { describeReceivers } from "./receiver-suite.ts"
import { describeRepair } from "./repair-suite.ts"

describe("on PostgreSQL,", () => {
  describeChanges(makePostgresDeployment, IS_WHOLE)
  describeFeed(makePostgresDeployment)
  describeFanOut(makePostgresDeployment)
  // What is made of the datasets and events that were read does not depend on where they were kept.
  if (!IS_WHOLE) return
  describeFacts(makePostgresDeployment)
  describeHistory(makePostgresDeployment)
  describeKeptHistory(makePostgresDeployment)
  describeReceivers(makePostgresDeployment)
  describeRepair(makePostgresDeployment)
})
