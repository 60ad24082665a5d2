/**
 * What does the package cost before its first answer: bytes to load with each bundler, time to open, memory kept?
 *
 * Six bundlers, each with its own tree shaking and minifier, as an app would configure it for production. Rollup has no minifier; esbuild's is used, as its users do.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { gzipSync } from "node:zlib"
import { build as esbuild, transformSync } from "esbuild"
import { runFresh } from "./measure.ts"

/** Bytes of something that is sent over a wire. */
export interface Size {
  readonly name: string
  readonly raw: number
  readonly gzip: number
}

const measure = (name: string, text: string | Uint8Array): Size => ({
  name,
  raw: Buffer.byteLength(text),
  gzip: gzipSync(text, { level: 9 }).length,
})

/** What a browser loads for a piece of code, bundled and minified as an application in that folder would. */
export async function measureBundle(name: string, code: string, folder = process.cwd()): Promise<Size> {
  const result = await esbuild({
    stdin: { contents: code, resolveDir: folder, loader: "ts" },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "browser",
    charset: "utf8",
  })
  return measure(name, result.outputFiles[0]?.contents ?? new Uint8Array())
}

/** The imports of `landfall` that the table of the README lists: a function with the data that it needs. */
export const SIZED_IMPORTS = [
  "lookup",
  "embeddedPairs, intersectGroup",
  "embeddedPairs, chooseBestPassports",
  "embeddedPairs, scorePassport",
  "embeddedPairs, rankPassports",
  "embeddedPairs, comparePassports",
  "embeddedPairs, listEntrants",
  "embeddedRules, lookupHeld",
  "embeddedDataset, lookupHeld",
  "embeddedRules, decide",
  "embeddedDataset, decide",
] as const

/** What a browser loads for imports of `landfall`. */
export const measureImports = (names: string): Promise<Size> =>
  measureBundle(`  ${names}`, `export { ${names} } from "./src/index.ts"`)

/** The embedded pairs alone, and the whole embedded module. */
export async function measureEmbedded(): Promise<Size[]> {
  const pairs = 'export * from "./src/dataset/embedded-table.generated.ts"'
  const header = 'export * from "./src/dataset/embedded.generated.ts"'
  return [
    await measureBundle("embedded pairs", pairs),
    await measureBundle("embedded dataset (pairs and header)", `${header}\n${pairs}`),
  ]
}

/** Milliseconds of the first open in a fresh process, and bytes of memory kept for it; the median of several processes. */
export function measureColdOpen() {
  const script = `
    const { embeddedDataset, lookup } = await import("./dist/index.js")
    globalThis.gc(); const before = process.memoryUsage()
    const start = performance.now(); embeddedDataset(); const openMs = performance.now() - start
    globalThis.gc(); const after = process.memoryUsage()
    console.log(JSON.stringify({ openMs, residentBytes: after.rss - before.rss, heapBytes: after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers }))`
  const middle = runFresh(script)
  return { openMs: middle("openMs"), residentBytes: middle("residentBytes"), heapBytes: middle("heapBytes") }
}

/** A size as a line of a table. */
export function describeSize({ name, raw, gzip }: Size): string {
  return `  ${name.padEnd(44)} ${String(raw).padStart(8)} bytes  ${String(gzip).padStart(7)} gzip`
}

interface Job {
  /** The first file of the app, in a folder where its packages are installed. */
  readonly entry: string
  /** An empty folder for the output of the bundler. */
  readonly target: string
}

async function bundleByEsbuild({ entry }: Job): Promise<string> {
  const options = { bundle: true, minify: true, write: false, format: "esm", charset: "utf8" } as const
  const { outputFiles } = await esbuild({ ...options, entryPoints: [entry] })
  return outputFiles[0]?.text ?? ""
}

/** Rollup finds packages by a plugin: here the few lines that packages of ES modules with `exports` need. */
async function bundleByRollup({ entry }: Job): Promise<string> {
  const findPackage = (specifier: string, importer: string | undefined) => {
    if (importer === undefined) return null
    if (specifier.startsWith(".")) {
      return { id: join(dirname(importer), specifier), moduleSideEffects: !importer.includes("node_modules") }
    }
    const [, name = "", path = ""] = /^((?:@[^/]+\/)?[^/]+)(.*)$/.exec(specifier) ?? []
    const home = join(dirname(entry), "node_modules", name)
    const { exports, sideEffects } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"))
    return {
      id: join(home, (exports[`.${path}`].import ?? exports[`.${path}`]).default),
      moduleSideEffects: sideEffects !== false,
    }
  }
  const { rollup } = await import("rollup")
  const bundle = await rollup({ input: entry, plugins: [{ name: "packages", resolveId: findPackage }] })
  const { output } = await bundle.generate({ format: "es" })
  return transformSync(output[0].code, { minify: true, charset: "utf8", format: "esm" }).code
}

async function bundleByVite({ entry, target }: Job): Promise<string> {
  const { build } = await import("vite")
  await build({
    root: dirname(entry),
    configFile: false,
    logLevel: "silent",
    build: { outDir: target, modulePreload: false, rollupOptions: { input: entry } },
  })
  return readScript(target)
}

/** Webpack and Rspack are configured alike. */
const configurePack = ({ entry, target }: Job) => ({
  mode: "production" as const,
  target: "web" as const,
  context: dirname(entry),
  entry,
  output: { path: target },
  performance: { hints: false as const },
})

function settlePack(finish: (text: string) => void, fail: (cause: Error) => void, target: string) {
  return (cause: Error | null, stats: { readonly hasErrors: () => boolean } | undefined) => {
    if (cause !== null) fail(cause)
    else if (stats === undefined || stats.hasErrors()) fail(new Error(String(stats)))
    else finish(readScript(target))
  }
}

async function bundleByWebpack(job: Job): Promise<string> {
  const { default: webpack } = await import("webpack")
  return new Promise((finish, fail) => webpack(configurePack(job), settlePack(finish, fail, job.target)))
}

async function bundleByRspack(job: Job): Promise<string> {
  const { rspack } = await import("@rspack/core")
  return new Promise((finish, fail) => rspack(configurePack(job), settlePack(finish, fail, job.target)))
}

async function bundleByBun({ entry, target }: Job, bun: string): Promise<string> {
  execFileSync(bun, ["build", entry, "--minify", "--outdir", target], { cwd: dirname(entry), stdio: "pipe" })
  return readScript(target)
}

function readScript(folder: string): string {
  const scripts = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(file => /\.m?js$/.test(file))
  if (scripts.length !== 1) throw new Error(`One script was expected in ${folder}, not ${scripts.length}.`)
  return readFileSync(join(folder, scripts[0] as string), "utf8")
}

/** Bundles an app of one file into one script, by six bundlers; `app` is a folder in which its packages are installed. */
export async function bundleApp(app: string, code: string, bun: string) {
  const entry = join(app, "bundled-app.js")
  writeFileSync(entry, code)
  const bundlers: Readonly<Record<string, (job: Job) => Promise<string>>> = {
    esbuild: bundleByEsbuild,
    rollup: bundleByRollup,
    webpack: bundleByWebpack,
    rspack: bundleByRspack,
    "vite (rolldown)": bundleByVite,
    bun: job => bundleByBun(job, bun),
  }
  const bundled = []
  for (const [bundler, bundle] of Object.entries(bundlers)) {
    const target = join(app, "bundled")
    rmSync(target, { recursive: true, force: true })
    mkdirSync(target)
    const text = await bundle({ entry, target })
    const gzipBytes = gzipSync(text, { level: 9 }).length
    bundled.push({ bundler, text, bytes: Buffer.byteLength(text), gzipBytes })
  }
  return bundled
}
