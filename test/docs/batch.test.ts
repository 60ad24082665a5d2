import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { runCli } from "../cli/run.ts"

const page = readFileSync("docs/batch.md", "utf8")

describe("docs/batch.md", () => {
  it("shows what its example answers", async () => {
    const [, trips = "", command = "", answers = ""] =
      /\$ cat trips\.ndjson\n([\s\S]*?)\$ landfall (.*)\n\$ cat answers\.ndjson\n([\s\S]*?)```/.exec(page) ?? []
    const folder = mkdtempSync(join(tmpdir(), "landfall-docs-"))
    try {
      writeFileSync(join(folder, "trips.ndjson"), trips)
      const { status } = await runCli(command.split(" "), { cwd: folder })
      expect(status).toBe(1)
      expect(readFileSync(join(folder, "answers.ndjson"), "utf8")).toBe(answers)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
