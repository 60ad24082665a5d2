/** The example of the README: `node examples/lookup.ts`. In a project of your own the import is `from "landfall"`. */
import { lookup } from "../src/index.ts"

const answer = lookup("FRA", "JPN")
if (answer.kind === "found") console.log(answer.requirement, answer.days, answer.source?.id, answer.verifiedOn)
console.log(lookup("MLI", "GHA", { on: "2026-11-21" }))
console.log(lookup("FRA", "ATA").kind)
console.log(lookup("fr", "JPN").kind)
