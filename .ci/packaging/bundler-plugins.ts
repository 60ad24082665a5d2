/** Bundler plugins: entries that stay files, and licence notices. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import type { Plugin } from "esbuild"
import { listBundledFiles, listPackages, writeNotices } from "./notices.ts"

/** Loads modules from the entries that were built beside the bundle, by the names of `entries`. The package then holds the data once, and all entries share an opened dataset. */
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

/** After each bundle, writes the licence notices of the packages in all bundles of this process, and the list of these packages. */
export const thirdPartyNotices: Plugin = {
  name: "third-party-notices",
  setup(build) {
    build.initialOptions.metafile = true
    build.onEnd(({ metafile }) => {
      if (metafile === undefined) return
      for (const file of listBundledFiles(metafile)) bundled.add(file)
      mkdirSync("dist", { recursive: true })
      writeFileSync(join("dist", "THIRD-PARTY-NOTICES.txt"), writeNotices(bundled))
      writeFileSync(join("dist", "bundled.json"), JSON.stringify({ packages: listPackages(bundled) }))
    })
  },
}
