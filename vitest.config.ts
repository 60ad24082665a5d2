/**
 * Every kind of test is a project: `npx vitest run --project NAME`. `npm test` runs `tests`, `.ci/run` also `package`, `peers` and `memory`, `.ci/nightly` the rest.
 */
import { globSync, readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { defineConfig } from "vitest/config"
import { LongestFirst } from "./test/longest-first.ts"

/** The page imports the package by its name, as any app would. */
const resolve = {
  alias: [
    { find: /^landfall$/, replacement: join(import.meta.dirname, "src/index.ts") },
    { find: /^landfall\/engine$/, replacement: join(import.meta.dirname, "src/engine.ts") },
    { find: /^landfall\/full$/, replacement: join(import.meta.dirname, "src/full.ts") },
  ],
}
const endedProcesses = "test/ended-processes.ts"
const setupFiles = ["test/property-seed.ts", "test/local-time.ts", endedProcesses]
/** Far more than any test takes, also on a machine with thirty other things to do. */
const time = (testTimeout: number, hookTimeout = 300_000) => ({ testTimeout, hookTimeout })

/** Loading Effect and the facts costs more than most files' tests, so files share a worker. What a file changes outside of itself (a spy, a clock) it puts back. */
const shared = { setupFiles, isolate: false, ...time(600_000) } as const
/** One file after the other: what is measured is one service. */
const inTurn = { ...shared, fileParallelism: false } as const

/** What is too much for every change. */
const NIGHTLY = ["test/**/nightly/**", "test/site/every-language/**"]
/** What `npm test` asks of a sample, by what the files import. */
const SAMPLED = globSync("test/**/*.test.ts").filter(file => readFileSync(file, "utf8").includes('/sample.ts"'))

export default defineConfig({
  test: {
    // The tests make objects by the million and drop them: with more room for young ones, a tenth less of the processor goes into collecting them. As in a service, no
    // object is made among the old ones (adapters/cli/young-generation.ts).
    execArgv: ["--max-semi-space-size=64", "--no-allocation-site-pretenuring"],
    // Some files wait for half of their time: a worker more than there are cores keeps those busy.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        resolve,
        test: {
          ...shared,
          // Of most code V8's last compiler takes longer than it saves in a second or two.
          execArgv: ["--no-turbofan", "--min-semi-space-size=64"],
          name: "tests",
          include: ["test/**/*.test.ts"],
          exclude: ["test/{packaging,peers,attacks,clusters}/**", ...NIGHTLY],
          globalSetup: ["test/run-folder.ts", "test/storage/postgres-setup.ts"],
        },
      },
      {
        // The attacks that take too long for `npm test`, on one service: a process of its own with a small heap.
        resolve,
        test: {
          ...inTurn,
          name: "memory",
          include: ["test/attacks/**/*.test.ts"],
          globalSetup: ["test/attacks/start-victim.ts"],
          setupFiles: ["test/attacks/hold-memory.ts"],
        },
      },
      {
        // What is published: `npm run build` first. The package is packed and installed once, for all of them.
        test: {
          name: "package",
          include: ["test/packaging/*.test.ts"],
          globalSetup: ["test/packaging/installed-package.ts"],
          setupFiles: [endedProcesses],
          ...time(240_000, 240_000),
        },
      },
      {
        // The sources with programs of others, which `npm ci` does not install: clients, frameworks, a database, analysers.
        resolve,
        test: {
          ...shared,
          name: "peers",
          include: ["test/peers/*.test.ts"],
          globalSetup: ["peers/install.ts", "test/run-folder.ts", "test/storage/postgres-setup.ts"],
        },
      },
      {
        // What an app may be built and tested with, each tool installed for its test, all of what `package` tries a part of, and the sweeps that are too much for every change: `npm run build`
        // first.
        test: {
          name: "nightly",
          include: ["test/**/nightly/**/*.test.ts", "test/packaging/*.test.ts"],
          globalSetup: ["test/packaging/installed-package.ts", "test/run-folder.ts", "test/storage/postgres-setup.ts"],
          setupFiles: [endedProcesses],
          env: { EXPLORED_TRIPS: "100000" },
          ...time(600_000, 240_000),
        },
      },
      {
        // Everything that `npm test` asks of a sample, and its laws on many more examples.
        resolve,
        test: {
          ...shared,
          name: "sweeps",
          include: SAMPLED,
          exclude: ["test/{packaging,attacks}/**", ...NIGHTLY],
          globalSetup: ["test/run-folder.ts", "test/storage/postgres-setup.ts"],
          env: { EXPLORED_TRIPS: "20000" },
          ...time(3_600_000),
        },
      },
      {
        // The page in every language and theme, and hundreds of drawn pairs.
        resolve,
        test: { ...shared, name: "languages", include: ["test/site/every-language/**/*.test.ts"], ...time(600_000) },
      },
      {
        // Batches on engines that share work: Dask, Slurm and GNU parallel, as far as they are installed here.
        test: {
          name: "clusters",
          include: ["test/clusters/**/*.test.ts"],
          fileParallelism: false,
          ...time(600_000, 600_000),
        },
      },
    ],
  },
})
