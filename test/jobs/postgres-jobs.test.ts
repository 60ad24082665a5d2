import { describe } from "vitest"
import { IS_WHOLE } from "../sample.ts"
import { makePostgresDeployment } from "../storage/postgres-deployment.ts"
import { describeJobs } from "./jobs-suite.ts"

describe("jobs on PostgreSQL,", () => {
  describeJobs(makePostgresDeployment, IS_WHOLE)
})
