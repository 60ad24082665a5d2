import { defineConfig, mergeConfig } from "vitest/config"
import config from "./vitest.config.ts"

// The engine, without the record, and without the sweeps: files named `…-sweep.test.ts`, which go over every pair or thousands of drawn histories.
const fast = mergeConfig(config, defineConfig({ test: { exclude: ["test/**/*-sweep.test.ts"] } }))
const CORE = "dataset,group,itinerary,mobility,requirement,signing"
fast.test.include = [`test/{${CORE}}/**/*.test.ts`, "test/{codes,civil-date}.test.ts"]
fast.test.globalSetup = []

export default fast
