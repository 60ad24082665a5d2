import { assert, describe, it } from "vitest"
import type { withFacts } from "../../site/pair/facts.ts"
import { assembleFullRecord, type Language, loadLocalisedFacts, loadMissions } from "../../src/full.ts"
import { embeddedDataset } from "../../src/index.ts"
import { importPageModule } from "./page-module.ts"

type Facts = { readonly withFacts: typeof withFacts }

describe("records made of the tables of single countries", () => {
  const dataset = embeddedDataset()

  it.each<readonly [Language, string]>([
    ["en", "IND"],
    ["de", "GBR"],
    ["hi", "FRA"],
  ])("are in %s those made of the whole tables, for every destination of %s", async (language, passport) => {
    const page = await importPageModule<Facts>("pair/facts.ts")
    const whole = await loadLocalisedFacts(dataset, language)
    for (const destination of dataset.destinations) {
      const wanted = { dataset, language, countries: [passport, destination] }
      const record = await page.withFacts(wanted, localised => assembleFullRecord(localised, passport, destination))
      assert.deepStrictEqual(record, assembleFullRecord(whole, passport, destination), destination)
    }
  })

  it("ask for countries that nobody named, until none is missing", async () => {
    const page = await importPageModule<Facts>("pair/facts.ts")
    const list = (operator: string, host: string) =>
      page.withFacts({ dataset, language: "en", countries: [] }, (_, missions) => missions.listMissions(operator, host))
    const missions = await loadMissions()
    assert.isNotEmpty(missions.listMissions("DEU", "IND"))
    assert.deepStrictEqual(await list("DEU", "IND"), missions.listMissions("DEU", "IND"))
    assert.deepStrictEqual(await list("ZZZ", "IND"), [])
  })
})
