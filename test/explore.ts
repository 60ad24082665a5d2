/**
 * Runs the property tests on examples that no run has drawn before, decisions on 100,000 trips a law and round:
 * `npx node test/explore.ts [rounds] [files...]`.
 *
 * Each round prints its seed; `PROPERTY_SEED=<seed> npx vitest run <file>` draws the same examples again.
 */
import { spawnSync } from "node:child_process"
import { randomInt } from "node:crypto"

const [rounds = "1", ...files] = process.argv.slice(2)
let failures = 0

for (let round = 1; round <= Number(rounds); round++) {
  const seed = String(randomInt(2 ** 31))
  process.stdout.write(`\nround ${round} of ${rounds}: PROPERTY_SEED=${seed}\n`)
  const { status } = spawnSync("vitest", ["run", "--project", "tests", "--reporter=dot", ...files], {
    stdio: "inherit",
    env: { EXPLORED_TRIPS: "100000", ...process.env, PROPERTY_SEED: seed },
  })
  if (status !== 0) failures++
}

process.stdout.write(`\n${rounds} rounds, ${failures} with a failure\n`)
process.exit(failures === 0 ? 0 : 1)
