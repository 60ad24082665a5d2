import { defineConfig, mergeConfig } from "vitest/config"
import config from "./vitest.config.ts"

// The core and the adapters that need no server, without the sweeps: files named `…-sweep.test.ts`, which go over every pair or thousands
// of drawn histories.
const fast = mergeConfig(config, defineConfig({ test: { exclude: ["test/**/*-sweep.test.ts"] } }))
const CORE = "dataset,group,itinerary,mobility,record,requirement,signing"
const ADAPTERS = "accounts,storage"
fast.test.include = [`test/{${CORE},${ADAPTERS}}/**/*.test.ts`, "test/{codes,civil-date}.test.ts"]

export default fast
