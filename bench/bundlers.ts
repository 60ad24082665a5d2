/**
 * Which script does each of six bundlers make of an app?
 *
 * Each with its own tree shaking and minifier, as an app would configure it for production. Rollup has no minifier; esbuild's is used, as its users do.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { gzipSync } from "node:zlib"
import { build as esbuild, transformSync } from "esbuild"

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
