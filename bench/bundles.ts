/**
 * What does the package cost before its first answer: bytes to load, time to open, memory kept?
 */
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { runFresh } from "./measure.ts"

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

/** The imports of `landfall` that the table of the README lists: a function with the data that it needs. */
export const SIZED_IMPORTS = [
  "lookup",
  "embeddedPairs, intersectGroup",
  "embeddedPairs, chooseBestPassports",
  "embeddedPairs, scorePassport",
  "embeddedPairs, rankPassports",
  "embeddedPairs, comparePassports",
  "embeddedPairs, listEntrants",
  "embeddedRules, lookupHeld",
  "embeddedDataset, lookupHeld",
  "embeddedRules, decide",
  "embeddedDataset, decide",
] as const

/** What a browser loads for imports of `landfall`. */
export const measureImports = (names: string): Promise<Size> =>
  measureBundle(`  ${names}`, `export { ${names} } from "./src/index.ts"`)

/** The embedded pairs alone, and the whole embedded module. */
export async function measureEmbedded(): Promise<Size[]> {
  const pairs = 'export * from "./src/dataset/embedded-table.generated.ts"'
  const header = 'export * from "./src/dataset/embedded.generated.ts"'
  return [
    await measureBundle("embedded pairs", pairs),
    await measureBundle("embedded dataset (pairs and header)", `${header}\n${pairs}`),
  ]
}

/** Milliseconds of the first open in a fresh process, and bytes of memory kept for it; the median of several processes. */
export function measureColdOpen() {
  const script = `
    const { embeddedDataset, lookup } = await import("./dist/index.js")
    globalThis.gc(); const before = process.memoryUsage()
    const start = performance.now(); embeddedDataset(); const openMs = performance.now() - start
    globalThis.gc(); const after = process.memoryUsage()
    console.log(JSON.stringify({ openMs, residentBytes: after.rss - before.rss, heapBytes: after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers }))`
  const middle = runFresh(script)
  return { openMs: middle("openMs"), residentBytes: middle("residentBytes"), heapBytes: middle("heapBytes") }
}

/** A size as a line of a table. */
export function describeSize({ name, raw, gzip }: Size): string {
  return `  ${name.padEnd(44)} ${String(raw).padStart(8)} bytes  ${String(gzip).padStart(7)} gzip`
}
