import { defineConfig, mergeConfig } from "vitest/config"
import config from "./vitest.package.config.ts"

// What an app may be built and tested with. Each tool is installed for its test, so that they are too much for every change; `npm run build` first.
const nightly = mergeConfig(config, defineConfig({ test: { testTimeout: 600_000 } }))
nightly.test.include = ["test/packaging/nightly/**/*.test.ts"]
nightly.test.exclude = []

export default nightly
