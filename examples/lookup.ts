/** The example of the README: `node examples/lookup.ts`. In a project of your own the import is `from "landfall"`. */
import { lookup } from "../src/index.ts"

const jpn = lookup("FRA", "JPN")
if (jpn.kind === "found") console.log(`${jpn.requirement} ${jpn.days}\n${jpn.source?.name}\n${jpn.verifiedOn}`)
console.log(lookup("FRA", "ATA").kind)
