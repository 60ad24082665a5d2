import { describe } from "vitest"
import { makeDeployment } from "../storage/deployment.ts"
import { describeImports } from "./import-suite.ts"

describe("on a file,", () => describeImports(makeDeployment))
