/**
 * Writes the declarations into `dist`, and their report beside them; with `--report` into `.ci/packaging/api-report.md` too. An entry for `require` has the same declarations as `.d.cts` too,
 * because TypeScript reads `.d.ts` of this package as those of an ES module.
 */
import { copyFileSync, readFileSync, writeFileSync } from "node:fs"
import { installPeers } from "../../peers/install.ts"
import { writeApiReport } from "./api-report.ts"

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly require?: { readonly types: string } }>>
}

// What writes them is one of the peers.
installPeers()
const { writeDeclarations } = await import("./declarations.ts")
writeFileSync("dist/api-report.md", writeApiReport(writeDeclarations("dist")))
const { exports } = JSON.parse(readFileSync("package.json", "utf8")) as Manifest
for (const entry of Object.values(exports)) {
  if (typeof entry === "string" || entry.require === undefined) continue
  copyFileSync(entry.require.types.replace(/\.d\.cts$/, ".d.ts"), entry.require.types)
}
if (process.argv.includes("--report")) copyFileSync("dist/api-report.md", ".ci/packaging/api-report.md")
