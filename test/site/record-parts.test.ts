import { assert, describe, it } from "vitest"
import { shareParts } from "../../site/build/country-parts.ts"
import type { openRecord } from "../../site/pair/record.ts"
import { assembleFullRecord, type Language, loadLocalisedFacts, loadMissions } from "../../src/full.ts"
import { embeddedDataset, embeddedRules } from "../../src/index.ts"
import { IS_WHOLE } from "../sample.ts"
import { importPageModule } from "./page-module.ts"

const page = await importPageModule<{ readonly openRecord: typeof openRecord }>("pair/record.ts")
const STEP = IS_WHOLE ? 1 : 61

describe("the parts that all countries share", () => {
  it("name every source of a rule, which a page opens without names", () => {
    const named = new Map(shareParts().facts.sources.map(([id, name]) => [id, name]))
    for (const { id } of embeddedRules().sources) assert.isNotEmpty(named.get(id), id)
  })
})

describe("records made of the tables of single countries", () => {
  it.each<readonly [Language, string, number]>([
    ["en", "IND", 0],
    ["de", "GBR", 1],
    ["hi", "FRA", 2],
  ])("are in %s those made of the whole tables, for destinations of %s", async (language, passport, first) => {
    const dataset = embeddedDataset()
    const [whole, missions] = await Promise.all([loadLocalisedFacts(dataset, language), loadMissions()])
    for (const destination of dataset.destinations.filter((_, at) => at % STEP === first % STEP)) {
      const opened = await page.openRecord({ on: dataset.asOf, language, passport, destination })
      assert.deepStrictEqual(opened.record, assembleFullRecord(whole, passport, destination), destination)
      assert.deepStrictEqual(opened.own, missions.listMissions(passport, destination), destination)
      for (const [host, list] of opened.hosts) {
        assert.deepStrictEqual(list, missions.listMissions(destination, host), destination)
      }
    }
  })
})
