import { describe } from "vitest"
import { makePostgresDeployment } from "./postgres-deployment.ts"
import { describeStorage } from "./storage-suite.ts"

describe("on PostgreSQL,", () => {
  describeStorage(makePostgresDeployment)
})
