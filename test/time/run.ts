/**
 * Tries everything in every place: `npm run test:time -- [part of a row's name]`. Takes about ten minutes.
 *
 * Prints what holds the event loop for too long or grows too fast, and the dearest requests; fails if there is any of the former.
 */
import { startFuzzedService } from "./fuzzed-service.ts"
import { fuzz, listProbes, listToolProbes, nameRow, ROWS } from "./time-fuzz.ts"

const [part = ""] = process.argv.slice(2)
const startedAt = performance.now()
let failures = 0
const service = await startFuzzedService()
const named = ROWS.filter(row => nameRow(row).includes(part))
const families = [
  ...named.map(row => [nameRow(row), () => listProbes(row)] as const),
  ["tools", () => listToolProbes(service)] as const,
]
for (const [name, list] of part === "" ? families : families.slice(0, -1)) {
  const { faults, dearest, requests } = await fuzz(service, await list())
  failures += faults.length
  console.log(`${name}: ${requests} requests, ${faults.length} faults, at most ${dearest[0] ?? "8 ms"}`)
  for (const fault of faults) console.log(`  FAULT ${fault}`)
}
await service[Symbol.asyncDispose]()
console.log(`${failures} faults in ${((performance.now() - startedAt) / 60_000).toFixed(1)} minutes`)
process.exitCode = failures === 0 ? 0 : 1
