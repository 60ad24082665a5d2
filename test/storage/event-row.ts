import type { EventRow } from "../../adapters/storage/datasets-repository.ts"

/** A change of what France's passport needs for Japan, with anything else about it. */
export const makeEvent = (id: string, changes: Partial<EventRow> = {}): EventRow => ({
  id,
  installation_id: 1,
  type: "visa.policy_changed",
  passport: "FRA",
  destination: "JPN",
  severity: "major",
  effective_from: "2026-06-10",
  is_correction: 0,
  body: JSON.stringify({
    previous: { requirement: "visa_free", stay_days: 90, fee_usd: null },
    current: { requirement: "e_visa", stay_days: null, fee_usd: null },
    sources: [],
    fields: ["requirement", "days"],
  }),
  created_at: 0,
  due_at: 0,
  fanned_out_at: null,
  ...changes,
})
