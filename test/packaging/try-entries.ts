/** Does each entry that needs no Node answer? The same questions in every runtime; what is written down here runs from the installed package. */
import { embeddedDataset, lookup } from "landfall"
import { makeLookupClient } from "landfall/client"
import { compileFacts, encodeDataset, type Facts } from "landfall/compiler"
import { createEdgeHandler, edgeRecords } from "landfall/edge"
import { decide, lookupRequirement, openDataset, signDelivery, verifyDelivery } from "landfall/engine"
import { assembleFullRecord, loadLocalisedFacts, renderMarkdown } from "landfall/full"
import { embeddedHistory, lookupPast } from "landfall/history"

const NOW_SECONDS = 1_800_000_000

/** What the entries say. */
export async function tryEntries(facts: Facts) {
  const dataset = embeddedDataset()
  const compiled = compileFacts(facts)
  const opened = compiled.ok ? openDataset(encodeDataset(compiled.value)) : compiled
  const decision = decide(dataset, {
    passport: "FRA",
    stops: [{ destination: "THA", from: "2026-12-01", to: "2027-03-30" }],
  })
  const delivery = { body: "{}", secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] }
  const signed = signDelivery({ ...delivery, id: "evt_1", timestampSeconds: NOW_SECONDS })
  const headers = signed.ok ? { ...signed.value } : {}
  const verified = verifyDelivery({ ...delivery, headers, nowSeconds: NOW_SECONDS })
  const localised = await loadLocalisedFacts(dataset, "ru")
  const handle = createEdgeHandler({
    publicUrl: "https://visa.example",
    allow: () => ({ plan: "pro" }),
    records: edgeRecords("en", own => loadLocalisedFacts(own, "en")),
  })
  const asked = new Request("https://visa.example/api/v1/visa/check?passport=FRA&destination=JPN")
  const checked = (await (await handle(asked)).json()) as { readonly requirement: string }
  const client = makeLookupClient({
    baseUrl: "https://visa.example",
    apiKey: "key",
    fetch: async () => new Response('{"requirement":"visa_free"}', { headers: { "content-type": "application/json" } }),
  })
  const found = lookup("FRA", "JPN")
  const past = lookupPast(embeddedHistory(), "FRA", "CHN", "2023-11-20")
  const record = assembleFullRecord(localised, "FRA", "JPN")
  const own = opened.ok ? lookupRequirement(opened.value, "AAA", "BBB") : null
  return {
    index: found.kind === "found" ? [found.requirement, found.days] : found,
    decision: decision.ok && "verdict" in decision.value ? decision.value.verdict : decision,
    signature: verified.ok ? verified.value.timestampSeconds : verified.error,
    compiler: own?.kind === "found" ? own.requirement : own,
    full: record === null ? null : renderMarkdown(record, localised.locale),
    history: past.kind === "found" ? [past.value.requirement, past.or?.firstSeen] : past,
    days: [1, 3, 21, 90].map(days => localised.locale.say({ key: "span.working_days", values: { days } })),
    country: localised.locale.nameCountry("JPN"),
    edge: checked.requirement,
    client: (await client.lookup({ passport: "FRA", destination: "JPN" })).requirement,
  }
}
