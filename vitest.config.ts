import { availableParallelism } from "node:os"
import { join } from "node:path"
import { defineConfig } from "vitest/config"
import { LongestFirst } from "./test/longest-first.ts"

export default defineConfig({
  // The page imports the package by its name, as any app would.
  resolve: {
    alias: [
      { find: /^landfall$/, replacement: join(import.meta.dirname, "src/index.ts") },
      { find: /^landfall\/full$/, replacement: join(import.meta.dirname, "src/full.ts") },
    ],
  },
  test: {
    include: ["test/**/*.test.ts"],
    exclude: [
      "test/packaging/**",
      "test/attacks/**",
      "test/clusters/**",
      "test/site/every-language/**",
      "test/itinerary/nightly/**",
    ],
    globalSetup: ["test/run-folder.ts", "test/storage/postgres-setup.ts"],
    setupFiles: ["test/property-seed.ts", "test/local-time.ts"],
    // Far more than any test takes on an idle machine.
    hookTimeout: 60_000,
    testTimeout: 120_000,
    // Loading Effect and the facts costs more than most files' tests, so files share a worker. Whatever a file changes outside of itself
    // (a spy, a clock, the working folder) it puts back.
    isolate: false,
    // The tests make objects by the million and drop them: with more room for young ones, a tenth less of the processor goes into collecting them.
    execArgv: ["--max-semi-space-size=64"],
    // Some files wait for half of their time: a worker more than there are cores keeps those busy.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
  },
})
