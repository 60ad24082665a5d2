/**
 * The commands that the documentation shows, as a reader copies them: every block, in a shell, with the installed package as `landfall` (on Node 22.20; terminal.test.ts has Node 24), a service
 * of that package where something is sent to it, and a folder for each page: of the README and the three starts, and each night of every page. What needs more than that is in `ELSEWHERE`.
 */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { transformSync } from "esbuild"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { IS_WHOLE } from "../sample.ts"
import { findOldestNodeOfService } from "./runtimes.ts"

const app = inject("app")

/** What is not run here, by how its lines begin: what runs it, or why nothing does. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "npm ci && npm start": "needs a clone: .ci/start-once.ts",
  "npm ci && npm test": "needs a clone: .ci/run",
  "npm ci && npm pack": "needs a clone: test/packaging/installed-package.ts makes the package that runs here",
  "npm ci": "needs a clone: .ci/run",
  "npx node examples/payments/": "needs a clone: test/http/accounts/page.test.ts, test/peers/x402.test.ts",
  "npm run release": "needs a clone: test/packaging/nightly/release.test.ts",
  "git push": "publishes",
  "node .ci/newer-sources.ts": "loads tables from other hosts: test/data/update.test.ts",
  "npm run landfall -- data update": "needs those tables: test/data/update.test.ts",
  "landfall data update": "needs those tables: test/data/update.test.ts",
  "npm run landfall -- data watch": "loads pages of authorities: test/page-watch/watch.test.ts",
  "landfall data watch": "loads pages of authorities: test/page-watch/watch.test.ts",
  "landfall data import": "takes long: test/packaging/terminal.test.ts",
  "landfall data verify": "takes long: test/packaging/terminal.test.ts",
  "landfall dataset build": "takes long: test/packaging/terminal.test.ts",
  "LANDFALL_DATABASE_URL=postgres:": "sets and does nothing: test/docs/operations.test.ts",
  "LANDFALL_SECRET=...": "sets and does nothing: test/docs/operations.test.ts",
  "LANDFALL_DATASET_FEED=": "sets and does nothing: test/docs/operations.test.ts",
  "LANDFALL_DATASET_KEYS=": "sets and does nothing: test/docs/operations.test.ts",
  "parallel ": "needs GNU parallel: test/clusters/clusters.test.ts",
  "dask ": "needs Dask: test/clusters/clusters.test.ts",
  "python3 dask-batch.py": "needs Dask: test/clusters/clusters.test.ts",
  "sbatch ": "needs Slurm: test/clusters/clusters.test.ts",
  "for n in $(seq": "needs Slurm: test/clusters/clusters.test.ts",
  'export const score = endpoint("GET /api/v1/visa/score", {':
    "is a part of adapters/http/routes/visa/visa-endpoints.ts",
}

/** What a reader of a page has done before. */
const BEFORE: Readonly<Record<string, string>> = {
  "docs/accounts.md": "landfall account create --name Ana --email ana@example.org --plan pro",
  // Its own file is the one that it shows.
  "docs/batch.md": "rm trips.ndjson",
  "docs/in-your-app.md": "landfall dataset keygen -o feed.key",
  "docs/operations.md": "landfall migrate; landfall dataset keygen -o next.key",
}

/** The codes of commands that are shown to fail. */
const FAILING: Readonly<Record<string, number>> = {
  "landfall batch trips.ndjson -o answers.ndjson --summary": 1,
}

interface Block {
  readonly page: string
  readonly name: string
  readonly language: string
  readonly text: string
}

const findElsewhere = (line: string) => Object.keys(ELSEWHERE).find(begin => line.startsWith(begin))
/** The lines that are run here. */
const leaveOut = (text: string) =>
  text
    .split("\n")
    .filter(line => findElsewhere(line) === undefined)
    .join("\n")
const pages = ["README.md", ...readdirSync("docs").flatMap(name => (name.endsWith(".md") ? [`docs/${name}`] : []))]
const blocks = pages.flatMap(page =>
  [...readFileSync(page, "utf8").matchAll(/^( *)```(\w*)\n([\s\S]*?)^\1```$/gm)].map(
    ([, indent = "", language = "", text = ""], at): Block => {
      const whole = text.replaceAll(new RegExp(`^${indent}`, "gm"), "")
      return { page, name: `${at + 1}: ${whole.split("\n")[0]}`, language, text: whole }
    },
  ),
)

/** What a reader's shell has besides the commands: the words of a clone for `landfall`, a stop for what runs until it is stopped. */
const SHELL = `
npm() {
  case "$*" in
    "run --silent landfall -- "*) landfall "\${@:5}" ;;
    start) landfall serve ;;
    *) command npm "$@" ;;
  esac
}
landfall() {
  case "$*" in
    serve* | worker* | "webhook listen"*)
      exec 3< <(exec landfall "$@")
      local process=$!
      grep --quiet --max-count=1 -E '^Reference:|delivers from the database|listens for webhooks' <&3
      kill -INT $process
      cat <&3 >/dev/null
      wait $process
      ;;
    *) command landfall "$@" ;;
  esac
}
curl() { command curl --silent --show-error --fail-with-body "$@"; }
`

const execute = promisify(execFile)
let root = ""
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "landfall-shown-"))
  mkdirSync(join(root, "bin"))
  const command = join(root, "bin/landfall")
  writeFileSync(
    command,
    `#!/bin/sh\nexec "${findOldestNodeOfService()}" "${join(app, "node_modules/.bin/landfall")}" "$@"\n`,
  )
  chmodSync(command, 0o755)
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Makes the files that a reader of a page has. */
function makeFolder(page: string): string {
  const folder = join(root, page.replaceAll("/", "-"))
  cpSync("examples", folder, { recursive: true, filter: path => !path.includes("node_modules") })
  cpSync("examples", join(folder, "examples"), { recursive: true, filter: path => !path.includes("node_modules") })
  cpSync("data", join(folder, "data"), { recursive: true })
  const put = (name: string, text: string) => writeFileSync(join(folder, name), text)
  put("2026-12-01.csv", "passport,destination,status,days\nFRA,JPN,visa free,90\n")
  put("my-spots.csv", "title,lat,lon,country\nA tower,48.8584,2.2945,FR\n")
  const geometry = { type: "Point", coordinates: [2.2945, 48.8584] }
  const tower = { type: "Feature", geometry, properties: { title: "A tower", country: "FR" } }
  put("my-spots.geojson", JSON.stringify({ type: "FeatureCollection", features: [tower] }))
  copyFileSync("test/fixtures/passport-index-2025-01-12.landfall", join(folder, "old.landfall"))
  copyFileSync("test/fixtures/dataset-2026-11-21.landfall", join(folder, "new.landfall"))
  return folder
}

/** Starts a service, and returns its address and the key of its plan business. */
async function startService(cwd: string, env: NodeJS.ProcessEnv) {
  const service = spawn(join(root, "bin/landfall"), ["serve"], { cwd, env, stdio: ["ignore", "pipe", "inherit"] })
  let text = ""
  await new Promise<void>((ready, fail) => {
    service.once("close", () => fail(new Error(`It does not start: ${text}`)))
    service.stdout.setEncoding("utf8").on("data", part => {
      text += part
      if (/^Reference:/m.test(text)) ready()
    })
  })
  const [, address = ""] = /listens on http:\/\/(\S+)/.exec(text) ?? []
  const [, key = ""] = /^ {2}business +(\S+)$/m.exec(text) ?? []
  const stop = () => {
    service.kill()
    return once(service, "close")
  }
  return { address, key, stop }
}

const isTranscript = ({ language, text }: Block) => language === "" && text.startsWith("$ ")
/** A program that prints nothing: those that print are in shown-programs.test.ts. */
const isQuietProgram = ({ language, text }: Block) =>
  /^[jt]s$/.test(language) && !text.includes("console.log") && findElsewhere(text) === undefined

/** What strangers begin with; a command of another page is one that test/cli or terminal.test.ts runs too. */
const STARTS = ["README.md", "docs/in-your-app.md", "docs/start-file.md", "docs/start-service.md"]
const readers = (IS_WHOLE ? pages : STARTS).flatMap(page => {
  const own = blocks.filter(block => block.page === page && leaveOut(block.text) !== "")
  const all = own.filter(block => block.language === "sh" || isTranscript(block) || isQuietProgram(block))
  return all.length === 0 ? [] : [{ page, all }]
})

it("what is run elsewhere is shown, and is there", () => {
  const lines = blocks.flatMap(({ text }) => text.split("\n"))
  expect(Object.keys(ELSEWHERE).filter(begin => !lines.some(line => findElsewhere(line) === begin))).toEqual([])
  const files = Object.values(ELSEWHERE).flatMap(reason => reason.match(/[\w./-]+\/[\w.-]+/g) ?? [])
  expect(files.filter(file => !existsSync(file))).toEqual([])
})

describe.skipIf(process.platform !== "linux").each(readers)("$page", ({ page, all }) => {
  const env: NodeJS.ProcessEnv = { ...process.env, NO_COLOR: "1", LANDFALL_PORT: "0" }
  let folder = ""
  let address = ""
  let stop: (() => Promise<unknown>) | undefined

  const settle = (text: string) =>
    text
      .replaceAll("/path/to", dirname(inject("tarball")))
      .replaceAll("/var/lib/landfall", join(folder, "var"))
      .replaceAll("svc_visa_…", env.KEY ?? "")
      .replaceAll("127.0.0.1:8788", "127.0.0.1:0")
      .replaceAll(/(localhost|127\.0\.0\.1):8787/g, address)
  const inShell = async (script: string, code = 0) => {
    const words = ["-euo", "pipefail", "-c", `${SHELL}\nexec 2>&1 </dev/null\n${settle(script)}`]
    const ended = await execute("bash", words, { cwd: folder, env, maxBuffer: 2 ** 26 }).then(
      ({ stdout }) => ({ code: 0, stdout }),
      (cause: { readonly code: number; readonly stdout: string }) => cause,
    )
    expect(ended.code, `${script}\n\n${ended.stdout.slice(-3_000)}`).toBe(code)
    return ended.stdout
  }

  beforeAll(async () => {
    folder = makeFolder(page)
    env.PATH = `${join(root, "bin")}:${env.PATH}`
    env.LANDFALL_DATABASE_URL = `file:${join(folder, "landfall.db")}`
    if (all.some(({ text }) => text.includes(":8787"))) {
      const started = await startService(folder, env)
      env.KEY = started.key
      address = started.address
      stop = started.stop
    }
    await inShell(BEFORE[page] ?? "")
  })
  afterAll(() => stop?.())

  it.each(all.filter(({ language }) => language === "sh"))("$name", async ({ text }) => {
    await inShell(leaveOut(text))
  })

  it.each(all.filter(isTranscript))("$name prints what is shown", async ({ text }) => {
    for (const [, command = "", shown = ""] of text.matchAll(/^\$ (.*)\n((?:(?!\$ ).*\n?)*)/gm)) {
      // A file without a folder is the reader's own.
      const [, own] = /^cat (\w+\.\w+)$/.exec(command) ?? []
      if (own !== undefined && !existsSync(join(folder, own))) writeFileSync(join(folder, own), shown)
      const [begin = ""] = shown.split(/^ *…$/m)
      expect((await inShell(command, FAILING[command])).slice(0, begin.length), command).toBe(begin)
    }
  })

  it.each(all.filter(isQuietProgram))("$name", async ({ text }) => {
    const given = { apiKey: env.KEY, publicKey: (await inShell("cat feed.key.pub || true")).trim() }
    const program = `const { apiKey, publicKey } = ${JSON.stringify(given)}\n${settle(text)}`
    writeFileSync(join(app, "shown-quiet.mjs"), transformSync(program, { loader: "ts", target: "es2022" }).code)
    await execute(process.execPath, ["shown-quiet.mjs"], { cwd: app, env })
  })
})
