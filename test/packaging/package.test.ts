import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { isBuiltin } from "node:module"
import { join, resolve } from "node:path"
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { build } from "esbuild"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { describe, expect, inject, it } from "vitest"
import { integrityOf } from "../../.ci/packaging/write-integrity.ts"
import { attributions } from "../../src/index.ts"

const app = inject("app")
const packed = inject("packed")
const home = join(app, "node_modules/landfall")
const manifest = JSON.parse(readFileSync(join(home, "package.json"), "utf8"))

const MAXIMUM_BYTES = 10_000_000
const MAXIMUM_FILES = 400

/** The files that some of the package's files reach, each with the names of what it loads from elsewhere. */
async function listImports(paths: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const { metafile } = await build({
    absWorkingDir: home,
    entryPoints: [...paths],
    outdir: "unwritten",
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    format: "esm",
    packages: "external",
  })
  return new Map(
    Object.entries(metafile.inputs).map(([path, { imports }]) => [
      path,
      // The bundler's own helpers, for a template that closes a script's tag, load nothing.
      imports.flatMap(({ path: name, external }) => (external === true && name !== "<runtime>" ? [name] : [])),
    ]),
  )
}

/** A condition of `exports` names a file, or further conditions. */
interface Conditions {
  readonly [condition: string]: string | Conditions
}

const listFiles = (conditions: Conditions): readonly string[] =>
  Object.values(conditions).flatMap(value => (typeof value === "string" ? [value] : listFiles(value)))

describe("the published package", () => {
  it("is the only one that npm installs", () => {
    expect(inject("installed").trim()).toMatch(/^added 1 package in /)
    expect(readdirSync(join(app, "node_modules")).filter(name => !name.startsWith("."))).toEqual(["landfall"])
    expect(manifest).not.toHaveProperty("dependencies")
    expect(manifest).not.toHaveProperty("peerDependencies")
    expect(manifest).not.toHaveProperty("optionalDependencies")
  })

  it("runs nothing when it is installed", () => {
    // For a tarball npm runs no `prepare`, but warns of it.
    const names = ["preinstall", "install", "postinstall", "prepare"]
    for (const name of names) expect(manifest.scripts).not.toHaveProperty(name)
  })

  it("takes at most 10 MB and 400 files", () => {
    expect(packed.unpackedSize).toBeLessThanOrEqual(MAXIMUM_BYTES)
    expect(packed.paths.length).toBeLessThanOrEqual(MAXIMUM_FILES)
  })

  it("has every entry that it announces, with declarations", () => {
    for (const file of [manifest.main, manifest.types, ...listFiles(manifest.exports)]) {
      expect(packed.paths.concat("package.json"), file).toContain(file.slice(2))
    }
  })

  it("holds nothing that was not meant to be published", () => {
    const foreign = /^(src|adapters|bench|node_modules|packaging|site|test|\.)|\.map$|metafile|api-report/
    expect(packed.paths.filter(path => foreign.test(path))).toEqual([])
    expect(packed.paths).toEqual(expect.arrayContaining(["LICENSE", "README.md", "CHANGELOG.md", "data/LICENSES.md"]))
  })

  it("lists every package whose code is in it, as CycloneDX", () => {
    const sbom = JSON.parse(readFileSync(join(home, "dist/sbom.cdx.json"), "utf8"))
    expect(sbom).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.6", version: 1 })
    expect(sbom.metadata.component).toMatchObject({ name: "landfall", version: manifest.version })
    const parts = sbom.components as readonly {
      readonly name: string
      readonly version: string
      readonly licenses: readonly { readonly license?: { readonly id: string } }[]
      readonly purl: string
    }[]
    expect(new Set(parts.map(({ purl }) => purl)).size).toBe(parts.length)
    const licences = parts.flatMap(each => each.licenses.map(({ license }) => license?.id))
    expect((manifest.license as string).split(" AND ")).toEqual(expect.arrayContaining(licences))
    // As the notices, and what only the page has.
    const notices = readFileSync(join(home, "dist/THIRD-PARTY-NOTICES.txt"), "utf8")
    const noticed = [...notices.matchAll(/^-{80}\n\n(\S+) (\S+) \(/gm)].map(([, name, version]) => `${name} ${version}`)
    expect(noticed.length).toBeGreaterThan(15)
    const named = parts.map(({ name, version }) => `${name} ${version}`)
    expect(named).toEqual(expect.arrayContaining(noticed))
    expect(named.filter(name => !noticed.includes(name)).map(name => name.split(" ")[0])).toEqual(
      expect.arrayContaining(["@fontsource/newsreader", "preact"]),
    )
  })

  it("brings every file that its code loads, and no more than a stub that nothing loads", async () => {
    // The script for warehouses is uploaded as it is, and a page loads the one file.
    const alone = ["dist/landfall-udf.js", "dist/landfall.min.js"]
    const code = packed.paths.filter(path => /^dist\/(parts\/)?[^/]+\.js$/.test(path) && !alone.includes(path))
    const entries = [
      ...listFiles(manifest.exports).filter(file => file.endsWith(".js")),
      manifest.bin.landfall,
      "dist/batch-worker.js",
      "dist/checkpoints.js",
      "dist/watchdog.js",
    ].map(path => join(path))
    // A file that was missing would end this with an error.
    const loaded = (await listImports(entries)).keys()
    const reached = new Set(loaded)
    const isStub = (path: string) => statSync(join(home, path)).size < 1_000
    expect(code.filter(path => !reached.has(path) && !isStub(path))).toEqual([])
  })

  it("loads nothing but itself, and modules of Node in the entries that are made for it", async () => {
    const portable = await listImports(
      ["index", "engine", "compiler", "full", "edge", "client"].map(name => `dist/${name}.js`),
    )
    expect(portable.size).toBeGreaterThan(30)
    expect([...portable.values()].flat()).toEqual([])
    const forNode = ["http", "cli", "batch-worker", "checkpoints", "watchdog"].map(name => `dist/${name}.js`)
    const others = [...(await listImports(forNode)).values()].flat()
    expect(others).toContain("node:sqlite")
    expect(others.filter(name => !isBuiltin(name))).toEqual([])
  })

  it("has one file for a page without a bundler, with the hash that it is loaded by", async () => {
    const path = join(home, manifest.jsdelivr)
    const { "landfall.min.js": integrity } = JSON.parse(readFileSync(join(home, "dist/integrity.json"), "utf8"))
    expect(integrity).toBe(integrityOf(readFileSync(path)))
    expect([...(await listImports(["dist/landfall.min.js"])).values()].flat()).toEqual([])
    const { decide, embeddedDataset, lookup } = await import(path)
    expect(lookup("FRA", "JPN")).toMatchObject({ requirement: "visa_free", days: 90 })
    const stops = [{ destination: "JPN", from: "2026-12-01", to: "2026-12-20" }]
    expect(decide(embeddedDataset(), { passport: "FRA", stops })).toMatchObject({ value: { blockers: [] } })
  })

  it("passes on the licences of the packages whose code it holds", () => {
    const notices = readFileSync(join(home, "dist/THIRD-PARTY-NOTICES.txt"), "utf8")
    for (const name of ["effect", "@noble/hashes", "stripe", "nodemailer", "hyparquet", "jose"]) {
      expect(notices).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(.+\\)$`, "m"))
    }
    // The page is an app that shows answers.
    const ofPage = readFileSync("dist/site/licenses.txt", "utf8").replace(/\s+/g, " ")
    expect(attributions().filter(line => !ofPage.includes(line))).toEqual([])
    expect(notices.split(/permission notice|no[- ]?warranty|without warranty/i).length).toBeGreaterThan(20)
  })

  it("satisfies publint", async () => {
    const { messages, pkg } = await publint({ pkgDir: home, strict: true, pack: false })
    expect(messages.map(message => formatMessage(message, pkg))).toEqual([])
  })

  it("resolves to types that fit what runs, judged by attw", async () => {
    const tarball = createPackageFromTarballData(new Uint8Array(readFileSync(inject("tarball"))))
    const analysis = await checkPackage(tarball)
    if (!analysis.types) throw new Error("attw finds no types.")
    // These load parts when they are asked for, which one CommonJS file cannot; node10 knows no `exports`, and finds `landfall` alone.
    const onlyModules = ["./full", "./http", "./edge"]
    const problems = analysis.problems.filter(
      problem =>
        !("resolutionKind" in problem) ||
        (problem.resolutionKind === "node16-cjs" && !onlyModules.includes(problem.entrypoint)) ||
        (problem.resolutionKind === "node10" && problem.entrypoint === "."),
    )
    expect(problems).toEqual([])
  })

  it("brings the command line", () => {
    const landfall = join(app, "node_modules/.bin/landfall")
    const run = (...given: readonly string[]) =>
      execFileSync(process.execPath, [landfall, ...given], { cwd: app, encoding: "utf8" })
    expect(run("check", "FRA", "JPN")).toContain("France (FRA) → Japan (JPN)")
    expect(run("explain", "LCA", "GBR", "--data", resolve("data"))).toContain("gov-uk-check-visa")
  })

  it("declares what .ci/packaging/api-report.md shows to a review", () => {
    const hint =
      "the public surface has changed: `npm run regenerate -- api-report` writes it anew, CHANGELOG.md says it"
    expect(
      readFileSync("dist/api-report.md", "utf8") === readFileSync(".ci/packaging/api-report.md", "utf8"),
      hint,
    ).toBe(true)
  })
})
