import { defineConfig } from "vitest/config"

// Batches on engines that share work: Dask, Slurm and GNU parallel, as far as they are installed here.
export default defineConfig({
  test: {
    include: ["test/clusters/**/*.test.ts"],
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
})
