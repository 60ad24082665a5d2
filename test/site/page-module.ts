/** A module of the page as the page's build makes it, with the parts that only the build can make, for tests that need no browser. */
import { join } from "node:path"
import { build } from "esbuild"
import { virtualModules } from "../../site/build/virtual-modules.ts"

/** Bundles a module of `site/` and imports it. */
export async function importPageModule<Module>(path: string): Promise<Module> {
  const { outputFiles } = await build({
    absWorkingDir: join(import.meta.dirname, "../.."),
    entryPoints: [`site/${path}`],
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    logLevel: "warning",
    plugins: [virtualModules],
  })
  const [{ text } = { text: "" }] = outputFiles
  return import(`data:text/javascript,${encodeURIComponent(text)}`)
}
