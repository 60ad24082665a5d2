import { defineConfig, type Options } from "tsup"
import { entriesBeside, thirdPartyNotices } from "./.ci/packaging/bundler-plugins.ts"

// Every package that runs is bundled, so that installing this one installs nothing else.
const shared: Options = {
  format: ["esm"],
  outDir: "dist",
  removeNodeProtocol: false,
  dts: false,
  splitting: true,
  noExternal: [/.*/],
}

/** The public entries that need no Node, and the embedded dataset, which the edge loads when it is asked for. */
const PORTABLE = {
  index: "src/index.ts",
  engine: "src/engine.ts",
  compiler: "src/compiler.ts",
  full: "src/full.ts",
  history: "src/history.ts",
  embedded: "src/embedded.ts",
  edge: "adapters/http/server/edge.ts",
  client: "adapters/client/client.ts",
  // No entry of the package: what a lookup needs becomes chunks of its own, so that an app's bundler can leave the rest out.
  "parts/pair-table": "src/dataset/pair-table.ts",
}

/** The entries that `require` finds too: for Jest, CommonJS programs and old bundlers. Each is one file, because the format has no shared chunks. */
const REQUIRED = [
  "index",
  "engine",
  "compiler",
  "history",
  "client",
] as const satisfies readonly (keyof typeof PORTABLE)[]

export default defineConfig([
  {
    ...shared,
    entry: PORTABLE,
    platform: "neutral",
    target: "es2023",
    esbuildPlugins: [thirdPartyNotices],
    esbuildOptions(options) {
      options.charset = "utf8"
      options.mainFields = ["module", "main"]
      // Names and lines stay, so that a stack says where it was; whoever bundles an app makes it small.
      options.minifySyntax = true
      options.chunkNames = "parts/[name]-[hash]"
      // Parts of Effect that nothing here reaches; the bundler would keep them, because they are loaded lazily.
      options.external = ["./internal/httpApiSwagger.js", "./internal/httpApiScalar.js"]
    },
  },
  {
    ...shared,
    entry: Object.fromEntries(REQUIRED.map(name => [name, PORTABLE[name]])),
    format: ["cjs"],
    splitting: false,
    platform: "neutral",
    target: "es2022",
    minify: true,
    esbuildPlugins: [thirdPartyNotices],
    esbuildOptions(options) {
      options.charset = "utf8"
      options.mainFields = ["module", "main"]
    },
  },
  // One file for a page without a bundler.
  {
    ...shared,
    entry: { "landfall.min": "src/index.ts" },
    splitting: false,
    platform: "neutral",
    target: "es2022",
    minify: true,
    esbuildPlugins: [thirdPartyNotices],
    esbuildOptions(options) {
      options.charset = "utf8"
      options.mainFields = ["module", "main"]
    },
  },
  // The service and the command line, with everything that they run on.
  {
    ...shared,
    entry: {
      http: "adapters/start/mount.ts",
      cli: "adapters/cli/bin.ts",
      // What runs in a thread is a file of its own.
      "batch-worker": "adapters/batch/threads/batch-thread.ts",
      watchdog: "adapters/start/watchdog-thread.ts",
    },
    platform: "node",
    target: "node22",
    minify: true,
    esbuildPlugins: [entriesBeside(PORTABLE), thirdPartyNotices],
    esbuildOptions(options) {
      options.charset = "utf8"
      // Parts of packages that nothing here reaches, as above.
      options.external = [
        "./internal/httpApiSwagger.js",
        "./internal/httpApiScalar.js",
        "./Undici.js",
        "./internal/upgrade.js",
      ]
    },
    // Packages that are CommonJS ask for Node's modules in their own way.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  },
])
