import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PassThrough, Writable } from "node:stream"
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  EMPTY_BLOCK,
  openNewFile,
  openParquetFile,
  openPipe,
  openTextFile,
  PipeClosed,
} from "../../adapters/batch/files/sinks.ts"
import type { Cell } from "../../adapters/batch/lines/line-answer.ts"

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "landfall-sinks-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const listParts = () => readdirSync(folder).filter(name => name.endsWith(".part"))
const bytes = (text: string) => ({ ...EMPTY_BLOCK, bytes: new TextEncoder().encode(text) })

describe("a file of text", () => {
  it("keeps its content up to a position, and nothing after it", async () => {
    const path = join(folder, "kept.txt")
    writeFileSync(path, "kept, and cut off")
    const sink = await openTextFile(path, 5)
    await sink.write(bytes(" a"))
    await sink.write(bytes(" b"))
    await sink.finish()
    await sink.close()
    expect(readFileSync(path, "utf8")).toBe("kept, a b")
    const fresh = await openTextFile(path, 0)
    await fresh.write(bytes("new"))
    await fresh.close()
    expect(readFileSync(path, "utf8")).toBe("new")
  })
})

describe("a new file", () => {
  it("gets its name when it is complete, and otherwise leaves only the older file", async () => {
    const path = join(folder, "new.txt")
    writeFileSync(path, "older")
    const unfinished = await openNewFile(path)
    await unfinished.write(bytes("half"))
    await unfinished.close()
    expect([readFileSync(path, "utf8"), listParts()]).toEqual(["older", []])
    const [one, other] = [await openNewFile(path), await openNewFile(path)]
    await one.write(bytes("one"))
    await other.write(bytes("other"))
    expect([readFileSync(path, "utf8"), listParts().length]).toEqual(["older", 2])
    for (const sink of [one, other]) {
      await sink.finish()
      await sink.close()
    }
    expect([readFileSync(path, "utf8"), listParts()]).toEqual(["other", []])
  })
})

describe("a Parquet file", () => {
  it("is written in row groups, as they fill, and read back the same", async () => {
    const path = join(folder, "groups.parquet")
    const sink = await openParquetFile(path, ["line", "id", "error"], new Set(["line"]))
    const rows: Record<string, Cell>[] = []
    for (let block = 0; block < 8; block++) {
      const own = Array.from({ length: 3_500 }, (_, at) => ({
        line: block * 3_500 + at + 1,
        id: at % 3 === 0 ? null : `trip ${at} é`,
        error: at % 50 === 0 ? "refused" : null,
      }))
      rows.push(...own)
      const columns = [own.map(row => row.line), own.map(row => row.id), own.map(row => row.error)]
      await sink.write({ ...EMPTY_BLOCK, columns })
    }
    await sink.finish()
    await sink.close()
    const file = await asyncBufferFromFile(path)
    const { row_groups } = await parquetMetadataAsync(file)
    expect(row_groups.map(({ num_rows }) => Number(num_rows))).toEqual([10_500, 10_500, 7_000])
    expect(await parquetReadObjects({ file })).toEqual(rows)
  })

  it("is valid without any answers", async () => {
    const path = join(folder, "none.parquet")
    const sink = await openParquetFile(path, ["line", "error"], new Set(["line"]))
    await sink.finish()
    await sink.close()
    expect(await parquetReadObjects({ file: await asyncBufferFromFile(path) })).toEqual([])
  })
})

describe("a pipe", () => {
  it("waits for a slow reader", async () => {
    const stream = new PassThrough({ highWaterMark: 4 })
    const sink = openPipe(stream)
    let isWritten = false
    const writing = sink.write(bytes("longer than four")).then(() => {
      isWritten = true
    })
    await new Promise(setImmediate)
    expect(isWritten).toBe(false)
    expect(String(stream.read())).toBe("longer than four")
    await writing
    expect(isWritten).toBe(true)
  })

  it("reports that its reader has ended, and returns other errors", async () => {
    const failing = (code: string) =>
      new Writable({
        write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })),
        highWaterMark: 1,
      })
    await expect(openPipe(failing("EPIPE")).write(bytes("text"))).rejects.toThrow(PipeClosed)
    await expect(openPipe(failing("ENOSPC")).write(bytes("text"))).rejects.toThrow("ENOSPC")
    const closed = new PassThrough()
    closed.destroy()
    await expect(openPipe(closed).write(bytes("text"))).rejects.toThrow(PipeClosed)
  })
})
