/** The record of a pair, as the README has it: `node examples/record.ts`. In a project of your own the imports are `from "landfall"` and `"landfall/full"`. */
import { assembleFullRecord, loadLocalisedFacts } from "../src/full.ts"
import { embeddedDataset } from "../src/index.ts"

const localised = await loadLocalisedFacts(embeddedDataset(), "en")
const record = assembleFullRecord(localised, "IND", "DEU")
console.log(record?.description, record?.documents_required?.length, record?.visa_fee?.single_entry)
