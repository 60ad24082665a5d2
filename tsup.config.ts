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
    entry: { index: "src/index.ts", engine: "src/engine.ts", compiler: "src/compiler.ts" },
    platform: "neutral",
    target: "es2023",
    splitting: true,
    minify: true,
    clean: true,
    noExternal: [/date-fns/, /@noble\/hashes/],
  },
  // The command line and everything that it serves, in one file that starts fast.
  {
    ...shared,
    entry: { cli: "adapters/cli/main.ts" },
    platform: "node",
    target: "node22",
    splitting: false,
    minify: true,
    sourcemap: false,
    noExternal: [/.*/],
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  },
])
