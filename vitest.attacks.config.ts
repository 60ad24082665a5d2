import { defineConfig } from "vitest/config"

// The attacks that take too long for `npm test`, one after the other on one service: a process of its own with a small heap.
export default defineConfig({
  test: {
    include: ["test/attacks/**/*.test.ts"],
    globalSetup: ["test/attacks/start-victim.ts"],
    setupFiles: ["test/attacks/hold-memory.ts"],
    fileParallelism: false,
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
})
