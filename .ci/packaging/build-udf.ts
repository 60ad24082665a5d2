/** Bundles the engine as one script for warehouses; run as a program, into `dist/landfall-udf.js`. */
import { writeFileSync } from "node:fs"
import { buildSync } from "esbuild"

/** The script: it defines `landfall`, with `visa` and `decide`. */
export function bundleUdf(): string {
  const { outputFiles } = buildSync({
    entryPoints: ["adapters/programs/udf/udf.ts"],
    bundle: true,
    write: false,
    format: "iife",
    globalName: "landfall",
    platform: "neutral",
    mainFields: ["module", "main"],
    target: "es2019",
    minify: true,
    // Warehouses disagree on the encoding of a script.
    charset: "ascii",
    legalComments: "none",
  })
  return (outputFiles[0] as { readonly text: string }).text
}

if (import.meta.main) writeFileSync("dist/landfall-udf.js", bundleUdf())
