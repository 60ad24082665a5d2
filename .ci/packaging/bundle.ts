/**
 * Bundles the package into `dist`. Every package that runs is bundled, so that installing this one installs nothing else.
 */
import { type BuildOptions, build } from "esbuild"
import { entriesBeside, thirdPartyNotices } from "./bundler-plugins.ts"

const shared = {
  outdir: "dist",
  bundle: true,
  format: "esm",
  charset: "utf8",
  mainFields: ["module", "main"],
  // Comments name files: they are the same where the installed packages are linked.
  preserveSymlinks: true,
  logLevel: "warning",
  metafile: true,
} as const satisfies BuildOptions

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
  "parts/open": "src/dataset/open.ts",
}

/** The entries that `require` finds too: for Jest, CommonJS programs and old bundlers. Each is one file, because the format has no shared chunks. */
const REQUIRED = [
  "index",
  "engine",
  "compiler",
  "history",
  "client",
] as const satisfies readonly (keyof typeof PORTABLE)[]

/** Parts of Effect that nothing here reaches; the bundler would keep them, because they are loaded lazily. */
const UNREACHED = ["./internal/httpApiSwagger.js", "./internal/httpApiScalar.js"]

const BUNDLES: readonly BuildOptions[] = [
  {
    ...shared,
    entryPoints: PORTABLE,
    splitting: true,
    platform: "neutral",
    target: "es2023",
    plugins: [thirdPartyNotices],
    // Names and lines stay, so that a stack says where it was; whoever bundles an app makes it small.
    minifySyntax: true,
    chunkNames: "parts/[name]-[hash]",
    external: UNREACHED,
  },
  {
    ...shared,
    entryPoints: Object.fromEntries(REQUIRED.map(name => [name, PORTABLE[name]])),
    format: "cjs",
    outExtension: { ".js": ".cjs" },
    platform: "neutral",
    target: "es2022",
    minify: true,
    plugins: [thirdPartyNotices],
  },
  // One file for a page without a bundler.
  {
    ...shared,
    entryPoints: { "landfall.min": PORTABLE.index },
    platform: "neutral",
    target: "es2022",
    minify: true,
    plugins: [thirdPartyNotices],
  },
  // The service and the command line, with everything that they run on.
  {
    ...shared,
    entryPoints: {
      http: "adapters/start/mount.ts",
      cli: "adapters/cli/bin.ts",
      // What runs in a thread is a file of its own.
      "batch-worker": "adapters/batch/threads/batch-thread.ts",
      checkpoints: "adapters/storage/checkpoint-thread.ts",
      watchdog: "adapters/start/watchdog-thread.ts",
    },
    splitting: true,
    platform: "node",
    target: "node22",
    minify: true,
    plugins: [entriesBeside(PORTABLE), thirdPartyNotices],
    // Packages that are CommonJS ask for Node's modules in their own way.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    external: UNREACHED,
  },
]

// One after the other: the notices of all of them are one file.
for (const options of BUNDLES) await build(options)
