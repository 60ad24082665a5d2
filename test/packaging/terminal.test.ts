/**
 * The installed command in a terminal: every command once, and each night with the text that the same command prints from the sources. What is loaded only on a terminal, such as the progress of a
 * batch, and what the bundle loads late has run here before anybody installs it. A terminal is made by `script` of Linux (Debian's bsdutils); that of macOS takes other flags.
 */
import { execFileSync, spawn } from "node:child_process"
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { stripVTControlCharacters } from "node:util"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { listParts } from "../../adapters/cli/commands.ts"
import { IS_WHOLE } from "../sample.ts"

const PROGRAMS = {
  packed: join(inject("app"), "node_modules/.bin/landfall"),
  sources: resolve("adapters/cli/bin.ts"),
} as const
type Program = keyof typeof PROGRAMS
/** What each command is called of. */
const CALLED: readonly Program[] = IS_WHOLE ? ["packed", "sources"] : ["packed"]

const DATA = resolve("data")
/** What each command is called with, in this order: the first account makes the database of those after it. */
const CALLS = [
  ["--help"],
  ["--version"],
  ["--completions", "bash"],
  ["check", "FRA", "JPN"],
  ["check", "FRA", "CHN", "--on", "2023-06-01"],
  ["check", "FRA", "ZZZ"],
  ["find", "guinea", "--lang", "ja"],
  ["visa", "IND", "DEU", "--lang", "hi"],
  ["explain", "LCA", "GBR", "--data", DATA],
  ["group", "FRA,IND"],
  ["best", "USA,DEU"],
  ["entrants", "JPN"],
  ["score", "JPN"],
  ["compare", "JPN", "IND"],
  ["rank", "--lang", "fr"],
  ["itinerary", "trip.json"],
  ["convert", "trip.ics", "--passport", "FRA", "-o", "trip.ndjson"],
  ["convert", "zones.txt", "--trip", "trip.json"],
  ["convert", "Timeline.json"],
  ["stays", "stays.json", "--on", "2026-12-01"],
  ["batch", "trips.csv", "-o", "answers.csv", "--summary"],
  ["batch", "trips.csv", "-o", "answers.parquet", "--threads", "2"],
  ["batch", "trips.csv", "--summary"],
  ["batch", "nothing.csv"],
  ["history", "FRA", "CHN"],
  ["watch", "FRA", "JPN", "--since", "2026-06-01"],
  ["diff", "old.landfall", "new.landfall", "--fields", "requirement"],
  ["dataset", "info"],
  ["dataset", "build", "--data", DATA, "-o", "today.landfall"],
  ["dataset", "verify", "today.landfall"],
  ["dataset", "export", "--format", "parquet", "-o", "pairs.parquet"],
  ["dataset", "keygen", "-o", "feed.key"],
  ["dataset", "publish", "feed", "--dataset", "new.landfall", "--key", "feed.key"],
  ["data", "verify", "--data", DATA],
  ["data", "import", "2026-11-20.csv", "--dry-run", "--data", DATA],
  ["migrate"],
  ["account", "create", "--name", "Ada", "--email", "ada@example.com", "--plan", "pro"],
  ["key", "create", "ada@example.com", "--team", "Paris"],
  ["account", "show", "ada@example.com"],
  ["operate", "accounts"],
  ["operate"],
  ["operate", "payments"],
  ["spots", "import", "spots.csv", "--dry-run"],
  ["backup", "backup.db"],
  ["restore", "backup.db"],
] as const

const FAILING = new Map([
  ["check FRA ZZZ", 2],
  ["batch nothing.csv", 1],
  // The database has an account.
  ["restore backup.db", 1],
])

/** What reads or judges all that there is, and loads nothing that another call or package.test.ts does not. */
const LONG = ["data verify", "data import", "explain", "batch trips.csv --summary"]
const isAsked = (args: readonly string[]) => IS_WHOLE || !LONG.some(begin => args.join(" ").startsWith(begin))

/** What runs until it is stopped, and what it prints when it is ready. */
const RUNNING = [
  [["serve", "--port", "0"], "Reference:"],
  [["worker"], "landfall delivers from the database"],
  [["webhook", "listen", "--port", "0"], "landfall listens for webhooks"],
] as const

/** More than a block of 256 KiB with their long names, so that threads judge them. */
const TRIPS = 1_500
const TRIP = `${"n".repeat(200)};FRA;JPN;2026-12-01;2026-12-10\r\n`

let root = ""
/** Names of one length, so that lines break alike. */
const folderOf = (program: Program) => join(root, program.slice(0, 6))
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "landfall-terminal-"))
  const stop = { destination: "FRA", from: "2026-12-01", to: "2026-12-20" }
  for (const program of CALLED) {
    mkdirSync(folderOf(program))
    const put = (name: string, text: string) => writeFileSync(join(folderOf(program), name), text)
    put("trip.json", JSON.stringify({ passport: "DEU", stops: [stop] }))
    put("stays.json", JSON.stringify([stop]))
    put("trips.csv", `sep=;\r\nid;passport;destination;from;to\r\n${TRIP.repeat(TRIPS)}`)
    put(
      "zones.txt",
      "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nL898902C36UTO7408122F1204159ZE184226B<<<<<10\nP<D<<MUSTER<<ERIKA<<<<<<<<<<<<<<<<<<<<<<<<<<\nL898902C36D<<7408122F3001318<<<<<<<<<<<<<<04\n",
    )
    const visit = { topCandidate: { placeLocation: "geo:48.8566,2.3522" } }
    put(
      "Timeline.json",
      JSON.stringify([{ startTime: "2026-01-03T09:00:00Z", endTime: "2026-01-05T09:00:00Z", visit }]),
    )
    copyFileSync("examples/trip.ics", join(folderOf(program), "trip.ics"))
    put("2026-11-20.csv", "passport,destination,status,days\nFRA,JPN,visa free,90\n")
    put("spots.csv", "title,lat,lon,country\nA tower,48.8584,2.2945,FR\n")
    copyFileSync("test/fixtures/passport-index-2025-01-12.landfall", join(folderOf(program), "old.landfall"))
    copyFileSync("test/fixtures/dataset-2026-11-21.landfall", join(folderOf(program), "new.landfall"))
  }
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

interface Ended {
  readonly status: number | null
  readonly text: string
}

const quote = (word: string) => `'${word.replaceAll("'", "'\\''")}'`

/** Runs a program in a terminal of 100 columns; once it has printed a text, acts, and presses Ctrl-C or closes the terminal. */
async function callInTerminal(
  program: Program,
  args: readonly string[],
  until?: { readonly text: string; readonly act?: (printed: string) => unknown; readonly closes?: boolean },
): Promise<Ended> {
  const line = [process.execPath, PROGRAMS[program], ...args].map(quote).join(" ")
  const { NO_COLOR, FORCE_COLOR, CI, ...own } = process.env
  const child = spawn("script", ["-qec", `stty cols 100 rows 40; exec ${line}`, "/dev/null"], {
    cwd: folderOf(program),
    env: { ...own, TERM: "xterm-256color", LANDFALL_DATABASE_URL: "file:landfall.db", LANDFALL_LOG_FORMAT: "text" },
    stdio: ["pipe", "pipe", "pipe"],
  })
  let text = ""
  const ended = Promise.withResolvers<Ended>()
  child.on("error", ended.reject)
  child.on("close", status => ended.resolve({ status, text }))
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", async part => {
      const isReady = until !== undefined && !text.includes(until.text) && `${text}${part}`.includes(until.text)
      text += part
      if (!isReady) return
      try {
        await until.act?.(text)
      } catch (cause) {
        ended.reject(cause)
      }
      if (until.closes) child.kill("SIGKILL")
      else child.stdin.write("\x03")
    })
  }
  try {
    return await ended.promise
  } finally {
    child.stdin.end()
    child.kill()
  }
}

// From hiding the cursor to showing it again.
const PROGRESS = new RegExp(["l", "h"].map(end => `\\x1b\\[\\?25${end}`).join("[^]*"))

/** The text without what differs in each run: paths, times, keys, numbers of accounts and keys, ports, and the frames of the progress. */
const settle = (program: Program, text: string) =>
  text
    .replaceAll("\r\n", "\n")
    .replace(PROGRESS, "PROGRESS\n")
    .replaceAll(folderOf(program), "FOLDER")
    .replace(/\d+\.\d s \([\d,]+ a second\)/, "TIME")
    .replace(/\b\d{15}\b/g, "NUMBER")
    .replace(/svc_visa_[\w-]+|(?<![\w-])[\w-]{43}(?![\w-])/g, "KEY")
    .replace(/\d{4}-\d\d-\d\d(?:T|,? )\d\d:\d\d(?::\d\d)?(?:\.\d+)?Z?/g, "INSTANT")
    .replace(/\[?\d\d:\d\d:\d\d\.\d{3}\]?/g, "INSTANT")
    .replace(/127\.0\.0\.1:\d+|localhost:\d+/g, "ADDRESS")

describe.skipIf(process.platform !== "linux")("the installed command in a terminal", () => {
  it("is called once for every command", async () => {
    const names = listParts("")
    const called = new Set<string>([...CALLS, ...RUNNING.map(([args]) => args)].map(([name]) => name))
    expect(names.filter(name => !called.has(name))).toEqual(["mcp"])
  })

  it.each(CALLS.filter(isAsked).map(args => [args] as const))("ends as it does from the sources: %j", async args => {
    const ended = await Promise.all(
      CALLED.map(async program => {
        const { status, text } = await callInTerminal(program, args)
        return { status, text: settle(program, text) }
      }),
    )
    const [packed, sources = packed] = ended
    expect(packed).toEqual(sources)
    expect(packed?.status, packed?.text).toBe(FAILING.get(args.join(" ")) ?? 0)
    expect(packed?.text).not.toContain("Error:")
    expect(readdirSync(folderOf("packed")).filter(name => name.endsWith(".part"))).toEqual([])
  })

  it("shows the progress of a batch, and writes what the sources write", async () => {
    const { status, text } = await callInTerminal("packed", ["batch", "trips.csv", "-o", "shown.csv", "--summary"])
    expect(status).toBe(0)
    expect(stripVTControlCharacters(text)).toMatch(/100 % \| 1,500 lines, [\d,]+ a second \| 0s left/)
    for (const name of ["answers.csv", "answers.parquet", "pairs.parquet", "today.landfall"]) {
      const [packed, sources = packed] = CALLED.map(each => readFileSync(join(folderOf(each), name)))
      expect([name, packed?.equals(sources as Buffer)]).toEqual([name, true])
    }
  })

  it("leaves no file where a batch is stopped by Ctrl-C", async () => {
    const before = readdirSync(folderOf("packed"))
    const { status, text } = await callInTerminal("packed", ["batch", "-", "-o", "stopped.ndjson"], {
      text: "lines,",
    })
    expect({ status, text }).toEqual({
      status: 130,
      text: expect.stringContaining("Ended by a signal after 0 lines. stopped.ndjson was not written."),
    })
    expect(readdirSync(folderOf("packed"))).toEqual(before)
  })

  it("leaves no file where the terminal of a batch is closed", async () => {
    // Input that does not end: the terminal itself would end with its closing.
    const input = join(folderOf("packed"), "endless.ndjson")
    execFileSync("mkfifo", [input])
    const writer = openSync(input, "r+")
    const before = readdirSync(folderOf("packed"))
    const call = callInTerminal("packed", ["batch", input, "-o", "stopped.ndjson"], { text: "lines,", closes: true })
    expect((await call).status).toBe(null)
    await expect.poll(() => readdirSync(folderOf("packed")), { timeout: 60_000 }).toEqual(before)
    closeSync(writer)
  })

  it.each(RUNNING)("begins and ends as from the sources: %j", async (args, ready) => {
    const asked: unknown[] = []
    const ask = async (printed: string) => {
      if (args[0] !== "serve") return
      const [, url] = /listens on (\S+)/.exec(stripVTControlCharacters(printed)) ?? []
      const check = await fetch(`${url}/api/v1/visa/check?passport=FRA&destination=JPN`)
      asked.push(((await check.json()) as { requirement: string }).requirement)
    }
    const ended: Ended[] = []
    for (const program of CALLED) {
      const { status, text } = await callInTerminal(program, args, { text: ready, act: ask })
      ended.push({ status, text: settle(program, text) })
    }
    for (const each of ended) expect(each).toEqual(ended[0])
    expect(ended[0]).toMatchObject({ status: 0, text: expect.stringContaining(ready) })
    expect(asked).toEqual(args[0] === "serve" ? CALLED.map(() => "visa_free") : [])
  })

  it("answers a language model as from the sources", async () => {
    const messages = [
      {
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
      },
      { method: "notifications/initialized" },
      { id: 2, method: "tools/list" },
    ].map(message => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
    const answers: string[] = []
    for (const program of CALLED) {
      const child = spawn(process.execPath, [PROGRAMS[program], "mcp"], { stdio: ["pipe", "pipe", "inherit"] })
      let text = ""
      child.stdout.setEncoding("utf8").on("data", part => {
        text += part
        if (text.split("\n").length > 2) child.stdin.end()
      })
      child.stdin.write(messages.join(""))
      await new Promise(end => child.once("close", end))
      answers.push(text)
    }
    for (const each of answers) expect(each).toBe(answers[0])
    expect(answers[0]).toContain('"tools"')
  })
})
