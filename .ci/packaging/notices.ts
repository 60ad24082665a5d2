/**
 * Whose code is inside the bundles?
 *
 * The packages of which a bundler put code into an output, with the whole text of their licences, as the licences require. A package without a licence file stops the build. The page has
 * its own list, `licenses.txt`.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import type { Metafile } from "esbuild"

const LICENCE_FILE = /^(licen[cs]e|copying|notice)([-.]|$)/i
const PACKAGE_FOLDER = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/

/** Lists the files of packages that are at least one byte of an output. */
export function listBundledFiles({ outputs }: Metafile): readonly string[] {
  const files = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  )
  return files.map(file => relative(".", file)).filter(file => PACKAGE_FOLDER.test(file))
}

/** The folders of the packages of these files, in the order of their names. */
export const listPackages = (files: Iterable<string>): readonly string[] =>
  [...new Set([...files].map(file => PACKAGE_FOLDER.exec(file)?.[0] ?? ""))].sort()

/** Writes the notices of the packages of these files, in the order of their names. */
export function writeNotices(files: Iterable<string>): string {
  const notices = listPackages(files).map(describePackage)
  const opening =
    "Landfall's bundles hold code of these packages; the source of each is at npmjs.com, under its name and version.\n" +
    "Those of the explorer page are listed in its file licenses.txt, the sources of the data in data/LICENSES.md."
  return `${[opening, ...notices].join(`\n\n${"-".repeat(80)}\n\n`)}\n`
}

/** The notice of the package in a folder. */
export function describePackage(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  const texts = readdirSync(folder)
    .filter(file => LICENCE_FILE.test(file))
    .map(file => readFileSync(join(folder, file), "utf8").trim())
  if (texts.length === 0) throw new Error(`${folder} has no licence file, so its notice cannot be included.`)
  return [`${name} ${version} (${license})`, ...texts].join("\n\n")
}
