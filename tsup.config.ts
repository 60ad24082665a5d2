import { defineConfig, type Options } from "tsup"

const shared: Options = {
  format: ["esm"],
  removeNodeProtocol: false,
  dts: false,
  sourcemap: true,
  esbuildOptions(options) {
    options.charset = "utf8"
  },
}

export default defineConfig([
  // The core, for any JavaScript runtime. Its two small pure dependencies come along, so that it runs without an installer.
  {
    ...shared,
    entry: { index: "src/index.ts", engine: "src/engine.ts", compiler: "src/compiler.ts", full: "src/full.ts" },
    platform: "neutral",
    target: "es2023",
    splitting: true,
    minify: true,
    clean: true,
    noExternal: [/date-fns/, /@noble\/hashes/],
  },
  // The rows that need no state, for runtimes without Node. Schemas serve the reference alone, so that nothing of Effect is left.
  {
    ...shared,
    entry: { edge: "adapters/http/edge.ts" },
    platform: "neutral",
    target: "es2023",
    // The embedded dataset is a chunk that is loaded when it is asked for.
    splitting: true,
    minify: true,
    noExternal: [/.*/],
    esbuildOptions(options) {
      options.charset = "utf8"
      options.mainFields = ["module", "main"]
      // Parts of packages that nothing here reaches; the bundler would keep them, because they are loaded lazily.
      options.external = ["./internal/httpApiSwagger.js", "./internal/httpApiScalar.js"]
    },
  },
  // A client of the lookup, for any JavaScript runtime with fetch.
  {
    ...shared,
    entry: { client: "adapters/client/lookup-client.ts" },
    platform: "neutral",
    target: "es2023",
    minify: true,
  },
  // The service as a fetch handler, for other servers; its packages are installed beside it.
  {
    ...shared,
    entry: { http: "adapters/http/fetch-handler.ts" },
    platform: "node",
    target: "node22",
    splitting: true,
  },
  // The command line and everything that it serves, dependencies included, so that it starts fast.
  {
    ...shared,
    // The threads of a batch are a file of their own.
    entry: { cli: "adapters/cli/bin.ts", "batch-worker": "adapters/worker/worker.ts" },
    platform: "node",
    target: "node22",
    // Each command loads what it needs: a check does not read the server.
    splitting: true,
    minify: true,
    sourcemap: false,
    noExternal: [/.*/],
    esbuildOptions(options) {
      options.charset = "utf8"
      // Parts of packages that nothing here reaches; the bundler would keep them, because they are loaded lazily.
      options.external = ["./internal/httpApiSwagger.js", "./Undici.js", "./internal/upgrade.js"]
    },
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  },
])
