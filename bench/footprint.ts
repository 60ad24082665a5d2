/**
 * What does the engine cost before it answers: bytes to load, time to open, memory to keep?
 */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { amount } from "./measure.ts"

/** Bytes of something that is sent over a wire. */
export interface Size {
  readonly name: string
  readonly raw: number
  readonly gzip: number
}

const measure = (name: string, text: string | Uint8Array): Size => ({
  name,
  raw: Buffer.byteLength(text),
  gzip: gzipSync(text, { level: 9 }).length,
})

/** What a browser loads for a piece of code, bundled and minified as an application in that folder would. */
export async function measureBundle(name: string, code: string, folder = process.cwd()): Promise<Size> {
  const result = await build({
    stdin: { contents: code, resolveDir: folder, loader: "ts" },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "browser",
    charset: "utf8",
  })
  return measure(name, result.outputFiles[0]?.contents ?? new Uint8Array())
}

/** The embedded pairs alone, and the whole embedded module. */
export async function measureEmbedded(): Promise<Size[]> {
  const source = readFileSync("src/dataset/embedded.generated.ts", "utf8")
  const pairs = /"pairs":("(?:[^"\\]|\\.)*")/.exec(source)?.[1] ?? ""
  return [
    measure("embedded pairs", pairs),
    await measureBundle("embedded dataset (pairs and header)", 'export * from "./src/dataset/embedded.generated.ts"'),
  ]
}

/** Milliseconds of the first open in a fresh process, and bytes of memory kept for it; the median of some processes. */
export function measureColdOpen(processes = amount(7, 1)): {
  readonly openMs: number
  readonly residentBytes: number
  readonly heapBytes: number
} {
  const script = `
    const { embeddedDataset, lookup } = await import("./dist/index.js")
    globalThis.gc(); const before = process.memoryUsage()
    const start = performance.now(); embeddedDataset(); const openMs = performance.now() - start
    globalThis.gc(); const after = process.memoryUsage()
    console.log(JSON.stringify({ openMs, residentBytes: after.rss - before.rss, heapBytes: after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers }))`
  const runs = Array.from({ length: processes }, () =>
    JSON.parse(
      execFileSync(process.execPath, ["--expose-gc", "--input-type=module", "-e", script], { encoding: "utf8" }),
    ),
  )
  const middle = (name: "openMs" | "residentBytes" | "heapBytes") =>
    runs.map(run => run[name]).sort((a, b) => a - b)[processes >> 1] as number
  return { openMs: middle("openMs"), residentBytes: middle("residentBytes"), heapBytes: middle("heapBytes") }
}

/** A size as a line of a table. */
export function describeSize({ name, raw, gzip }: Size): string {
  return `  ${name.padEnd(44)} ${String(raw).padStart(8)} bytes  ${String(gzip).padStart(7)} gzip`
}
