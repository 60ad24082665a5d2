/** Gives every file of the package the mode that all may read, so that it has the same bytes whatever the umask of the machine that packs it. */
import { execFileSync } from "node:child_process"
import { chmodSync, readFileSync } from "node:fs"
import { join } from "node:path"

const { npm_execpath: npm = "" } = process.env
const { bin } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly bin: Readonly<Record<string, string>> }
const programs = new Set(Object.values(bin).map(path => join(path)))
const words = [npm, "pack", "--dry-run", "--json", "--ignore-scripts"]
const [{ files }] = JSON.parse(execFileSync(process.execPath, words, { encoding: "utf8" })) as [
  { readonly files: readonly { readonly path: string }[] },
]
for (const { path } of files) chmodSync(path, programs.has(join(path)) ? 0o755 : 0o644)
