/** Bundles the engine as one script for warehouses; run as a program, into `dist/landfall-udf.js`. */
import { writeFileSync } from "node:fs"
import { build, type Plugin } from "esbuild"
import { writeNumbers } from "../../src/dataset/byte-text.ts"
import { readList } from "../../src/dataset/embedded-columns.ts"
import { openTable } from "../../src/dataset/embedded-pairs.ts"
import { embeddedPlaces } from "../../src/dataset/embedded-places.generated.ts"
import { embeddedRemarks } from "../../src/dataset/embedded-remarks.generated.ts"
import { leavePairRemarks, putRemarks, takeRemarks } from "../../src/dataset/embedded-remarks.ts"
import { embeddedRulesPart } from "../../src/dataset/embedded-rules.generated.ts"

const NO_PLACE = embeddedPlaces.header.regionOf.map(() => null)
const NO_NUMBERS = writeNumbers(NO_PLACE)

/** The embedded data without what neither function reads: remarks on pairs, regions and economies. */
const unreadData: Plugin = {
  name: "unread-data",
  setup({ onLoad }) {
    const give = (module: RegExp, name: string, value: object) =>
      onLoad({ filter: module }, () => ({ contents: `export const ${name} = ${JSON.stringify(value)}` }))
    const { fields, lists } = embeddedRulesPart
    const whole = Object.keys(lists).map(name => {
      const bare = readList(embeddedRulesPart, name, openTable().destinations)
      return [name, leavePairRemarks(name, putRemarks(embeddedRemarks, name, bare, fields[name]))] as const
    })
    const { remarks } = takeRemarks({ fields, lists: Object.fromEntries(whole) })
    // Kept whole: remarks stand in the order of all details, including rules that are only remarks.
    give(/embedded-remarks\.generated\.ts$/, "embeddedRemarks", remarks)
    const header = { regions: [], regionOf: NO_PLACE }
    give(/embedded-places\.generated\.ts$/, "embeddedPlaces", { ...embeddedPlaces, header, gdpUsdMillions: NO_NUMBERS })
  },
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
