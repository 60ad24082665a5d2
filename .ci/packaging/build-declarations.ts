/**
 * Writes the declarations into `dist`, and their report beside them; with `--report` into `.ci/packaging/api-report.md` too. An entry for `require` has the same declarations as `.d.cts`
 * too, because TypeScript reads `.d.ts` of this package as those of an ES module.
 */
import { copyFileSync, readFileSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { installPeers } from "../../peers/install.ts"
import { writeApiReport } from "./api-report.ts"
import { SHARED, shareDeclarations } from "./share-declarations.ts"

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly require?: { readonly types: string } }>>
}

const TARGET = "dist"

// What writes them is one of the peers.
installPeers()
const { writeDeclarations } = await import("./declarations.ts")
const reports = writeDeclarations(TARGET)
const read = (name: string) => readFileSync(join(TARGET, `${name}.d.ts`), "utf8")
const files = shareDeclarations(new Map([...reports.keys()].map(name => [name, read(name)])))
for (const [name, text] of files) writeFileSync(join(TARGET, `${name}.d.ts`), text)

const { exports } = JSON.parse(readFileSync("package.json", "utf8")) as Manifest
const required = Object.values(exports).flatMap(entry =>
  typeof entry === "string" ? [] : (entry.require?.types ?? []),
)
for (const name of [SHARED, ...required.map(path => basename(path, ".d.cts"))]) {
  const text = files.get(name) ?? ""
  writeFileSync(join(TARGET, `${name}.d.cts`), text.replaceAll(`from "./${SHARED}.js"`, `from "./${SHARED}.cjs"`))
}

writeFileSync(join(TARGET, "api-report.md"), writeApiReport(reports))
if (process.argv.includes("--report")) copyFileSync(join(TARGET, "api-report.md"), ".ci/packaging/api-report.md")
