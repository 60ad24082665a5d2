/**
 * Runs the tests of the core under other time zones: a date that depends on where the machine stands is a bug here.
 */
import { spawnSync } from "node:child_process"

const ZONES = ["America/Los_Angeles", "Pacific/Apia", "Asia/Kolkata"]
const PARTS = process.argv.slice(2)

for (const zone of ZONES) {
  process.stdout.write(`\nTZ=${zone}\n`)
  const { status } = spawnSync("vitest", ["run", "--reporter=dot", ...PARTS], {
    stdio: "inherit",
    env: { ...process.env, TZ: zone },
  })
  if (status !== 0) process.exit(status ?? 1)
}
