/** A module of the page as the page's build makes it, with the parts that only the build can make, for tests that need no browser. */
import { join } from "node:path"
import { build } from "rolldown"
import { virtualModules } from "../../site/build/virtual-modules.ts"
import { getOrInsert } from "../../src/collections.ts"

const imported = new Map<string, Promise<unknown>>()

/** Bundles a module of `site/` and imports it, once for all files of a process. */
export function importPageModule<Module>(path: string): Promise<Module> {
  return getOrInsert(imported, path, () => bundle(path)) as Promise<Module>
}

async function bundle(path: string): Promise<unknown> {
  const cwd = join(import.meta.dirname, "../..")
  const { output } = await build({
    cwd,
    input: `site/${path}`,
    write: false,
    platform: "neutral",
    tsconfig: join(cwd, "tsconfig.json"),
    resolve: { mainFields: ["module", "main"] },
    checks: { bundlerTimings: false },
    plugins: [virtualModules],
    output: { codeSplitting: false },
  })
  return import(`data:text/javascript,${encodeURIComponent(output[0].code)}`)
}
