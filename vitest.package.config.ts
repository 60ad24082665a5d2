import { defineConfig } from "vitest/config"

// The tests of what is published: they need `npm run build` first.
export default defineConfig({
  test: { include: ["test/packaging/**/*.test.ts"], testTimeout: 240_000, hookTimeout: 240_000 },
})
