import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/packaging/**"],
    setupFiles: ["test/property-seed.ts"],
    testTimeout: 30_000,
  },
})
