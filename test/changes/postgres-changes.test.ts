import { describe } from "vitest"
import { makePostgresDeployment } from "../storage/postgres-deployment.ts"
import { describeChanges } from "./changes-suite.ts"

describe("on PostgreSQL,", () => {
  describeChanges(makePostgresDeployment)
})
