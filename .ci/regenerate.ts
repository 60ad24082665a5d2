/**
 * `npm run regenerate -- NAME`: writes a checked-in file anew that is made from something else. Tests hold each of them to what it is made from.
 */
import { spawnSync } from "node:child_process"

/** The command lines of each. */
const WRITERS: Readonly<Record<string, readonly string[]>> = {
  "api-report": ["node .ci/packaging/build-declarations.ts --report"],
  "api-tables": ["node docs/build/api-tables.ts"],
  "data-schemas": ["node docs/build/data-schemas.ts"],
  examples: [
    "vitest run --project tests test/http/contract.test.ts",
    "biome format --write adapters/http/openapi/answer-examples.json",
  ],
  journeys: ["node test/itinerary/record-journeys.ts --write"],
  pictures: ["node test/site/screenshots.ts"],
}

const [name = ""] = process.argv.slice(2)
const lines = WRITERS[name]
if (lines === undefined) {
  console.error(`npm run regenerate -- NAME, one of ${Object.keys(WRITERS).join(", ")}`)
  process.exit(2)
}
for (const line of ["npm run --silent embed", ...lines]) {
  const env = { ...process.env, LANDFALL_RECORD_EXAMPLES: "1" }
  const { status } = spawnSync(line, { shell: true, stdio: "inherit", env })
  if (status !== 0) process.exit(status ?? 1)
}
