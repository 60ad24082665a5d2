import { describe } from "vitest"
import { IS_WHOLE } from "../sample.ts"
import { describeDevices } from "./devices-suite.ts"
import { makePostgresDeployment } from "./postgres-deployment.ts"

describe("on PostgreSQL,", () => {
  describeDevices(makePostgresDeployment, IS_WHOLE)
})
