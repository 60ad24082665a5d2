/** Bundles the engine as one script for warehouses; run as a program, into `dist/landfall-udf.js`. */
import { writeFileSync } from "node:fs"
import { build, type Plugin } from "esbuild"
import { type EmbeddedRemarks, readColumn } from "../../src/dataset/embedded-lists.ts"
import { embeddedPlaces } from "../../src/dataset/embedded-places.generated.ts"
import { embeddedRemarks } from "../../src/dataset/embedded-remarks.generated.ts"

const NO_PLACE = embeddedPlaces.regionOf.map(() => null)

/** The embedded data without what neither function reads: remarks on pairs, regions and economies. */
const unreadData: Plugin = {
  name: "unread-data",
  setup({ onLoad }) {
    const give = (module: RegExp, name: string, value: object) =>
      onLoad({ filter: module }, () => ({ contents: `export const ${name} = ${JSON.stringify(value)}` }))
    give(
      /embedded-remarks\.generated\.ts$/,
      "embeddedRemarks",
      leaveOut(embeddedRemarks, ["notes", "changeLog", "checks"]),
    )
    const places = { regions: [], regionOf: NO_PLACE, gdpUsdMillions: NO_PLACE }
    give(/embedded-places\.generated\.ts$/, "embeddedPlaces", { ...embeddedPlaces, ...places })
  },
}

/** The remarks without those of some lists, and without the texts that only these have. */
function leaveOut({ texts, places }: EmbeddedRemarks, names: readonly string[]): EmbeddedRemarks {
  const left = Object.entries(places).filter(([name]) => !names.includes(name))
  const columns = left.map(([name, all]) => [name, all.map(column => readColumn(column, []) as number[])] as const)
  const kept = [...new Set(columns.flatMap(([, all]) => all.flat()))].filter(number => number > 0).sort((a, b) => a - b)
  return {
    texts: kept.map(number => texts[number - 1] as string),
    places: Object.fromEntries(
      columns.map(([name, all]) => [name, all.map(column => column.map(number => kept.indexOf(number) + 1))]),
    ),
    lists: {},
  }
}

/** The script: it defines `landfall`, with `visa` and `decide`. */
export async function bundleUdf(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: ["adapters/warehouse/udf.ts"],
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
    plugins: [unreadData],
  })
  return (outputFiles[0] as { readonly text: string }).text
}

if (import.meta.main) writeFileSync("dist/landfall-udf.js", await bundleUdf())
