/**
 * Whose code is inside the package, for programs that look for advisories?
 *
 * A CycloneDX list of the packages of which a bundler put code into an output of `dist` (the page included), with versions, as `dist/sbom.cdx.json`. It has no day and no serial number, so the same
 * build has the same bytes.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly description?: string
}

const SPDX_EXPRESSION = /\s(AND|OR|WITH)\s/

function describe({ name, version, license, description }: Manifest, type: "library" | "application") {
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`
  return {
    type,
    "bom-ref": purl,
    name,
    version,
    ...(description === undefined ? {} : { description }),
    licenses: [SPDX_EXPRESSION.test(license) ? { expression: license } : { license: { id: license } }],
    purl,
  }
}

const readManifest = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))

/** Describes a package and those that are bundled into it, from their folders. */
export function writeSbom(own: Manifest, folders: Iterable<string>): string {
  const parts = [...new Set(folders)].map(readManifest)
  const components = parts
    .map(({ name, version, license }) => describe({ name, version, license }, "library"))
    .sort((a, b) => (a.purl < b.purl ? -1 : 1))
  const component = describe(own, "application")
  const dependsOn = components.map(({ purl }) => purl)
  const bom = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component },
    components,
    dependencies: [{ ref: component.purl, dependsOn }, ...dependsOn.map(ref => ({ ref }))],
  }
  return `${JSON.stringify(bom, null, 2)}\n`
}

if (import.meta.main) {
  const lists = ["dist/bundled.json", "dist/site/build.json"].map(path => JSON.parse(readFileSync(path, "utf8")))
  const folders = lists.flatMap(({ packages }: { readonly packages: readonly string[] }) => packages)
  writeFileSync("dist/sbom.cdx.json", writeSbom(readManifest("."), folders))
}
