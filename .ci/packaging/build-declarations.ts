/** Writes the declarations into `dist`, and the report of them beside; with `--report` into `docs/api-report.md` too. */
import { copyFileSync, writeFileSync } from "node:fs"
import { writeApiReport } from "./api-report.ts"
import { writeDeclarations } from "./declarations.ts"

writeFileSync("dist/api-report.md", writeApiReport(writeDeclarations("dist")))
if (process.argv.includes("--report")) copyFileSync("dist/api-report.md", "docs/api-report.md")
