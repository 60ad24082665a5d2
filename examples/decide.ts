/** The example of docs/in-your-app.md: `node examples/decide.ts`. In a project of your own the import is `from "landfall"`. */
import { decide, embeddedDataset } from "../src/index.ts"

const decision = decide(embeddedDataset(), {
  passport: "FRA",
  passportExpiry: "2029-03-01",
  stops: [
    { destination: "JPN", from: "2028-12-01", to: "2028-12-20" },
    { destination: "THA", from: "2028-12-21", to: "2029-03-20" },
  ],
})
if (decision.ok && decision.value.kind === "decided") {
  const { outcome, blockers, toDo } = decision.value
  console.log(outcome)
  for (const { message } of blockers) console.log("blocked:", message)
  for (const { message } of toDo) console.log("to do:", message)
}
