import { describe } from "vitest"
import { IS_WHOLE } from "../sample.ts"
import { makePostgresDeployment } from "../storage/postgres-deployment.ts"
import { describeImports } from "./import-suite.ts"

describe("on PostgreSQL,", () => describeImports(makePostgresDeployment, IS_WHOLE))
