import { describe } from "vitest"
import { makePostgresDeployment } from "../storage/postgres-deployment.ts"
import { describeJobs } from "./jobs-suite.ts"

describe("jobs on PostgreSQL,", () => {
  describeJobs(makePostgresDeployment)
})
