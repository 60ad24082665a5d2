import { defineConfig } from "vitest/config"

// The tests of what is published: they need `npm run build` first. The package is packed and installed once, for all of them.
export default defineConfig({
  test: {
    include: ["test/packaging/*.test.ts"],
    globalSetup: ["test/packaging/installed-package.ts"],
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
})
