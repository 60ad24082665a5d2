import { defineConfig, mergeConfig } from "vitest/config"
import config from "./vitest.package.config.ts"

// What an app may be built and tested with, each tool installed for its test, the planner's sentences about every pair, and the two answers about every held document: too much for every change. `npm run build` first.
const nightly = mergeConfig(config, defineConfig({ test: { testTimeout: 600_000 } }))
nightly.test.include = [
  "test/packaging/nightly/**/*.test.ts",
  "test/site/every-pair.test.ts",
  "test/itinerary/nightly/**/*.test.ts",
]
nightly.test.env = { EXPLORED_TRIPS: "100000" }
nightly.test.exclude = []

export default nightly
