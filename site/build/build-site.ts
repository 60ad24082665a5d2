/**
 * How do the sources of the page become files that any host can serve?
 *
 * One bundle for the first view, one more for each part and each language that is opened later, a style sheet, one font, and a
 * service worker that knows them all by name. File names carry the hash of the contents, so that only the page itself is ever
 * requested again. Nothing is loaded from other hosts; the page's own policy forbids it.
 */
import { createHash } from "node:crypto"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join, parse, relative, resolve } from "node:path"
import { build } from "esbuild"
import { type InputOptions, type OutputChunk, type OutputOptions, type RolldownOutput, rolldown } from "rolldown"
import { describePackage, listPackages } from "../../.ci/packaging/notices.ts"
import { TOKENS } from "../../adapters/http/page/design.ts"
import { virtualModules } from "./virtual-modules.ts"

const SITE = join(import.meta.dirname, "..")
const ROOT = join(SITE, "..")

/** Where `npm run site` puts the page. */
export const SITE_FOLDER = join(ROOT, "dist/site")
/** A file in the built folder that says what it was built from. */
const STAMP = "build.json"
/** The map that the service colours for messengers; the page itself never shows it. */
const WORLD_PICTURE = "icons/world.png"

/** The content security policy: only files from the page's own origin, and the one inlined script. */
const writePolicy = (inlined: string): string =>
  [
    "default-src 'none'",
    `script-src 'self' 'sha256-${createHash("sha256").update(inlined).digest("base64")}'`,
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' blob:",
    "connect-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types landfall",
  ].join("; ")

export interface BuiltSite {
  readonly folder: string
  /** Paths inside the folder of the files of the first view, except one language. */
  readonly first: readonly string[]
  /** All others, which are loaded when they are needed and kept for a time without a network. */
  readonly rest: readonly string[]
}

/** Builds the page into a folder and replaces its contents; the sources are read as they are now. */
export async function buildSite(target: string = SITE_FOLDER): Promise<BuiltSite> {
  const stamp = stampSources()
  // Built in a folder next to the target, so that an incomplete page is never visible.
  const folder = `${target}.${process.pid}`
  mkdirSync(folder, { recursive: true })
  const chunks = await bundleScripts(folder)
  const styles = await bundleStyles(folder)
  const outputs = nameOutputs(chunks, styles.files)
  cpSync(join(SITE, "icons"), join(folder, "icons"), { recursive: true })
  cpSync(join(SITE, "manifest.webmanifest"), join(folder, "manifest.webmanifest"))
  const modules = [...chunks.values()].flatMap(({ moduleIds }) => moduleIds)
  const inPackages = [...modules, ...styles.sources].filter(path => path.includes("node_modules/"))
  const packages = listPackages(inPackages.map(path => relative(ROOT, resolve(ROOT, path))))
  writeFileSync(join(folder, "licenses.txt"), collectLicenses(packages))
  const page = await writePage(outputs)
  writeFileSync(join(folder, "index.html"), page)
  writeFileSync(join(folder, "embed.html"), page.replace('<html lang="en">', '<html lang="en" data-embedded>'))
  const first = ["index.html", "manifest.webmanifest", ...outputs.scripts, ...outputs.ofTheQuestion]
  first.push(outputs.style, outputs.font)
  const rest = listFiles(folder).filter(path => !first.includes(path) && path !== WORLD_PICTURE)
  await buildServiceWorker(folder, first, rest)
  writeFileSync(join(folder, STAMP), JSON.stringify({ stamp, first, rest, packages }))
  try {
    rmSync(target, { recursive: true, force: true })
    renameSync(folder, target)
  } catch (error) {
    // Another process put its own in place at the same time; it is as good if it was built from the same sources.
    rmSync(folder, { recursive: true, force: true })
    if (!isBuiltFrom(target, stamp)) throw error
  }
  return { folder: target, first, rest }
}

/** How the modules of the page are read. */
const MODULES: InputOptions = {
  cwd: ROOT,
  platform: "browser",
  tsconfig: join(ROOT, "tsconfig.json"),
  resolve: { symlinks: false },
  plugins: [virtualModules],
  // Most of the time goes into the map and the tables.
  checks: { bundlerTimings: false },
}
const TARGET = "es2022"
const MINIFIED: OutputOptions = { minify: true, comments: false }

/** The files of scripts, by their paths in the folder. */
type Chunks = ReadonlyMap<string, OutputChunk>

const mapChunks = ({ output }: RolldownOutput): Chunks =>
  new Map(output.flatMap(each => (each.type === "chunk" ? [[each.fileName, each]] : [])))

/** Bundles the page and its parts: once to find which views use which modules, and once with those together that most views share. */
async function bundleScripts(folder: string): Promise<Chunks> {
  const bundle = await rolldown({
    ...MODULES,
    input: { page: "site/main.tsx" },
    preserveEntrySignatures: false,
    transform: { target: TARGET },
  })
  const groups = groupShared(mapChunks(await bundle.generate()))
  const written = await bundle.write({
    ...MINIFIED,
    dir: folder,
    entryFileNames: "[name]-[hash].js",
    chunkFileNames: "parts/[name]-[hash].js",
    hashCharacters: "base36",
    codeSplitting: { groups: [{ name: id => groups.get(id) ?? null, includeDependenciesRecursively: false }] },
  })
  await bundle.close()
  return mapChunks(written)
}

/** The file of a module of the page that is imported later, or that it begins with. */
const fileOf = (chunks: Chunks, module: string): string =>
  [...chunks.values()].find(({ facadeModuleId }) => facadeModuleId === join(SITE, module))?.fileName ?? ""

/** Adds everything that files import at once. */
function addImports(chunks: Chunks, files: readonly string[]): readonly string[] {
  const all = new Set(files)
  for (const file of all) for (const imported of chunks.get(file)?.imports ?? []) all.add(imported)
  return [...all]
}

/**
 * Determines which modules are together in one file, by its name. The bundler puts modules into one file only where exactly the same views use them, so
 * that a view comes in fifteen files. A browser asks for six at a time, and each turn costs a slow network a sixth of a second.
 *
 * What a group imports is in it or in one above it, so that no files import each other.
 */
function groupShared(chunks: Chunks): ReadonlyMap<string, string> {
  const reach = (module: string): readonly string[] =>
    addImports(chunks, [fileOf(chunks, module)]).flatMap(file => {
      const { isEntry, isDynamicEntry, moduleIds } = chunks.get(file) as OutputChunk
      return isEntry || isDynamicEntry ? [] : moduleIds
    })
  const ofView = (view: string) => reach(`${view}/${view}-page.tsx`)
  const [anywhere, pair, ranking, trip] = [ofView("anywhere"), ofView("pair"), ofView("ranking"), ofView("trip")]
  const ofRecords = reach("pair/record-body.tsx").filter(id => !anywhere.includes(id) && !ranking.includes(id))
  const groups = [
    ["core", reach("main.tsx")],
    // What the ranking needs too comes without the rules, of which it reads none.
    ["shared", [...ofView("ask"), ...pair.filter(id => ranking.includes(id))]],
    ["lists", ranking.filter(id => anywhere.includes(id) && !trip.includes(id))],
    ["rules", pair.filter(id => anywhere.includes(id))],
    ["facts", pair],
    ["records", ofRecords],
  ] as const
  // A module is in the first group that has it.
  return new Map(groups.toReversed().flatMap(([name, ids]) => ids.map(id => [id, name] as const)))
}

/** Bundles the style sheet and its fonts. */
async function bundleStyles(folder: string) {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: { style: "site/styles/style.css" },
    outdir: folder,
    entryNames: "[name]-[hash]",
    assetNames: "fonts/[name]-[hash]",
    bundle: true,
    preserveSymlinks: true,
    minify: true,
    metafile: true,
    target: TARGET,
    charset: "utf8",
    loader: { ".woff2": "file" },
    legalComments: "none",
    logLevel: "warning",
    plugins: [
      {
        name: "tokens",
        setup(current) {
          current.onResolve({ filter: /^site:tokens$/ }, ({ path }) => ({ path, namespace: "site" }))
          current.onLoad({ filter: /.*/, namespace: "site" }, () => ({ contents: TOKENS, loader: "css" }))
        },
      },
    ],
  })
  const files = Object.keys(metafile.outputs).map(path => relative(folder, join(ROOT, path)))
  return { files, sources: Object.keys(metafile.inputs) }
}

/** Builds the page if it was never built, or if its sources have changed since. Returns null if nothing had to be done. */
export async function buildSiteIfStale(folder: string = SITE_FOLDER): Promise<BuiltSite | null> {
  return isBuiltFrom(folder, stampSources()) ? null : buildSite(folder)
}

function isBuiltFrom(folder: string, stamp: string): boolean {
  const path = join(folder, STAMP)
  return existsSync(path) && JSON.parse(readFileSync(path, "utf8")).stamp === stamp
}

interface Outputs {
  /** The first script, then what it imports at once. */
  readonly scripts: readonly string[]
  /** Further files of the question, which most readers see first. */
  readonly ofTheQuestion: readonly string[]
  readonly style: string
  readonly font: string
  /**
   * The imports of the views, of the words of each language and of the countries, besides the first scripts: a name and names of files,
   * separated by spaces. A country has one file, whose name begins with its code.
   */
  readonly parts: readonly string[]
}

/** Parts that are imported later, by their names in `first-requests.ts`. */
const LATER = /\/site\/(\w+)\/\1-page\.tsx$|^site:countries\/([A-Z]+)$|^site:messages\/(\w+)$/

function nameOutputs(chunks: Chunks, styles: readonly string[]): Outputs {
  const scripts = addImports(chunks, [fileOf(chunks, "main.tsx")])
  const addTo = (file: string) => addImports(chunks, [...scripts, file]).slice(scripts.length)
  const parts = [...chunks.values()].flatMap(({ facadeModuleId, fileName }) => {
    const [, view, country, words] = LATER.exec(facadeModuleId ?? "") ?? []
    if (country !== undefined) return [parse(fileName).name]
    const name = view ?? (words === undefined ? undefined : `words-${words}`)
    return name === undefined ? [] : [[name, ...addTo(fileName).map(file => parse(file).name)].join(" ")]
  })
  const find = (pattern: RegExp) => styles.find(path => pattern.test(path)) ?? ""
  const [style, font] = [find(/^style-.*\.css$/), find(/^fonts\/newsreader-latin-500.*\.woff2$/)]
  return { scripts, ofTheQuestion: addTo(fileOf(chunks, "ask/ask-page.tsx")), style, font, parts }
}

/** Bundles a script that is no module. */
async function bundleScript(entry: string, define: Readonly<Record<string, string>> = {}): Promise<string> {
  const bundle = await rolldown({ ...MODULES, input: entry, transform: { target: TARGET, define } })
  const { output } = await bundle.generate({ ...MINIFIED, format: "iife" })
  await bundle.close()
  return output[0].code.trim()
}

async function writePage({ scripts: [page = "", ...imported], style, parts }: Outputs): Promise<string> {
  const inlined = await bundleScript("site/first-requests.ts")
  const links = [
    ...imported.map(script => `<link rel="modulepreload" href="./${script}">`),
    `<meta name="landfall-parts" content="${parts.join(";")}">`,
    // Before the style sheet: a script after it would wait for it.
    `<script>${inlined}</script>`,
    `<link rel="stylesheet" href="./${style}">`,
    `<script type="module" src="./${page}"></script>`,
  ]
  return readFileSync(join(SITE, "index.html"), "utf8")
    .replace("{policy}", writePolicy(inlined))
    .replace("<!-- built -->", () => links.join("\n    "))
}

async function buildServiceWorker(folder: string, first: readonly string[], rest: readonly string[]): Promise<void> {
  const hash = createHash("sha256")
  for (const path of [...first, ...rest]) hash.update(path).update(readFileSync(join(folder, path)))
  const script = await bundleScript("site/service-worker.ts", {
    BUILT: JSON.stringify({ version: hash.digest("hex").slice(0, 16), first, rest }),
  })
  writeFileSync(join(folder, "service-worker.js"), script)
}

/** The licences of everything that the bundles hold, and what the data's ask to be shown. */
function collectLicenses(packages: readonly string[]): string {
  const texts = ["", ...packages].map(folder => describePackage(join(ROOT, folder)))
  const shapes = "Shapes of the map\n\nMade with Natural Earth (naturalearthdata.com), public domain."
  return [...texts, shapes, readFileSync(join(ROOT, "data/LICENSES.md"), "utf8")].join(`\n\n${"-".repeat(72)}\n\n`)
}

const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .sort()

/** A hash of the sources by name and content: some four megabytes, read in a few hundredths of a second at every start. */
function stampSources(): string {
  const files = ["site", "src", "data/locales"].flatMap(folder =>
    listFiles(join(ROOT, folder)).map(path => `${folder}/${path}`),
  )
  const hash = createHash("sha256")
  for (const path of [...files, "adapters/http/page/design.ts", "data/countries.json", "package-lock.json"]) {
    hash.update(path).update(readFileSync(join(ROOT, path)))
  }
  return hash.digest("hex")
}

// With `--if-stale` only where the sources have changed since the page was built.
if (import.meta.main) {
  const built = process.argv.includes("--if-stale") ? await buildSiteIfStale() : await buildSite()
  if (built !== null) {
    const count = built.first.length + built.rest.length + 1
    process.stdout.write(`${count} files in ${relative(process.cwd(), built.folder)}, ready for any static host\n`)
  }
}
