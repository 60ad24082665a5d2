/** The three starts: the commands of the one for files run as they are written. Those for apps and services are held by the packaging tests and by curl-lines.test.ts. */
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { runCli } from "../cli/run.ts"

const COMMAND = /^npm run --silent landfall -- (.+)$/gm
let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "landfall-starts-"))
  cpSync("examples", join(folder, "examples"), { recursive: true })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it.each([
  ["docs/start-file.md", 4],
  ["README.md", 2],
])("the commands of %s succeed, one after the other", async (page, least) => {
  const lines = [...readFileSync(page, "utf8").matchAll(COMMAND)].map(([, words = ""]) => words)
  expect(lines.length).toBeGreaterThanOrEqual(least)
  for (const line of lines) expect(await runCli(line.split(" "), { cwd: folder }), line).toMatchObject({ status: 0 })
})

it("the start for files ends with one answer for each line of its file", () => {
  const count = (file: string) => readFileSync(join(folder, file), "utf8").trim().split("\n").length
  expect(count("answers.ndjson")).toBe(count("examples/trips.ndjson"))
})
