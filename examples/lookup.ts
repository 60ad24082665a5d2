/** The example of the README: `node examples/lookup.ts`. In a project of your own the import is `from "landfall"`. */
import { lookup } from "../src/index.ts"

const japan = lookup("FRA", "JPN")
console.log(japan.kind === "found" && [japan.requirement, japan.days, japan.source?.name, japan.verifiedOn])
console.log(lookup("FRA", "ATA").kind)
