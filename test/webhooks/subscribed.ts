import { Effect } from "effect"
import { makeDispatcher } from "../../adapters/webhooks/dispatcher.ts"
import { makeDeployment } from "../storage/deployment.ts"
import { EVERYTHING, startDelivery } from "./delivery-process.ts"

/** What the delivered event says. */
export const CHANGE = {
  destination: "JPN",
  passport: "FRA",
  previous: { requirement: "visa_free", stay_days: 90, fee_usd: null },
  current: { requirement: "visa_free", stay_days: 30, fee_usd: null },
  effective_from: "2026-12-01T00:00:00Z",
  sources: [],
  severity: "major",
  fields: ["days"],
}

/** A subscription to an address, and a dispatcher that sends its ping and one change, which may be sent again. */
export const subscribe = (url: string) =>
  Effect.gen(function* () {
    const { services, storage, webhooks } = yield* startDelivery(yield* makeDeployment)
    const { secret, webhook } = yield* webhooks.create(1, { url, terms: EVERYTHING, description: "" })
    const event = {
      id: "evt_1",
      type: "visa.policy_changed",
      created_at: "2026-11-21T00:00:00Z",
      api_version: "2026-06-01",
      data: CHANGE,
    }
    const addressed = {
      event_id: "evt_1",
      type: event.type,
      body: JSON.stringify(event),
      webhookIds: [webhook.id],
    }
    yield* storage.deliveries.insertAll([addressed], Date.now())
    const deliver = Effect.scoped(
      Effect.provideContext(
        Effect.flatMap(makeDispatcher({ allowsPrivate: true }), ({ drain }) => drain),
        services,
      ),
    )
    const list = webhooks.listDeliveries(1, webhook.id, { state: null, beforeId: 1e9, limit: 10 })
    const states = Effect.map(list, rows => rows!.map(({ last_status }) => last_status))
    const replay = Effect.asVoid(webhooks.replay(1, webhook.id, 2))
    return { secret, deliver, states, replay }
  })
