/**
 * Runs the tests of the core under other time zones: a date that depends on where the machine stands is a bug here.
 *
 * In every run of `npm test` a test fails in which anything reads the local time zone (`local-time.ts`), so that no other zone can change
 * what records and adapters say. Those of days and stays run again nevertheless; files or folders that are named are run instead.
 */
import { spawnSync } from "node:child_process"

const ZONES = ["America/Los_Angeles", "Pacific/Apia", "Asia/Kolkata"]
const DATED = ["civil-date", "itinerary/decide-vectors", "itinerary/stay-counting", "itinerary/stay-days"]
const PARTS = process.argv.slice(2)
const WHAT = PARTS.length > 0 ? PARTS : ["--project", "tests", ...DATED.map(name => `test/${name}.test.ts`)]

for (const zone of ZONES) {
  process.stdout.write(`\nTZ=${zone}\n`)
  // A worker for each of a few short files would spend most of its time on loading the engine.
  const { status } = spawnSync("vitest", ["run", "--reporter=dot", "--maxWorkers=1", ...WHAT], {
    stdio: "inherit",
    env: { ...process.env, TZ: zone },
  })
  if (status !== 0) process.exit(status ?? 1)
}
