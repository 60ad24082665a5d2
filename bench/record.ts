/**
 * `npm run bench -- record`: the full record in each language, warm; opening it in a fresh process; its bytes and memory. There is no peer: no other package assembles such a record offline.
 */
import { embeddedDataset } from "landfall"
import { assembleFullRecord, LANGUAGES, loadLocalisedFacts } from "landfall/full"
import {
  compareCases,
  consumed,
  describeRun,
  formatNanoseconds,
  median,
  repeat,
  runFresh,
  seededRandom,
} from "./measure.ts"
import { drawPairs } from "./pairs.ts"

const dataset = embeddedDataset()
const pairs = drawPairs(dataset, seededRandom(5)).map(
  ([p, d]) => [dataset.passports[p] as string, dataset.destinations[d] as string] as const,
)

console.log(describeRun(dataset.version).join("\n"))
console.log("\nThe full record of a random pair, warm")
for (const language of LANGUAGES) {
  const localised = await loadLocalisedFacts(dataset, language)
  const [measured] = compareCases(
    [
      {
        name: language,
        run: repeat(
          pairs,
          ([passport, destination]) =>
            assembleFullRecord(localised, passport, destination)?.documents_required?.length ?? 0,
        ),
        validate: () =>
          pairs
            .slice(0, 256)
            .map(([p, d]) => assembleFullRecord(localised, p, d)?.requirement)
            .join(),
      },
    ],
    { rounds: 5 },
  )
  const rounds = measured?.rounds ?? []
  const perSecond = Math.round(1e9 / median(rounds) / 1000) * 1000
  console.log(
    `  ${language}  ${formatNanoseconds(median(rounds)).padStart(9)}  (${formatNanoseconds(Math.min(...rounds))} … ${formatNanoseconds(Math.max(...rounds))})  ${perSecond.toLocaleString("en-US")} a second`,
  )
}

const script = `
  globalThis.gc(); const before = process.memoryUsage()
  const { embeddedDataset } = await import("landfall"); const { loadLocalisedFacts, assembleFullRecord } = await import("landfall/full")
  const dataset = embeddedDataset()
  const start = performance.now(); const localised = await loadLocalisedFacts(dataset, "fr")
  const opened = performance.now(); assembleFullRecord(localised, "IND", "DEU")
  const openMs = opened - start, firstMs = performance.now() - opened
  globalThis.gc(); const after = process.memoryUsage()
  console.log(JSON.stringify({ openMs, firstMs, heap: after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers, resident: after.rss - before.rss }))`
const middle = runFresh(script)
console.log("\nThe full dataset in a fresh process, with missions and history, one language")
console.log(`  open          ${middle("openMs").toFixed(1)} ms`)
console.log(
  `  first record  ${middle("firstMs").toFixed(1)} ms, most of it the runtime loading its own data of the language`,
)
console.log(
  `  memory kept   ${(middle("heap") / 1_048_576).toFixed(1)} MB of heap, ${(middle("resident") / 1_048_576).toFixed(1)} MB resident`,
)
console.log(`\n(${consumed() % 1000})`)
