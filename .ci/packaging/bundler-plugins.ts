/** What the bundler does beyond its own: entries that stay files, and notices. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import type { Plugin } from "esbuild"
import { listBundledFiles, writeNotices } from "./notices.ts"

/**
 * Loads modules from the entries that were built beside the bundle, by the names of `entries`. So data are in the package once, and a dataset that an
 * app has opened is the same one to all entries.
 */
export function entriesBeside(entries: Readonly<Record<string, string>>): Plugin {
  const names = new Map(Object.entries(entries).map(([name, source]) => [resolve(source), name]))
  return {
    name: "entries-beside",
    setup(build) {
      build.onResolve({ filter: /\.ts$/ }, ({ path, resolveDir, kind }) => {
        if (kind === "entry-point") return undefined
        const name = names.get(resolve(resolveDir, path))
        return name === undefined ? undefined : { path: `./${name}.js`, external: true }
      })
    },
  }
}

const bundled = new Set<string>()

/** Writes whose code the bundles of this process hold, after each of them. */
export const thirdPartyNotices: Plugin = {
  name: "third-party-notices",
  setup(build) {
    build.initialOptions.metafile = true
    build.onEnd(({ metafile }) => {
      if (metafile === undefined) return
      for (const file of listBundledFiles(metafile)) bundled.add(file)
      mkdirSync("dist", { recursive: true })
      writeFileSync(join("dist", "THIRD-PARTY-NOTICES.txt"), writeNotices(bundled))
    })
  },
}
