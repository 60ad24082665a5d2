import { describe } from "vitest"
import { describeDevices } from "./devices-suite.ts"
import { makePostgresDeployment } from "./postgres-deployment.ts"

describe("on PostgreSQL,", () => {
  describeDevices(makePostgresDeployment)
})
