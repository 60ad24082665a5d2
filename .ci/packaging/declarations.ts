/**
 * What does an app's compiler see of each entry?
 *
 * TypeScript writes a declaration for each source, in which types of tables become interfaces; API Extractor keeps what an entry can reach of them, as one file an entry. So nothing internal is
 * published, and the types need no other package. The same run returns what each entry declares, for review.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import {
  CompilerState,
  Extractor,
  ExtractorConfig,
  ExtractorLogLevel,
  type ExtractorMessage,
  type IConfigFile,
} from "@microsoft/api-extractor"
import { writePlainInterfaces } from "./plain-interfaces.ts"

/** The entries by their names in the package, each with its source. */
const ENTRIES = {
  engine: "src/engine.ts",
  index: "src/index.ts",
  compiler: "src/compiler.ts",
  full: "src/full.ts",
  history: "src/history.ts",
  http: "adapters/start/mount.ts",
  edge: "adapters/http/server/edge.ts",
  client: "adapters/client/client.ts",
} as const

// API Extractor treats files in node_modules as those of other packages.
const FOLDER = resolve("dist/declarations")
const REPORTS = join(FOLDER, "reports")

const ROOT = resolve(".")
/** How the compiler writes a declaration for each source. */
const PROJECT = {
  extends: join(ROOT, "tsconfig.json"),
  compilerOptions: {
    noEmit: false,
    emitDeclarationOnly: true,
    declaration: true,
    outDir: FOLDER,
    rootDir: ROOT,
    typeRoots: [join(ROOT, "node_modules/@types")],
  },
  include: ["src", "adapters"].map(path => join(ROOT, path)),
}

/** Writes `NAME.d.ts` of each entry into a folder, and returns what each declares, for review. */
export function writeDeclarations(target: string): ReadonlyMap<string, string> {
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(REPORTS, { recursive: true })
  const project = join(FOLDER, "tsconfig.json")
  writeFileSync(project, JSON.stringify(PROJECT))
  execFileSync("tsc", ["-p", project, "--noCheck"], { stdio: "inherit" })
  try {
    const names = Object.keys(ENTRIES) as (keyof typeof ENTRIES)[]
    const configs = names.map(name => configure(name, target))
    const [first] = configs as [ExtractorConfig]
    const additionalEntryPoints = configs.map(config => config.mainEntryPointFilePath)
    writePlainInterfaces(FOLDER, additionalEntryPoints)
    const compilerState = CompilerState.create(first, { additionalEntryPoints })
    for (const config of configs) {
      const { succeeded } = Extractor.invoke(config, { localBuild: true, compilerState, messageCallback: keepQuiet })
      if (!succeeded) throw new Error(`The declarations of ${config.mainEntryPointFilePath} were not rolled up.`)
    }
    for (const name of names) indentByTabs(resolve(target, `${name}.d.ts`))
    return new Map(names.map(name => [name, readFileSync(join(REPORTS, `${name}.api.md`), "utf8")]))
  } finally {
    rmSync(FOLDER, { recursive: true, force: true })
  }
}

/** Indents by tabs instead of four spaces, which makes the declarations 5 % smaller. */
function indentByTabs(file: string): void {
  const text = readFileSync(file, "utf8")
  writeFileSync(
    file,
    text.replace(/^(?: {4})+/gm, spaces => "\t".repeat(spaces.length / 4)),
  )
}

/** Shows errors, but not the message that a report is new. */
function keepQuiet(message: ExtractorMessage): void {
  if (message.logLevel !== ExtractorLogLevel.Error) message.handled = true
}

const declarationOf = (name: keyof typeof ENTRIES) => join(FOLDER, ENTRIES[name].replace(/\.ts$/, ".d.ts"))

function configure(name: keyof typeof ENTRIES, target: string): ExtractorConfig {
  const none = { logLevel: ExtractorLogLevel.None }
  const configObject: IConfigFile = {
    projectFolder: resolve("."),
    mainEntryPointFilePath: declarationOf(name),
    compiler: {
      overrideTsconfig: {
        compilerOptions: {
          target: "ES2023",
          lib: ["ES2023", "DOM", "DOM.Iterable"],
          module: "NodeNext",
          moduleResolution: "NodeNext",
          types: ["node"],
          strict: true,
          skipLibCheck: true,
        },
        files: [declarationOf(name)],
      },
    },
    dtsRollup: { enabled: true, untrimmedFilePath: resolve(target, `${name}.d.ts`) },
    apiReport: {
      enabled: true,
      reportFileName: `${name}.api.md`,
      reportFolder: REPORTS,
      reportTempFolder: join(REPORTS, "temporary"),
      includeForgottenExports: true,
    },
    docModel: { enabled: false },
    tsdocMetadata: { enabled: false },
    newlineKind: "lf",
    messages: {
      compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
      extractorMessageReporting: {
        default: { logLevel: ExtractorLogLevel.Error },
        "ae-forgotten-export": none,
        "ae-missing-release-tag": none,
        "ae-undocumented": none,
        "ae-unresolved-link": none,
      },
      tsdocMessageReporting: { default: none },
    },
  }
  return ExtractorConfig.prepare({
    configObject,
    configObjectFullPath: undefined,
    packageJsonFullPath: resolve("package.json"),
  })
}
