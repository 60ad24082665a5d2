import { createContext, runInContext } from "node:vm"
import { transformSync } from "esbuild"
import { beforeAll, describe, expect, inject, it } from "vitest"
import { bundleApp } from "../../bench/bundlers.ts"
import { findBun } from "./runtimes.ts"

const CODE = 'import { lookup } from "landfall"\nglobalThis.answer = lookup("FRA", "JPN")\n'
const MAXIMUM_GZIP_BYTES = 15 * 1024

describe("a page that looks pairs up", () => {
  let bundled: Awaited<ReturnType<typeof bundleApp>> = []
  beforeAll(async () => {
    bundled = await bundleApp(inject("app"), CODE, findBun())
  })

  it("answers in a bare runtime, made by any of six bundlers", () => {
    expect(bundled.map(({ bundler }) => bundler)).toHaveLength(6)
    for (const { bundler, text } of bundled) {
      const context = createContext({})
      runInContext(transformSync(text, { format: "iife" }).code, context)
      const answer = runInContext("JSON.stringify([answer.kind, answer.requirement, answer.days])", context)
      expect(JSON.parse(answer), bundler).toEqual(["found", "visa_free", 90])
    }
  })

  it("loads at most 15 KiB of it, pairs included", () => {
    const sizes = bundled.map(({ bundler, bytes, gzipBytes }) => `${bundler}: ${bytes} bytes, ${gzipBytes} gzip`)
    console.info(sizes.join("\n"))
    expect(Math.max(...bundled.map(({ gzipBytes }) => gzipBytes)), sizes.join("; ")).toBeLessThanOrEqual(
      MAXIMUM_GZIP_BYTES,
    )
  })
})
