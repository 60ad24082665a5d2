/** Packs the page of `dist/site` into `dist/page.br`, which the package has in its place. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { listSiteFiles, packPage } from "../../adapters/http/page/assets.ts"

const FOLDER = "dist/site"

writeFileSync(
  "dist/page.br",
  packPage(new Map(listSiteFiles(FOLDER).map(name => [name, readFileSync(join(FOLDER, name))]))),
)
