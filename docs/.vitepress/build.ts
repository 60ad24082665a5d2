/**
 * `npm run docs`: TypeDoc writes the reference of the public entries as Markdown, then VitePress builds the site in `dist-docs`.
 *
 * TypeDoc needs the compiler's programming interface, which TypeScript 7 does not have. The hook gives TypeDoc the package `typescript-5.9` in its place.
 */
import { registerHooks } from "node:module"
import { join } from "node:path"
import type { TypeDocOptions } from "typedoc"
import type { PluginOptions } from "typedoc-plugin-markdown"
import { build } from "vitepress"

const ROOT = join(import.meta.dirname, "../..")
const REFERENCE = join(ROOT, "docs/reference")

/** The file of each public entry. */
const ENTRIES: Readonly<Record<string, string>> = {
  landfall: "src/index.ts",
  "landfall/engine": "src/engine.ts",
  "landfall/compiler": "src/compiler.ts",
  "landfall/full": "src/full.ts",
  "landfall/history": "src/history.ts",
  "landfall/http": "adapters/programs/run/mount.ts",
  "landfall/edge": "adapters/faces/http/hosts/edge.ts",
  "landfall/client": "adapters/faces/client/lookup-client.ts",
}

registerHooks({
  resolve: (specifier, context, next) => next(specifier === "typescript" ? "typescript-5.9" : specifier, context),
})
const { Application } = await import("typedoc")

const options: Partial<TypeDocOptions & PluginOptions> = {
  entryPoints: Object.values(ENTRIES).map(file => join(ROOT, file)),
  tsconfig: join(ROOT, "tsconfig.json"),
  displayBasePath: ROOT,
  // TypeDoc empties this folder first.
  out: REFERENCE,
  plugin: ["typedoc-plugin-markdown"],
  readme: "none",
  name: "Reference",
  excludeInternal: true,
  excludePrivate: true,
  excludeExternals: true,
  disableSources: true,
  // `npm run typecheck` checks the types, with the project's own compiler.
  skipErrorChecking: true,
  logLevel: "Error",
  hideBreadcrumbs: true,
  entryFileName: "index",
  navigationJson: join(REFERENCE, "navigation.json"),
}
const app = await Application.bootstrapWithPlugins(options)
const project = await app.convert()
if (project === undefined) throw new Error("TypeDoc could not read the entries.")
for (const [name, file] of Object.entries(ENTRIES)) {
  const entry = project.children?.find(module => module.name === file.replace(/(\/index)?\.ts$/, ""))
  if (entry === undefined) throw new Error(`TypeDoc does not know ${file}.`)
  entry.name = name
}
await app.generateOutputs(project)
if (app.logger.hasErrors()) throw new Error("TypeDoc could not write the reference.")

await build(join(ROOT, "docs"))
