/** The package as an app has it: packed, and installed in an empty folder; once for all tests. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { installPeers } from "../../peers/install.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of the app. */
    readonly app: string
    /** The tarball. */
    readonly tarball: string
    /** What npm said of the tarball. */
    readonly packed: { readonly unpackedSize: number; readonly paths: readonly string[] }
    /** What npm said when it installed the tarball. */
    readonly installed: string
  }
}

export default function setUp(project: TestProject): () => void {
  installPeers()
  const app = mkdtempSync(join(tmpdir(), "landfall-app-"))
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error"]
  const [report] = JSON.parse(
    execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", app], { encoding: "utf8" }),
  )
  const tarball = join(app, report.filename)
  writeFileSync(join(app, "package.json"), JSON.stringify({ type: "module", private: true }))
  const installed = execFileSync("npm", ["install", ...quiet, tarball], { cwd: app, encoding: "utf8" })
  // What runs here runs again and again: half of a short command's time is its compilation.
  process.env.NODE_COMPILE_CACHE = join(app, ".compiled")
  project.provide("app", app)
  project.provide("tarball", tarball)
  project.provide("packed", {
    unpackedSize: report.unpackedSize,
    paths: report.files.map((file: { readonly path: string }) => file.path),
  })
  project.provide("installed", installed)
  return () => rmSync(app, { recursive: true, force: true })
}
