/** The map as a drawing and its list as a table, for articles and spreadsheets. Both are made in the page. */
import type { MapAddress } from "../address.ts"
import { pairsDataset } from "../answers.ts"
import { ExportFiles } from "../controls/export-files.tsx"
import { usePage } from "../page-context.ts"
import type { Colouring } from "./colouring.ts"
import { describePaint, nameCategory } from "./describe-paint.ts"

interface ExportMapProps {
  readonly colouring: Colouring
  readonly chosen: MapAddress
}

export function ExportMap({ colouring, chosen }: ExportMapProps) {
  const { words } = usePage()
  const rows = () => [
    [
      "code",
      words.say("word.destination"),
      words.say("label.requirement"),
      words.say("label.stay"),
      words.say("foot.dataset"),
    ],
    ...[...colouring.paints].map(([code, paint]) => [
      code,
      words.country(code),
      nameCategory(words, paint.category, chosen.passports),
      describePaint(words, paint, chosen),
      pairsDataset().version,
    ]),
  ]
  return <ExportFiles name="map" drawing={() => document.querySelector<SVGSVGElement>("svg.world")} rows={rows} />
}
