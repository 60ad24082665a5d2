/**
 * How do the sources of the page become files that any host can serve?
 *
 * One bundle for the first view, one more for each part and each language that is opened later, a style sheet, one font, and a
 * service worker that knows them all by name. File names carry the hash of the contents, so that only the page itself is ever
 * requested again. Nothing is loaded from other hosts; the page's own policy forbids it.
 */
import { createHash } from "node:crypto"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, parse, relative } from "node:path"
import { build, type Metafile, type OutputFile, type Plugin } from "esbuild"
import { directImports } from "./direct-imports.ts"
import { type Group, joinModules, MODULES } from "./join-modules.ts"
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
  const found = { root: ROOT, plugins: [virtualModules, directImports] }
  const { metafile: apart } = await bundle(folder, found.plugins)
  const joined = await joinModules(groupShared(apart), found)
  const { metafile, outputFiles } = await bundle(folder, [joined.plugin, ...found.plugins])
  dropUnneeded(metafile, outputFiles)
  for (const { path, text, contents } of outputFiles) {
    const name = relative(ROOT, path)
    if (metafile.outputs[name] === undefined) continue
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, path.endsWith(".js") ? withoutNothing(text, metafile.outputs[name]) : contents)
  }
  const outputs = nameOutputs(metafile, folder)
  cpSync(join(SITE, "icons"), join(folder, "icons"), { recursive: true })
  cpSync(join(SITE, "manifest.webmanifest"), join(folder, "manifest.webmanifest"))
  const packages = listPackages({ ...metafile.inputs, ...joined.inputs })
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

/** Bundles the page and its parts. */
const bundle = (folder: string, plugins: Plugin[]) =>
  build({
    ...MODULES,
    absWorkingDir: ROOT,
    entryPoints: { page: "site/main.tsx", style: "site/styles/style.css" },
    outdir: folder,
    splitting: true,
    minify: true,
    entryNames: "[name]-[hash]",
    chunkNames: "parts/[name]-[hash]",
    assetNames: "fonts/[name]-[hash]",
    loader: { ".woff2": "file" },
    legalComments: "none",
    plugins,
  })

/** The largest files, in bytes, that come along with views that do not need them: of those that the question shares, and of a record's. */
const LARGEST = { shared: 8_000, records: 50_000 } as const

/** Determines which modules to join: those of every view, those that the question shares with others, and the ranking with answers, those that read the rules, and those of a record. */
function groupShared({ outputs }: Metafile): readonly Group[] {
  const entryOf = (module: string) => Object.keys(outputs).find(path => outputs[path]?.entryPoint === module) ?? ""
  const reach = (module: string) => {
    const all = new Set([entryOf(module)])
    for (const path of all) {
      for (const { path: imported, kind } of outputs[path]?.imports ?? [])
        if (kind === "import-statement") all.add(imported)
    }
    return [...all].filter(path => outputs[path]?.entryPoint === undefined)
  }
  const core = reach("site/main.tsx")
  const bytesOf = (path: string) => outputs[path]?.bytes ?? 0
  const isAlone = (path: string) => !outputs[path]?.imports.some(({ kind }) => kind === "dynamic-import")
  const shared = reach("site/ask/ask-page.tsx").filter(path => !core.includes(path) && bytesOf(path) < LARGEST.shared)
  const isFit = (path: string) => bytesOf(path) < LARGEST.records && isAlone(path)
  const ofPairs = reach("site/pair/pair-page.tsx")
  const ofPairsOrRecords = [...ofPairs, ...reach("site/pair/record-body.tsx")]
  // What the ranking needs too comes without the rules, of which it reads none.
  const ranked = reach("site/ranking/ranking-page.tsx").filter(
    path => ofPairsOrRecords.includes(path) && ![...core, ...shared].includes(path) && isFit(path),
  )
  const rules = reach("site/anywhere/anywhere-page.tsx").filter(
    path => ofPairs.includes(path) && ![...core, ...shared, ...ranked].includes(path),
  )
  const ofRecords = ofPairsOrRecords.filter(path => !ofPairs.includes(path))
  const facts = ofPairs.filter(path => ![...core, ...shared, ...ranked, ...rules].includes(path) && isFit(path))
  const records = ofRecords.filter(path => ![...core, ...shared, ...ranked, ...rules].includes(path) && isFit(path))
  const membersOf = (paths: readonly string[]) => paths.flatMap(path => Object.keys(outputs[path]?.inputs ?? {}))
  return [
    { name: "core", members: membersOf(core) },
    { name: "shared", members: membersOf([...shared, ...ranked]) },
    { name: "rules", members: membersOf(rules) },
    { name: "facts", members: membersOf(facts) },
    { name: "records", members: membersOf(records) },
  ]
}

/** Builds the page if it was never built, or if its sources have changed since. Returns null if nothing had to be done. */
export async function buildSiteIfStale(folder: string = SITE_FOLDER): Promise<BuiltSite | null> {
  return isBuiltFrom(folder, stampSources()) ? null : buildSite(folder)
}

function isBuiltFrom(folder: string, stamp: string): boolean {
  const path = join(folder, STAMP)
  return existsSync(path) && JSON.parse(readFileSync(path, "utf8")).stamp === stamp
}

/** Leaves out files that nothing loads, because the import was dropped with the code around it, and those without contents: all that was in them was joined with others. */
function dropUnneeded({ outputs }: Metafile, files: readonly OutputFile[]): void {
  const reached = new Set(Object.keys(outputs).filter(path => /(^|\/)(page|style)-[A-Z0-9]+\.(js|css)$/.test(path)))
  for (const path of reached) for (const { path: imported } of outputs[path]?.imports ?? []) reached.add(imported)
  for (const { path, contents } of files) if (contents.length === 0) reached.delete(relative(ROOT, path))
  for (const path of Object.keys(outputs)) if (!reached.has(path)) delete outputs[path]
  for (const output of Object.values(outputs)) {
    output.imports = output.imports.filter(({ path }) => outputs[path] !== undefined)
  }
}

/** The text of a script without its imports of nothing from files that are left out. */
const withoutNothing = (text: string, { imports }: Metafile["outputs"][string]): string =>
  text.replace(/\bimport"[^"]*\/([^"/]+)";/g, (whole, name) =>
    imports.some(({ path }) => path.endsWith(`/${name}`)) ? whole : "",
  )

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
const LATER = /^site(?:\/(\w+)\/\1-page\.tsx|:countries\/([A-Z]+)|:messages\/(\w+))$/

function nameOutputs({ outputs }: Metafile, folder: string): Outputs {
  const named = Object.entries(outputs).map(([path, output]) => ({
    path: relative(folder, join(ROOT, path)),
    ...output,
  }))
  const byPath = new Map(named.map(output => [output.path, output]))
  const scriptOf = (entry: string) => named.find(({ entryPoint }) => entryPoint === entry)?.path ?? ""
  const addImports = (scripts: readonly string[]) => {
    const all = [...scripts]
    for (const script of all) {
      for (const { path, kind } of byPath.get(script)?.imports ?? []) {
        const imported = relative(folder, join(ROOT, path))
        if (kind === "import-statement" && !all.includes(imported)) all.push(imported)
      }
    }
    return all
  }
  const scripts = addImports([scriptOf("site/main.tsx")])
  const ofTheQuestion = addImports([...scripts, scriptOf("site/ask/ask-page.tsx")]).slice(scripts.length)
  const parts = named.flatMap(({ entryPoint = "", path }) => {
    const [, view, country, words] = LATER.exec(entryPoint) ?? []
    if (country !== undefined) return [parse(path).name]
    const name = view ?? (words === undefined ? undefined : `words-${words}`)
    const files = addImports([...scripts, path]).slice(scripts.length)
    return name === undefined ? [] : [[name, ...files.map(file => parse(file).name)].join(" ")]
  })
  const find = (pattern: RegExp) => named.find(output => pattern.test(output.path))?.path ?? ""
  const [style, font] = [find(/^style-.*\.css$/), find(/^fonts\/newsreader-latin-500.*\.woff2$/)]
  return { scripts, ofTheQuestion, style, font, parts }
}

/** How a script that is no module is bundled. */
const SCRIPT = {
  bundle: true,
  preserveSymlinks: true,
  minify: true,
  format: "iife",
  platform: "browser",
  target: "es2022",
  logLevel: "warning",
} as const

async function writePage({ scripts: [page = "", ...imported], style, parts }: Outputs): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    ...SCRIPT,
    entryPoints: ["site/first-requests.ts"],
    write: false,
    plugins: [directImports],
  })
  const inlined = outputFiles[0]?.text.trim() ?? ""
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
  await build({
    absWorkingDir: ROOT,
    ...SCRIPT,
    entryPoints: ["site/service-worker.ts"],
    outfile: join(folder, "service-worker.js"),
    define: {
      SITE_VERSION: JSON.stringify(hash.digest("hex").slice(0, 16)),
      FIRST_FILES: JSON.stringify(first),
      OTHER_FILES: JSON.stringify(rest),
    },
  })
}

/** The folders of the packages that the bundles hold. */
function listPackages(inputs: Metafile["inputs"]): readonly string[] {
  const names = Object.keys(inputs).flatMap(path => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [])
  return [...new Set(names)].sort().map(name => `node_modules/${name}`)
}

/** The licences of everything that the bundles hold, and what the data's ask to be shown. */
function collectLicenses(packages: readonly string[]): string {
  const texts = ["", ...packages].map(folder => {
    const file = readdirSync(join(ROOT, folder)).find(name => /^licen[cs]e(\.md|\.txt)?$/i.test(name))
    const { name, version } = JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8"))
    return `${name} ${version}\n\n${file === undefined ? "" : readFileSync(join(ROOT, folder, file), "utf8").trim()}\n`
  })
  const shapes = "Shapes of the map\n\nMade with Natural Earth (naturalearthdata.com), public domain.\n"
  return [...texts, shapes, readFileSync(join(ROOT, "data/LICENSES.md"), "utf8")].join(`\n${"-".repeat(72)}\n\n`)
}

function listFiles(folder: string, below: string = folder): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap(entry => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? listFiles(path, below) : [relative(below, path)]
    })
    .sort()
}

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
