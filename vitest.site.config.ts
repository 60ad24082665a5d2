import { defineConfig, mergeConfig } from "vitest/config"
import config from "./vitest.config.ts"

// The explorer page in every language and theme, and hundreds of drawn pairs: too much for every change.
const site = mergeConfig(config, defineConfig({ test: { testTimeout: 600_000 } }))
site.test.include = ["test/site/every-language/**/*.test.ts"]
site.test.exclude = []
site.test.globalSetup = []

export default site
