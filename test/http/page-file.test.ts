import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { listSiteFiles, openPage, openSiteFiles, packPage } from "../../adapters/http/page/assets.ts"
import { SITE_FOLDER } from "../../site/build/build-site.ts"

const files = new Map(listSiteFiles(SITE_FOLDER).map(name => [name, readFileSync(join(SITE_FOLDER, name))]))
const packed = packPage(files)

it("gives back every file of the page as it was, and the same bytes each time", () => {
  expect(packPage(new Map(files)).equals(packed)).toBe(true)
  const opened = openPage(packed)
  expect([...opened.keys()]).toEqual([...files.keys()])
  expect([...opened].filter(([name, bytes]) => !files.get(name)?.equals(bytes))).toEqual([])
})

it("is served as the folder is", () => {
  const folder = mkdtempSync(join(tmpdir(), "landfall-page-"))
  writeFileSync(join(folder, "page.br"), packed)
  const [own, built] = [openSiteFiles(join(folder, "page.br")), openSiteFiles(SITE_FOLDER)]
  expect(own.paths).toEqual(built.paths)
  for (const path of ["/", "/embed", "/manifest.webmanifest"]) expect(own.find(path)).toEqual(built.find(path))
  rmSync(folder, { recursive: true })
})
