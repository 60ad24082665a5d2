import { defineConfig } from "vitest/config"

// One file after the other: what is measured is one service.
const inTurn = { fileParallelism: false, isolate: false, testTimeout: 120_000, hookTimeout: 60_000 } as const

export default defineConfig({
  test: {
    projects: [
      // The attacks that take too long for `npm test`, on one service: a process of its own with a small heap.
      {
        test: {
          ...inTurn,
          name: "memory",
          include: ["test/attacks/**/*.test.ts"],
          globalSetup: ["test/attacks/start-victim.ts"],
          setupFiles: ["test/attacks/hold-memory.ts"],
        },
      },
      // Those that `npm test` runs as well, each on services of its own.
      {
        test: {
          ...inTurn,
          name: "rules",
          include: [
            "test/accounts/{account,signup-work}.test.ts",
            "test/http/accounts/{keys,page-attacks,pre-hijack,signup,signup-limits,races}.test.ts",
            "test/http/{config,hostile,idempotency,metering,races,small-bounds,storage-bounds}.test.ts",
            "test/mcp/bounds.test.ts",
            "test/storage/sqlite-failures.test.ts",
            "test/webhooks/target-guard.test.ts",
          ],
          globalSetup: ["test/storage/postgres-setup.ts"],
          setupFiles: ["test/property-seed.ts", "test/local-time.ts"],
        },
      },
    ],
  },
})
