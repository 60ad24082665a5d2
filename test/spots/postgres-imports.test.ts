import { describe } from "vitest"
import { makePostgresDeployment } from "../storage/postgres-deployment.ts"
import { describeImports } from "./import-suite.ts"

describe("on PostgreSQL,", () => describeImports(makePostgresDeployment))
