/** `npm run site` builds the page; with `--if-stale` only where its sources have changed since it was built. */
import { relative } from "node:path"
import { buildSite, buildSiteIfStale } from "./build-site.ts"

const built = process.argv.includes("--if-stale") ? await buildSiteIfStale() : await buildSite()
if (built !== null) {
  const count = built.first.length + built.rest.length + 1
  process.stdout.write(`${count} files in ${relative(process.cwd(), built.folder)}, ready for any static host\n`)
}
