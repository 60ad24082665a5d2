/** Compares the answers of the random journeys with the recorded ones, and records them anew with `--write`: `node test/itinerary/record-journeys.ts`. */
import { writeFileSync } from "node:fs"
import { embeddedDataset } from "../../src/index.ts"
import {
  ANSWERS_FILE,
  answerJourney,
  compareHashes,
  HASHES_FILE,
  hashAnswer,
  JOURNEYS,
  WHOLE_ANSWERS,
} from "./rich-journeys.ts"

const dataset = embeddedDataset()
const numbers = Array.from({ length: JOURNEYS }, (_, number) => number)
if (process.argv.includes("--write")) {
  writeFileSync(HASHES_FILE, `${numbers.map(number => hashAnswer(answerJourney(dataset, number))).join("\n")}\n`)
  const whole = numbers.slice(0, WHOLE_ANSWERS).map(number => JSON.stringify(answerJourney(dataset, number)))
  writeFileSync(ANSWERS_FILE, `[\n${whole.join(",\n")}\n]\n`)
}
for (const [fields, changed] of compareHashes(dataset, 0, JOURNEYS)) {
  process.stdout.write(`${changed.length} journeys differ in ${fields}, such as ${changed.slice(0, 8).join(", ")}\n`)
}
