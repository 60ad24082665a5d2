/**
 * `npm run docs`: TypeDoc writes the reference of the public entries as Markdown, `landfall data coverage` counts what is known, and VitePress builds the site in `dist-docs`.
 *
 * TypeDoc needs the compiler's programming interface, which TypeScript 7 does not have. The hook gives TypeDoc the package `typescript-5.9` in its place.
 */
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { registerHooks } from "node:module"
import { join } from "node:path"
import type { TypeDocOptions } from "typedoc"
import type { PluginOptions } from "typedoc-plugin-markdown"
import { build } from "vitepress"
import { ENTRIES } from "./pages.ts"

const ROOT = join(import.meta.dirname, "../..")
const REFERENCE = join(ROOT, "docs/reference")

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

const coverage = execFileSync(process.execPath, ["adapters/cli/bin.ts", "data", "coverage"], {
  cwd: ROOT,
  encoding: "utf8",
})
writeFileSync(join(REFERENCE, "coverage.md"), `# What the data covers\n\n${coverage}`)

await build(join(ROOT, "docs"))
