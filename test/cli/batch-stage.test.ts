/** `landfall batch` over partitions, for other programs: answers, counts, exit codes, and the output after a signal. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { DECISION_EXAMPLE } from "../../adapters/answers/decision.ts"
import { sampleOf } from "../sample.ts"
import { answerPlainly, makeTrips, toLines } from "../worker/trips.ts"
import { bundleCli } from "./bundle.ts"
import { run, spawnCli } from "./run.ts"

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "landfall-stage-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const at = (name: string) => join(folder, name)
const put = (name: string, text: string) => {
  writeFileSync(at(name), text)
  return at(name)
}
const read = (name: string) => readFileSync(at(name), "utf8")
const example = JSON.stringify(DECISION_EXAMPLE)
const THREADS = ["--threads", "1"]

describe("a partition of a batch", () => {
  const trips = `${example}\n\n{"id": "c"}\n`
  const stage = (args: readonly string[], stdin = trips) =>
    spawnCli(["batch", "-", "--stage", ...THREADS, ...args], { stdin })

  it("answers every line, blank and bad ones too, without numbers, and ends with 0 and one line of JSON on stderr", () => {
    const { status, stdout, stderr } = stage(["--summary"])
    expect(status).toBe(0)
    const [verdict, blank, bad, ...rest] = stdout.split("\n")
    expect(verdict).toMatch(/^\{"outcome":"blocked","verdict":"blocked","blockers":\["passport_validity_short"\],/)
    expect(blank).toBe('{"error":"The line is empty."}')
    expect(bad).toMatch(/^\{"id":"c","error":"[a-z]+: /)
    expect(rest).toEqual([""])
    expect(stderr.split("\n")).toEqual([
      expect.stringMatching(/^\{"lines":3,"failed":2,"outcomes":\{"blocked":1\},"verdicts":\{"blocked":1\},.*\}$/),
      "",
    ])
    expect(JSON.parse(stderr)).toMatchObject({ lines: 3, failed: 2 })
  })

  it("writes the same as one run over all lines, for any partition", async () => {
    const write = async (lines: readonly string[]) => {
      const file = put("partition.ndjson", `${lines.join("\n")}\n`)
      await run("batch", file, "-o", at("written.ndjson"), "--stage", "--answers", "full", ...THREADS)
      return read("written.ndjson")
    }
    const lines = toLines(makeTrips(60)).split("\n").slice(0, -1)
    const whole = await write(lines)
    const parts = [await write(lines.slice(0, 17)), await write(lines.slice(17, 18)), await write(lines.slice(18))]
    expect(parts.join("") === whole).toBe(true)
    expect(whole).toBe(answerPlainly(toLines(makeTrips(60))).replace(/^\{"line":\d+,/gm, "{"))
  })

  it("numbers its lines from the given first line, in tables too", async () => {
    const numbered = stage(["--summary", "--first-line", "1001"]).stdout
    expect(numbered.match(/"line":\d+/g)).toEqual(['"line":1001', '"line":1002', '"line":1003'])
    const file = put("stage.ndjson", trips)
    const table = async (...flags: readonly string[]) => {
      await run("batch", file, "-o", at("stage.csv"), "--stage", "--summary", ...flags, ...THREADS)
      return read("stage.csv").split("\n")
    }
    expect((await table())[0]).toBe("id,outcome,verdict,summary,blockers,conditions,unknowns,error")
    expect((await table("--first-line", "7"))[1]).toMatch(/^7,,blocked,/)
  })

  it("writes fields that are absent as an empty object", () => {
    expect(stage(["--fields", "passports"], `${example}\n`).stdout).toBe("{}\n")
  })

  it.each([
    [["--resume"], "--stage and --resume: give one of them; a partition that failed is judged again."],
    [["--json"], "--json: --stage says that already."],
    [["--lenient"], "--lenient: --stage says that already."],
    [["--first-line", "0"], "--first-line: a whole number from 1 to 1000000000000 is expected, not 0."],
  ])("refuses %j", async (flags, message) => {
    const { status, stdout, stderr } = await run("batch", "-", "--stage", "-o", at("never.ndjson"), ...flags)
    expect(status).toBe(2)
    expect(`${stdout}${stderr}`).toContain(message)
  })

  it("accepts a first line only for a partition", async () => {
    expect((await run("batch", "-", "--first-line", "2")).stderr).toContain("--first-line: it needs --stage.")
  })
})

describe("a batch that a program runs", () => {
  const bin = bundleCli()

  it("answers each line before it reads the next, with --flush", async () => {
    const child = spawn(process.execPath, [bin, "batch", "-", "--stage", "--flush", "--summary"], {
      stdio: ["pipe", "pipe", "pipe"],
    })
    const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    for (const id of ["first", "second", "third"]) {
      child.stdin.write(`${JSON.stringify({ ...DECISION_EXAMPLE, id })}\n`)
      expect(JSON.parse((await answers.next()).value ?? "")).toMatchObject({ id, verdict: "blocked" })
    }
    child.stdin.end()
    expect(await once(child, "exit")).toEqual([0, null])
  })

  const signals = [
    ["SIGINT", 130],
    ["SIGHUP", 129],
    ["SIGTERM", 143],
    ["SIGQUIT", 131],
  ] as const
  it.each(sampleOf(signals, 2))(
    "reports that %s ended it, exits with %i and leaves the output unchanged",
    async (signal, code) => {
      const output = put("ended.ndjson", "older\n")
      const child = spawn(process.execPath, [bin, "batch", "-", "-o", output, "--flush", "--summary"], {
        stdio: ["pipe", "ignore", "pipe"],
      })
      let stderr = ""
      child.stderr.on("data", chunk => {
        stderr += chunk
      })
      const parts = () => readdirSync(folder).filter(name => name.startsWith("ended.ndjson."))
      const watcher = watch(folder)
      child.stdin.write(`${example}\n`)
      while (parts().every(part => read(part) === "")) await once(watcher, "change")
      watcher.close()
      child.kill(signal)
      expect(await once(child, "close")).toEqual([code, null])
      expect(stderr).toMatch(/^Ended by a signal after [01] lines?\. .*ended\.ndjson was not written\.\n$/)
      expect([read("ended.ndjson"), parts()]).toEqual(["older\n", []])
    },
  )
})
