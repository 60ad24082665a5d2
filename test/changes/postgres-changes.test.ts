import { describe } from "vitest"
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
  describeChanges(makePostgresDeployment)
  describeFacts(makePostgresDeployment)
  describeFeed(makePostgresDeployment)
  describeFanOut(makePostgresDeployment)
  describeHistory(makePostgresDeployment)
  describeKeptHistory(makePostgresDeployment)
  describeReceivers(makePostgresDeployment)
  describeRepair(makePostgresDeployment)
})
