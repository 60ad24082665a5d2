/** A past day, as the README has it: `node examples/past.ts`. In a project of your own the import is `from "landfall/history"`. */
import { embeddedHistory, lookupPast } from "../src/history.ts"

const past = lookupPast(embeddedHistory(), "FRA", "CHN", "2023-11-20")
if (past.kind === "found") {
  console.log(past.value.requirement, "last seen on", past.lastSeen)
  console.log("or", past.or?.value.requirement, past.or?.value.days, "first seen by", past.or?.firstSeen.by)
}
